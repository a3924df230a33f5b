#include "core/input_sets.h"

#include <algorithm>

namespace gemmlab {

std::int64_t sets_needed(const Shape& shape, std::int64_t cache_bytes, bool cold) {
  if (!cold) return 1;
  const auto set_bytes = static_cast<std::int64_t>(shape.least_bytes());
  return cache_bytes / std::max<std::int64_t>(set_bytes, 1) + 2;
}

InputSets::InputSets(Backend& backend, const Shape& shape, Distribution distribution, std::uint64_t seed,
                     std::int64_t count)
    : backend_(backend), shape_(shape), distribution_(distribution), seed_(seed), sets_(count) {
  try {
    for (Set& set : sets_) {
      set.a = backend_.allocate(shape_.a_count());
      set.b = backend_.allocate(shape_.b_count());
      set.c = backend_.allocate(shape_.c_count());
    }
  } catch (...) {
    release();
    throw;
  }
  // B is the same in every set: made once here, and copied.
  AlignedArray<float> a(shape_.a_count());
  AlignedArray<float> b(shape_.b_count());
  const std::int32_t limit = integer_limit(shape_.k);
  fill(b.data(), shape_.k, shape_.n, distribution_, seed_, Operand::kB, 0, limit);
  for (std::int64_t s = 0; s < this->count(); ++s) {
    fill(a.data(), shape_.m, shape_.k, distribution_, seed_, Operand::kA, rotation(s), limit);
    backend_.upload(sets_[s].a, a.data(), a.count());
    backend_.upload(sets_[s].b, b.data(), b.count());
  }
}

InputSets::~InputSets() { release(); }

void InputSets::release() {
  for (Set& set : sets_) {
    for (float* memory : {set.a, set.b, set.c}) {
      if (memory != nullptr) backend_.release(memory);
    }
    set = Set{};
  }
}

void InputSets::poison_all() {
  for (const Set& set : sets_) backend_.poison(set.c, shape_.c_count());
}

void InputSets::restore(std::int64_t set) {
  const std::int32_t limit = integer_limit(shape_.k);
  AlignedArray<float> values(std::max(shape_.a_count(), shape_.b_count()));
  fill(values.data(), shape_.m, shape_.k, distribution_, seed_, Operand::kA, rotation(set), limit);
  backend_.upload(sets_[set].a, values.data(), shape_.a_count());
  fill(values.data(), shape_.k, shape_.n, distribution_, seed_, Operand::kB, 0, limit);
  backend_.upload(sets_[set].b, values.data(), shape_.b_count());
}

}  // namespace gemmlab
