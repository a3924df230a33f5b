#pragma once

// What pools of input sets share, wherever their memory lies: how it is taken and given back, and what the
// sets hold.

#include <cstdint>
#include <functional>

#include "core/gemm/shape.h"
#include "core/inputs.h"

namespace gemmlab {

/// One piece of memory for all A, one for all B and one for all C. Throws what `take` throws, having given
/// back what it took.
class SetPools {
 public:
  using Take = std::function<float*(std::int64_t count)>;
  using GiveBack = std::function<void(float* memory)>;
  SetPools(std::int64_t a_count, std::int64_t b_count, std::int64_t c_count, const Take& take,
           GiveBack give_back);
  ~SetPools();
  SetPools(const SetPools&) = delete;
  SetPools& operator=(const SetPools&) = delete;

  float* a() const { return a_; }
  float* b() const { return b_; }
  float* c() const { return c_; }

 private:
  void release();

  GiveBack give_back_;
  float* a_ = nullptr;
  float* b_ = nullptr;
  float* c_ = nullptr;
};

/// A and B of each set: set s is the base with A's rows rotated by s, so that one reference serves all; B is
/// the same in every set.
struct SetContents {
  Shape shape;
  Distribution distribution;
  std::uint64_t seed;

  std::int64_t rotation(std::int64_t set) const { return set % shape.m; }
  void fill_a(float* host_to, std::int64_t set) const;
  void fill_b(float* host_to) const;
};

}  // namespace gemmlab
