#include "submissions/judge/checking/long_indices.h"

#include <fmt/format.h>

#include <algorithm>

#include "submissions/judge/checking/emulation.h"
#include "submissions/judge/inputs/shapes.h"

namespace gemmlab::submissions {
namespace {

// Most orders of loops come to the last row of B, whose index overflows, at once.
const Shape kShape = {1, 1'100'000'000, 3};  // rows, columns, inner
constexpr std::int64_t kWindowBytes = std::int64_t{2} << 20;
constexpr double kWait_s = 1.5;

// Each has one matrix of over 2^31 elements, and grids of tiles of 16 that a card takes.
const Shape kEmulatedShapes[] = {{1, 1'000'000, 2200}, {1'000'000, 1, 2200}, {46'342, 46'342, 1}};
constexpr std::int64_t kCardBytes = std::int64_t{40} << 30;
constexpr double kEmulated_s = 3, kEmulatedWait_s = 20;

void explain(Failure& failure) {
  failure.explanation =
      fmt::format("An index overflows where a matrix has more than 2³¹ elements: {}", failure.explanation);
  failure.hint =
      "row * N + col is computed in int, although M·N, N·K or M·K can pass 2³¹: make one factor 64 bits "
      "wide, "
      "(long)row * N + col, or let the loops run over long or std::size_t.";
}

}  // namespace

std::optional<Failure> overflowing_index_emulated(CalleeSetup setup) {
  setup.emulated_bytes = kCardBytes;
  setup.emulated_s = kEmulated_s;
  EmulatorReports reports(setup);
  setup.report_fd = reports.fd();
  setup.matrices = Matrices::for_shapes({{1, 1, 1}}, setup.solve.types);
  setup.writable_inputs = true;
  CalleeProcess process(setup);
  if (process.ready(kStart_s).reply.said != Said::kReady ||
      process.load(kStart_s).reply.said != Said::kLoaded)
    return {};
  for (const Shape& shape : kEmulatedShapes) {
    Request request = call_at(shape);
    request.sparse = 1;
    const CallEnd end = process.ask(request, kEmulatedWait_s);
    if (end.reply.reported == 0) {
      if (!process.alive() || end.reply.said != Said::kReturned) return {};
      continue;
    }
    const std::vector<KernelFinding> found = reports.findings(shape);
    const auto of_kind = [&](const char* kind) {
      return std::find_if(found.begin(), found.end(),
                          [&](const KernelFinding& one) { return one.kind == kind; });
    };
    const auto outside = std::min(of_kind("out-of-bounds"), of_kind("illegal-address"));
    if (outside != found.end() && of_kind("out-of-memory") == found.end()) {
      auto failure = failure_of(*outside);
      if (failure) explain(*failure);
      return failure;
    }
    if (!process.alive() || end.reply.said != Said::kReturned) return {};
  }
  return {};
}

std::optional<Failure> overflowing_index(CalleeSetup setup) {
  setup.repeated = kShape;
  const GemmTypes& types = setup.solve.types;
  setup.matrices.a = std::make_shared<Room>(kWindowBytes, types.type);
  setup.matrices.b = std::make_shared<Room>(kWindowBytes, types.type);
  setup.matrices.c = std::make_shared<Room>(kWindowBytes, types.result);
  CalleeProcess process(setup);
  if (process.ready(kStart_s).reply.said != Said::kReady ||
      process.load(kStart_s).reply.said != Said::kLoaded)
    return {};
  const CallEnd end = process.ask(call_at(kShape), kWait_s);
  auto failure = failure_of(end, Phase::kChecking, kShape, kWait_s, "");
  const bool outside = end.reply.said == Said::kFault && end.reply.matrix >= 0;
  if (!failure || failure->verdict != Judged::kOutOfBounds || !outside) return {};
  explain(*failure);
  return failure;
}

}  // namespace gemmlab::submissions
