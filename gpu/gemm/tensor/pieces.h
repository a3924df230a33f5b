#pragma once

// Of split_digits.cu: operands as rows along K, how a thread's share of them is read, and what is seen in it.

#include <cuda_runtime.h>

#include <cstdint>

#include "gpu/gemm/tensor/digits.h"
#include "gpu/gemm/tensor/load.h"
#include "gpu/gemm/tensor/stages.h"

namespace gemmlab::gpu::parts::pieces {

constexpr int kThreads = 256;
constexpr int kWarps = kThreads / kWarp;
constexpr int kDepth = kSegmentOfDigits;  // of K, that a warp reads of one row at once
constexpr int kVectors = 8;               // a thread's share
constexpr unsigned kWholeWarp = 0xffffffffu;
static_assert(kDepth == kWarp * kVector, "a lane reads one vector");

/// An operand as rows along K: rows of op(A), columns of op(B).
struct Rows {
  const float* matrix;
  int stride;  ///< floats from one stored row to the next
  int rows;
  int K;
  int pitch;    ///< bytes of a row of digits
  bool turned;  ///< stored as (K, rows)
  int* scales;
  float* largest;  ///< of a turned operand (chunks, rows): the largest magnitude in each chunk of K
  float* totals;   ///< likewise: the sum of magnitudes
  std::uint8_t* digits;

  /// K in chunks, each of which a block scans: at most kMostChunks, of whole kSteps of K.
  __host__ __device__ int chunk() const {
    constexpr int kStep = 64;
    return (K + kMostChunks * kStep - 1) / (kMostChunks * kStep) * kStep;
  }
  __host__ __device__ int chunks() const { return (K + chunk() - 1) / chunk(); }
};

using Share = float4[kVectors];

/// What magnitudes come to: the largest, without NaN, and the sum, which is NaN where one is.
struct Sizes {
  float largest = 0;
  float total = 0;

  __device__ void take(float value) {
    largest = fmaxf(largest, fabsf(value));
    total += fabsf(value);
  }
  __device__ void take(float4 four) {
    take(four.x);
    take(four.y);
    take(four.z);
    take(four.w);
  }
  __device__ void join(const Sizes& other) {
    largest = fmaxf(largest, other.largest);
    total += other.total;
  }
  __device__ bool finite() const { return largest <= kMostFloat && total == total; }

  static constexpr float kMostFloat = 3.402823466e38f;
};

__device__ inline Sizes sizes_of_warp(Sizes sizes) {
#pragma unroll
  for (int step = kWarp / 2; step > 0; step /= 2) {
    sizes.join({__shfl_xor_sync(kWholeWarp, sizes.largest, step),
                __shfl_xor_sync(kWholeWarp, sizes.total, step)});
  }
  return sizes;
}

__device__ inline unsigned sum_of_warp(unsigned value) {
#if __CUDA_ARCH__ >= 800
  return __reduce_add_sync(kWholeWarp, value);
#else
  for (int step = kWarp / 2; step > 0; step /= 2) value += __shfl_xor_sync(kWholeWarp, value, step);
  return value;
#endif
}

/// What a block has seen of an operand, in shared memory.
struct Seen {
  unsigned not_finite;
  unsigned beyond_half;
  unsigned beyond_bfloat;
  unsigned most_small;       // of kDepth, as digits
  unsigned most_small_half;  // and as FP16 pairs
  unsigned lack_of_size;     // findings.h
};

/// To the findings, by one thread.
__device__ inline void tell(const Seen& seen, Findings& found, Operand which) {
  if (seen.most_small > 0) atomicMax(&found.small_digits[which], seen.most_small);
  if (seen.most_small_half > 0)
    atomicMax(&found.small_share[which], (seen.most_small_half * 1000 + kDepth - 1) / kDepth);
  if (seen.lack_of_size > 0) atomicMax(&found.lack_of_size[which], seen.lack_of_size);
  if (seen.not_finite) found.not_finite = 1;  // whoever writes, writes the same
  if (seen.beyond_half) found.beyond_half[which] = 1;
  if (seen.beyond_bfloat) found.beyond_bfloat = 1;
}

/// The scale of a row of K elements by their magnitudes, and what these say of it, by one thread of the block.
__device__ inline int judge_row(const Sizes& sizes, int K, Seen& seen) {
  if (!sizes.finite()) atomicOr(&seen.not_finite, 1u);
  if (sizes.largest == 0) return 0;
  const int scale = scale_of_digits(__float_as_uint(sizes.largest));
  // a sum that overflows says nothing of its mean
  const float mean =
      sizes.total <= Sizes::kMostFloat ? scaled(sizes.total, scale) / static_cast<float>(K) : 0.0f;
  atomicMax(&seen.lack_of_size, static_cast<unsigned>(fmaxf(kWholeSize - mean, 0)));
  return scale;
}

// An FP16 pair's scale is 2⁷ or 2⁸ less than that of digits: these bounds are those of findings.h or stricter.
constexpr float kSmallHalf = 1 << 16;
constexpr float kHeldByHalf = 64;
constexpr float kHeldByBfloat = kLeastBfloat * 256;
constexpr unsigned kOneSmallHalf = 1u << 8;  // counts of both kinds of small elements in one

/// Four elements along K of a row, times 2^scale, to their digits at `to`, whose planes lie `plane` bytes
/// apart, if that is inside (`store`). Answers how many are small; `least` becomes the least magnitude met.
__device__ inline unsigned split_four(float4 values, int scale, std::uint8_t* to, std::int64_t plane,
                                      bool store, float& least) {
  float four[] = {values.x, values.y, values.z, values.w};
  if (scale > 127) {
#pragma unroll
    for (float& value : four) value *= power_of_two(64);
    scale -= 64;
  }
  const float factor = power_of_two(scale);
  std::uint32_t digits[kVector];
  unsigned small = 0;
#pragma unroll
  for (int i = 0; i < kVector; ++i) {
    const float whole = four[i] * factor;
    digits[i] = static_cast<std::uint32_t>(__float2int_rn(whole) + 0x808080);
    if (fabsf(whole) < kSmallDigits) ++small;
    if (fabsf(whole) < kSmallHalf) small += kOneSmallHalf;
    least = fminf(least, fabsf(whole));
  }
  if (store) {
    const std::uint32_t low_01 = __byte_perm(digits[0], digits[1], 0x5140);
    const std::uint32_t low_23 = __byte_perm(digits[2], digits[3], 0x5140);
    const std::uint32_t high_01 = __byte_perm(digits[0], digits[1], 0x0062);
    const std::uint32_t high_23 = __byte_perm(digits[2], digits[3], 0x0062);
    const std::uint32_t of_digit[kDigits] = {__byte_perm(high_01, high_23, 0x5410),
                                             __byte_perm(low_01, low_23, 0x7632),
                                             __byte_perm(low_01, low_23, 0x5410)};
#pragma unroll
    for (int digit = 0; digit < kDigits; ++digit)
      *reinterpret_cast<std::uint32_t*>(to + digit * plane) = of_digit[digit] ^ 0x80808080u;
  }
  return small;
}

/// Where the least of a thread's scaled magnitudes is below what FP16 pairs hold, zeros apart: is it so of
/// elements that are not zero, and below what BF16 triples hold?
__device__ inline void look_at_small(float4 values, int scale, Seen& seen) {
  const float four[] = {values.x, values.y, values.z, values.w};
#pragma unroll
  for (int i = 0; i < kVector; ++i) {
    const float whole = fabsf(scaled(four[i], scale));
    if (four[i] == 0 || whole >= kHeldByHalf) continue;
    atomicOr(&seen.beyond_half, 1u);
    if (!(whole >= kHeldByBfloat)) atomicOr(&seen.beyond_bfloat, 1u);
  }
}

}  // namespace gemmlab::gpu::parts::pieces
