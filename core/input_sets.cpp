#include "core/input_sets.h"

#include <algorithm>
#include <cstring>

namespace gemmlab {
namespace {

constexpr std::int64_t kPadElements = 64;
constexpr std::int64_t kTimesTheCache = 4;
constexpr std::int64_t kStagingElements =
    16 << 20;  // sets are made on the host and sent in pieces of about this size

}  // namespace

std::int64_t padded(std::int64_t count) {
  return (count + kPadElements - 1) / kPadElements * kPadElements;
}

std::int64_t sets_needed(const Shape& shape, std::int64_t cache_bytes, bool cold) {
  if (!cold) return 1;
  const std::int64_t elements = padded(shape.a_count()) + padded(shape.b_count()) + padded(shape.c_count());
  return kTimesTheCache * cache_bytes / (elements * static_cast<std::int64_t>(sizeof(float))) + 2;
}

InputSets::InputSets(Backend& backend, const Shape& shape, Distribution distribution, std::uint64_t seed,
                     std::int64_t count)
    : backend_(backend),
      contents_{shape, distribution, seed},
      count_(count),
      pools_(
          count * padded(shape.a_count()), count * padded(shape.b_count()), count * padded(shape.c_count()),
          [&](std::int64_t elements) { return backend.allocate(elements); },
          [&backend](float* taken) { backend.release(taken); }) {
  const std::int64_t largest = std::max(padded(shape.a_count()), padded(shape.b_count()));
  const std::int64_t piece = std::max<std::int64_t>(1, kStagingElements / largest);
  for (std::int64_t first = 0; first < count; first += piece)
    fill_sets(first, std::min(piece, count - first));
  poison_all();  // so that C's pages are placed before anything is timed
}

void InputSets::fill_sets(std::int64_t first, std::int64_t count) {
  const std::int64_t a_stride = padded(contents_.shape.a_count());
  const std::int64_t b_stride = padded(contents_.shape.b_count());
  AlignedArray<float> staging(count * std::max(a_stride, b_stride));
  std::memset(staging.data(), 0, static_cast<std::size_t>(staging.count()) * sizeof(float));
  for (std::int64_t s = 0; s < count; ++s) contents_.fill_a(staging.data() + s * a_stride, first + s);
  backend_.upload(pools_.a() + first * a_stride, staging.data(), count * a_stride);
  // B is the same in every set: made once, and copied.
  contents_.fill_b(staging.data());
  for (std::int64_t s = 1; s < count; ++s) {
    std::memcpy(staging.data() + s * b_stride, staging.data(),
                static_cast<std::size_t>(b_stride) * sizeof(float));
  }
  backend_.upload(pools_.b() + first * b_stride, staging.data(), count * b_stride);
}

void InputSets::poison_all() {
  backend_.poison(pools_.c(), count_ * padded(contents_.shape.c_count()));
}

void InputSets::restore(std::int64_t set) {
  fill_sets(set, 1);
}

}  // namespace gemmlab
