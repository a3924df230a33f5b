#include "submissions/judge/inputs/timed_inputs.h"

#include <algorithm>

#include "submissions/seal.h"

namespace gemmlab::submissions {
namespace {

constexpr std::int64_t kPiece = 4096;  ///< elements that a thread makes at a time
constexpr std::int64_t kBlock = 16;    ///< elements of a block of the stream
/// Below, a thread of ours is as fast as all of them, and leaves none that looks for more.
constexpr std::int64_t kOneThread = 1 << 18;

}  // namespace

void fill_uniform(float* values, std::int64_t count, const Secret& secret, const Secret::Nonce& nonce) {
#pragma omp parallel for schedule(static) if (count > kOneThread)
  for (std::int64_t first = 0; first < count; first += kPiece) {
    std::uint32_t words[kPiece];
    const std::int64_t width = std::min(kPiece, count - first);
    secret.stream(words, static_cast<std::size_t>(width), nonce, static_cast<std::uint32_t>(first / kBlock));
    for (std::int64_t i = 0; i < width; ++i) values[first + i] = uniform_element(words[i]);
  }
}

bool TimedInputs::fill(Matrices& matrices, std::int64_t call) {
  if (now_ == call) return false;
  now_ = call;
  float* a = matrices.a->at(0);
  float* b = matrices.b->at(0);
  fill_uniform(a, shape_.a_count(), secret_, {2 * stream_, static_cast<std::uint32_t>(call), 0});
  fill_uniform(b, shape_.b_count(), secret_, {2 * stream_ + 1, static_cast<std::uint32_t>(call), 0});
  if (!known(call)) {
    const std::uint64_t number = (std::uint64_t{stream_} << 32) | static_cast<std::uint32_t>(call);
    keep(call, TimedAnswer(shape_, a, b, secret_, number, product_));
  }
  return true;
}

}  // namespace gemmlab::submissions
