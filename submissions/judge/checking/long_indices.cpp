#include "submissions/judge/checking/long_indices.h"

#include <fmt/format.h>

#include "submissions/judge/inputs/shapes.h"

namespace gemmlab::submissions {
namespace {

// Most orders of loops come to the last row of B, whose index overflows, at once.
const Shape kShape = {1, 1'100'000'000, 3};  // rows, columns, inner
constexpr std::int64_t kWindowBytes = std::int64_t{2} << 20;
constexpr double kWait_s = 1.5;

}  // namespace

std::optional<Failure> overflowing_index(CalleeSetup setup) {
  setup.repeated = kShape;
  for (auto* room : {&setup.matrices.a, &setup.matrices.b, &setup.matrices.c})
    *room = std::make_shared<Room>(kWindowBytes);
  CalleeProcess process(setup);
  if (process.ready(kStart_s).reply.said != Said::kReady || process.load(kStart_s).reply.said != Said::kLoaded)
    return {};
  const CallEnd end = process.ask(call_at(kShape), kWait_s);
  auto failure = failure_of(end, Phase::kChecking, kShape, kWait_s, "");
  const bool outside = end.reply.said == Said::kFault && end.reply.matrix >= 0;
  if (!failure || failure->verdict != Judged::kOutOfBounds || !outside) return {};
  failure->explanation =
      fmt::format("An index overflows where a matrix has more than 2³¹ elements: {}", failure->explanation);
  failure->hint =
      "row * N + col is computed in int, although M·N, N·K or M·K can pass 2³¹: make one factor 64 bits wide, "
      "(long)row * N + col, or let the loops run over long or std::size_t.";
  return failure;
}

}  // namespace gemmlab::submissions
