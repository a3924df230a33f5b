#pragma once

// Of first_split.cu: operands as rows along K, what is seen in them, and how they become digits or FP16 pairs.

#include <cuda_fp16.h>
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
  int pitch;    ///< bytes of a row of a part
  bool turned;  ///< stored as (K, rows)
  int* scales;
  unsigned* largest;     ///< bits of the largest magnitude of each row
  float* chunk_largest;  ///< of a turned operand (chunks, rows): the largest magnitude in each chunk of K
  float* chunk_totals;   ///< likewise: the sum of magnitudes
  std::uint8_t* parts;

  std::int64_t plane;  ///< bytes from one part of the operand to the next: of all products' rows
  int below_digits;    ///< by how much their power of two is less than that of digits

  int chunk;   ///< of K in chunks, each of which a block scans: chunk_of()
  int chunks;  ///< at most kMostChunks
};

/// Of an operand given as the first product's of a batch: a later one's, whose matrix begins `apart` floats further on for
/// each product.
__device__ inline Rows of_product(Rows operand, int product, std::int64_t apart) {
  const std::int64_t rows = static_cast<std::int64_t>(product) * operand.rows;
  operand.matrix += product * apart;
  operand.scales += rows;
  operand.largest += rows;
  operand.chunk_largest += rows * kMostChunks;
  operand.chunk_totals += rows * kMostChunks;
  operand.parts += rows * operand.pitch;
  return operand;
}

/// The length of a chunk of K: of whole kSteps.
inline int chunk_of(int K) {
  constexpr int kStep = 64;
  return (K + kMostChunks * kStep - 1) / (kMostChunks * kStep) * kStep;
}

/// What magnitudes come to: the largest, without NaN, and the sum, which is NaN where one is.
struct Sizes {
  float largest = 0;
  float total = 0;

  __device__ void take(float value) {
    largest = fmaxf(largest, fabsf(value));
    total += fabsf(value);
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
    sizes.join(
        {__shfl_xor_sync(kWholeWarp, sizes.largest, step), __shfl_xor_sync(kWholeWarp, sizes.total, step)});
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
  unsigned lossy;  // as FP16 pairs
  unsigned beyond_bfloat;
  unsigned most_small;       // of kDepth, as digits
  unsigned most_small_half;  // and as FP16 pairs
  unsigned lack_of_size;     // operand_scan.h
};

/// To the findings, by one thread.
__device__ inline void tell(const Seen& seen, Findings& found, Operand which) {
  if (seen.most_small > 0) atomicMax(&found.small_digits[which], seen.most_small);
  if (seen.most_small_half > 0)
    atomicMax(&found.small_share[which], (seen.most_small_half * 1000 + kDepth - 1) / kDepth);
  if (seen.lack_of_size > 0) atomicMax(&found.lack_of_size[which], seen.lack_of_size);
  if (seen.not_finite) atomicMax(&found.not_finite, 1u);
  if (seen.lossy > 0) atomicAdd(&found.lossy[which], told(seen.lossy));
  if (seen.beyond_bfloat) atomicMax(&found.beyond_bfloat, 1u);
}

/// Writes down a row's scale and largest magnitude, and what its magnitudes say of it, by one thread.
__device__ inline void judge_row(const Rows& operand, int row, const Sizes& sizes, Seen& seen) {
  const unsigned bits = __float_as_uint(sizes.largest);
  const int scale = scale_of_digits(bits);
  operand.scales[row] = scale - operand.below_digits;
  operand.largest[row] = bits;
  if (!sizes.finite()) atomicOr(&seen.not_finite, 1u);
  if (sizes.largest == 0) return;
  // a sum that overflows says nothing of its mean
  const float mean =
      sizes.total <= Sizes::kMostFloat ? scaled(sizes.total, scale) / static_cast<float>(operand.K) : 0.0f;
  atomicMax(&seen.lack_of_size, static_cast<unsigned>(fmaxf(kWholeSize - mean, 0)));
}

// The scale of FP16 pairs is at most 2⁸ less than that of digits: these bounds are those of operand_scan.h or stricter.
constexpr float kHeldByHalf = kLossy * 256;
constexpr float kHeldByBfloat = kLeastBfloat * 256;
// First digits of so small a magnitude, or one more where negative, are small: of elements under kSmallDigits all are. An
// element whose first two digits are zero, so that it is under 2⁷, is small as an FP16 pair.
constexpr unsigned kSmallDigit = 8;
static_assert(kSmallDigit << 16 == kSmallDigits, "the first digit of the least that is not small, at most");
static_assert(kSmall * 256 == 128, "what the last digit alone holds");

constexpr int kLargeScale = 127;  // beyond it a scale is no float

/// What a thread has counted and met of a row's elements.
struct Looked {
  unsigned small = 0;  // a hundred-and-twenty-eighth of it are small as digits
  unsigned small_half = 0;
  unsigned least = ~0u;  // magnitude, not zero: size_of()
};

/// Orders magnitudes, zero behind all others.
__device__ inline unsigned size_of(float value) {
  return 2 * __float_as_uint(value) - 1;
}

/// Elements that are less lose bits as FP16 pairs, of a row with that scale.
__device__ inline unsigned lossy_below(int scale) {
  return size_of(scaled(kHeldByHalf, -scale));
}

/// Four elements along K, times `factor`, to their digits: word d has the d-th digit of each.
__device__ inline void to_digits(const float (&four)[kVector], float factor, unsigned (&words)[kDigits],
                                 Looked& looked) {
  std::uint32_t digits[kVector];
#pragma unroll
  for (int i = 0; i < kVector; ++i) {
    const float whole = four[i] * factor;
    digits[i] = static_cast<std::uint32_t>(__float2int_rn(whole) + 0x808080);
    looked.least = min(looked.least, size_of(four[i]));
  }
  const std::uint32_t low_01 = __byte_perm(digits[0], digits[1], 0x5140);
  const std::uint32_t low_23 = __byte_perm(digits[2], digits[3], 0x5140);
  const std::uint32_t high_01 = __byte_perm(digits[0], digits[1], 0x0062);
  const std::uint32_t high_23 = __byte_perm(digits[2], digits[3], 0x0062);
  words[0] = __byte_perm(high_01, high_23, 0x5410) ^ 0x80808080u;
  words[1] = __byte_perm(low_01, low_23, 0x7632) ^ 0x80808080u;
  words[2] = __byte_perm(low_01, low_23, 0x5410) ^ 0x80808080u;
  // first digits' magnitudes, one less where negative; a byte's highest bit tells that a sum reaches 128
  constexpr unsigned kEach = 0x01010101u;
  const unsigned sizes = words[0] ^ (words[0] >> 7 & kEach) * 0xff;
  looked.small = __dp4a(~(sizes + (127 - kSmallDigit) * kEach) & 0x80808080u, kEach, looked.small);
  const unsigned leading = words[0] | words[1];  // a byte's highest bit stays where all of it is zero
  looked.small_half =
      __dp4a(~(((leading & 0x7f7f7f7fu) + 0x7f7f7f7fu) | leading) & 0x80808080u, kEach, looked.small_half);
}

/// Elements as digits, a byte each.
struct AsDigits {
  static constexpr int kParts = kDigits;
  static constexpr int kBytes = 1;  // of an element in a part
  using Four = std::uint32_t;       // elements of a part

  __device__ static void split(const float (&four)[kVector], float factor, Four (&parts)[kParts],
                               Looked& looked) {
    to_digits(four, factor, parts, looked);
  }
};

/// Elements as FP16 pairs (operand_scan.h), their power of two kBelowDigits less than that of digits.
struct AsPairs {
  static constexpr int kParts = 2;
  static constexpr int kBytes = 2;
  using Four = uint2;
  static constexpr int kBelowDigits = 8;

  __device__ static void split(const float (&four)[kVector], float factor, Four (&parts)[kParts],
                               Looked& looked) {
    __half2 high[2];
    __half2 low[2];
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      const float left = four[2 * i] * factor;
      const float right = four[2 * i + 1] * factor;
      looked.least = min(looked.least, min(size_of(four[2 * i]), size_of(four[2 * i + 1])));
      looked.small_half += (fabsf(left) < 256 * kSmall ? 128 : 0) + (fabsf(right) < 256 * kSmall ? 128 : 0);
      constexpr float kBelow = 1.0f / (1 << kBelowDigits);
      high[i] = __floats2half2_rn(left * kBelow, right * kBelow);
      const float2 kept = __half22float2(high[i]);
      low[i] =
          __floats2half2_rn((left * kBelow - kept.x) * kRaisedLow, (right * kBelow - kept.y) * kRaisedLow);
    }
    parts[0] = make_uint2(bits_of(high[0]), bits_of(high[1]));
    parts[1] = make_uint2(bits_of(low[0]), bits_of(low[1]));
  }

 private:
  __device__ static unsigned bits_of(__half2 pair) {
    return __half_as_ushort(__low2half(pair)) | static_cast<unsigned>(__half_as_ushort(__high2half(pair)))
                                                    << 16;
  }
};

/// What elements are that lie below what FP16 pairs hold, zeros apart.
struct Small {
  unsigned lossy = 0;
  bool beyond_bfloat = false;

  /// For where the least of a thread's scaled magnitudes is so small.
  __device__ void look_at(float value, int scale) {
    const float whole = fabsf(scaled(value, scale));
    if (value == 0) return;
    lossy += !(whole >= kHeldByHalf);
    beyond_bfloat |= !(whole >= kHeldByBfloat);
  }
  __device__ void tell(Seen& seen) const {
    if (lossy > 0) atomicAdd(&seen.lossy, lossy);
    if (beyond_bfloat) seen.beyond_bfloat = 1;  // whoever writes, writes the same
  }
};

}  // namespace gemmlab::gpu::parts::pieces
