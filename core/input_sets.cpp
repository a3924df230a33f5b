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
    : backend_(backend), shape_(shape), distribution_(distribution), seed_(seed), count_(count) {
  try {
    a_ = backend_.allocate(count * padded(shape.a_count()));
    b_ = backend_.allocate(count * padded(shape.b_count()));
    c_ = backend_.allocate(count * padded(shape.c_count()));
    const std::int64_t largest = std::max(padded(shape.a_count()), padded(shape.b_count()));
    const std::int64_t piece = std::max<std::int64_t>(1, kStagingElements / largest);
    for (std::int64_t first = 0; first < count; first += piece)
      fill_sets(first, std::min(piece, count - first));
  } catch (...) {
    release();
    throw;
  }
  poison_all();  // so that C's pages are placed before anything is timed
}

InputSets::~InputSets() {
  release();
}

void InputSets::release() {
  for (float* memory : {a_, b_, c_}) {
    if (memory == nullptr) continue;
    try {
      backend_.release(memory);
    } catch (const std::exception&) {
      // the device is lost, and its process about to be replaced: what was computed has said so already
    }
  }
}

void InputSets::fill_sets(std::int64_t first, std::int64_t count) {
  const std::int32_t limit = integer_limit(shape_.k);
  const std::int64_t a_stride = padded(shape_.a_count());
  const std::int64_t b_stride = padded(shape_.b_count());
  AlignedArray<float> staging(count * std::max(a_stride, b_stride));
  std::memset(staging.data(), 0, static_cast<std::size_t>(staging.count()) * sizeof(float));
  for (std::int64_t s = 0; s < count; ++s) {
    fill(staging.data() + s * a_stride, shape_.m, shape_.k, distribution_, seed_, Operand::kA,
         rotation(first + s), limit);
  }
  backend_.upload(a_ + first * a_stride, staging.data(), count * a_stride);
  // B is the same in every set: made once, and copied.
  fill(staging.data(), shape_.k, shape_.n, distribution_, seed_, Operand::kB, 0, limit);
  for (std::int64_t s = 1; s < count; ++s) {
    std::memcpy(staging.data() + s * b_stride, staging.data(),
                static_cast<std::size_t>(b_stride) * sizeof(float));
  }
  backend_.upload(b_ + first * b_stride, staging.data(), count * b_stride);
}

void InputSets::poison_all() {
  backend_.poison(c_, count_ * padded(shape_.c_count()));
}

void InputSets::restore(std::int64_t set) {
  fill_sets(set, 1);
}

}  // namespace gemmlab
