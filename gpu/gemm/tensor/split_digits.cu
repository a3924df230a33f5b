// Writes scaled op(A) and op(B) as integers of three digits (digits.h), rows along K, in one kernel: the scan
// for the largest magnitude of a row runs ahead of the split by so little that the split finds the data in the
// second-level cache. Blocks draw tickets. Ticket t scans piece t and splits piece t - lag, which needs all
// pieces of its rows scanned: their tickets were drawn before, by blocks that run, so every wait ends.
// Between the two a block waits for memory as seldom as it can: it asks whether the rows are scanned while its
// own scan is on the way, and tells of its scan while what it splits is. The split also finds what decides
// which arithmetic holds.

#include <algorithm>

#include "gpu/check.h"
#include "gpu/gemm/tensor/digits.h"
#include "gpu/gemm/tensor/pieces.h"
#include "gpu/gemm/tensor/stages.h"
#include "gpu/stream.h"

namespace gemmlab::gpu::parts {
namespace {

using namespace pieces;

constexpr int kBlocksAtOnce = 4;  // of a multiprocessor
constexpr int kShift = 15;        // of sums of magnitudes, so that 32 bits hold them
constexpr unsigned kInfinityBits = 0x7f800000u;

/// What a block has seen of an operand, in shared memory.
struct Seen {
  unsigned not_finite;
  unsigned beyond_half;
  unsigned beyond_bfloat;
  unsigned most_small;       // of kDepth, as digits
  unsigned most_small_half;  // and as FP16 pairs
};

// Three sums in one, over a row of a piece: of elements small as digits in the low eight bits, of those small
// as FP16 pairs in the next, and above them of magnitudes.
constexpr unsigned kOneSmallHalf = 1u << 8;
constexpr int kSizeBits = 16;
constexpr int kShiftWithin = 14;  // 2¹⁴ of magnitude count as one
// An FP16 pair's scale is 2⁷ or 2⁸ less than that of digits: these bounds are those of findings.h or stricter.
constexpr unsigned kSmallHalf = 1u << 16;
constexpr unsigned kHeldByHalf = 64;
constexpr float kHeldByBfloat = kLeastBfloat * 256;

constexpr int kNoScale = 1 << 16;  // of a row of zeros

/// The scales of a piece's rows, read once: every read of them waits for the second-level cache.
__device__ void fetch_scales(int (&scales)[kRows], const Rows& operand, const Piece& piece, Seen& seen) {
  const int row = piece.row0 + threadIdx.x;
  if (threadIdx.x >= kRows) return;
  const unsigned largest = row < operand.rows ? __ldcg(&operand.largest[row]) : 0;
  if (largest >= kInfinityBits) atomicOr(&seen.not_finite, 1u);
  const int exponent = scale_of_digits(largest);
  scales[threadIdx.x] = largest == 0 ? kNoScale : exponent;
  if (piece.k0 == 0 && row < operand.rows) operand.scales[row] = exponent;
}

/// Four elements along K of a row, scaled by 2^scale, to their digits, and what they add to the sums.
__device__ unsigned split_four(const Rows& operand, int row, int k, const float4& values, int scale,
                               Seen& seen) {
  const int exponent = scale == kNoScale ? 0 : scale;
  const float first = power_of_two(exponent / 2);
  const float second = power_of_two(exponent - exponent / 2);
  const float four[] = {values.x, values.y, values.z, values.w};
  std::uint32_t digits[kVector];
  unsigned size = 0;
  unsigned small = 0;
#pragma unroll
  for (int i = 0; i < kVector; ++i) {
    const float whole = four[i] * first * second;
    const int x = __float2int_rn(whole);
    const unsigned x_size = static_cast<unsigned>(abs(x));
    size += x_size;
    small += (x_size < kSmallDigits ? 1 : 0) + (x_size < kSmallHalf ? kOneSmallHalf : 0);
    if (x_size < kHeldByHalf && four[i] != 0) {
      atomicOr(&seen.beyond_half, 1u);
      if (!(fabsf(whole) >= kHeldByBfloat)) atomicOr(&seen.beyond_bfloat, 1u);
    }
    digits[i] = digits_of(x);
  }
  if (row < operand.rows && k < operand.pitch) {
    const std::uint32_t low_01 = __byte_perm(digits[0], digits[1], 0x5140);
    const std::uint32_t low_23 = __byte_perm(digits[2], digits[3], 0x5140);
    const std::uint32_t high_01 = __byte_perm(digits[0], digits[1], 0x0062);
    const std::uint32_t high_23 = __byte_perm(digits[2], digits[3], 0x0062);
    const std::uint32_t of_digit[kDigits] = {__byte_perm(high_01, high_23, 0x5410),
                                             __byte_perm(low_01, low_23, 0x7632),
                                             __byte_perm(low_01, low_23, 0x5410)};
#pragma unroll
    for (int digit = 0; digit < kDigits; ++digit) {
      const std::int64_t line = static_cast<std::int64_t>(digit) * operand.rows + row;
      *reinterpret_cast<std::uint32_t*>(operand.digits + line * operand.pitch + k) = of_digit[digit];
    }
  }
  return scale == kNoScale ? 0 : (size >> kShiftWithin << kSizeBits) + small;
}

/// The sums of a row of a piece, by one of its lanes. A piece that is not whole counts no small elements: a
/// short one after whole ones adds little.
__device__ void note(const Rows& operand, const Piece& piece, int row, unsigned sums, Seen& seen) {
  if (row >= operand.rows) return;
  atomicAdd(&operand.sizes[row], sums >> kSizeBits >> (kShift - kShiftWithin));
  if (piece.k0 + kDepth > operand.K) return;
  atomicMax(&seen.most_small, sums & 0xff);
  atomicMax(&seen.most_small_half, sums >> 8 & 0xff);
}

__device__ void split_along(const Share& values, const Rows& A, const Piece& piece,
                            const int (&scales)[kRows], Seen& seen) {
#pragma unroll
  for (int i = 0; i < kVectors; ++i) {
    const int row = row_along(piece, i);
    const int k = piece.k0 + threadIdx.x % kWarp * kVector;
    const unsigned sums = sum_of_warp(split_four(A, row, k, values[i], scales[row - piece.row0], seen));
    if (threadIdx.x % kWarp == 0) note(A, piece, row, sums, seen);
  }
}

__device__ void split_turned(const Share& values, const Rows& B, const Piece& piece,
                             const int (&scales)[kRows], Seen& seen) {
  const int k = piece.k0 + threadIdx.x % kLanesAcross * kVector;
#pragma unroll
  for (int i = 0; i < kVectors; i += 2) {
    const int row = piece.row0 + i / 2 * kAtOnce + threadIdx.x / kLanesAcross;
    const int scale = scales[row - piece.row0];
    unsigned sums = split_four(B, row, k, values[i], scale, seen) +
                    split_four(B, row, k + kRows, values[i + 1], scale, seen);
    for (int step = kLanesAcross / 2; step > 0; step /= 2) sums += __shfl_xor_sync(kWholeWarp, sums, step);
    if (threadIdx.x % kLanesAcross == 0) note(B, piece, row, sums, seen);
  }
}

/// By one warp, behind a barrier of the block: the piece's maxima are known.
__device__ void tell(const Rows& operand, const Piece& piece, const unsigned (&of_column)[kRows]) {
  if (operand.turned) {
    for (int i = threadIdx.x % kWarp; i < kRows; i += kWarp) {
      if (piece.row0 + i < operand.rows) atomicMax(&operand.largest[piece.row0 + i], of_column[i]);
    }
  }
  __syncwarp();
  if (threadIdx.x % kWarp == 0) {
    __threadfence();
    atomicAdd(&operand.scanned[piece.strip], 1u);
  }
}

/// By one thread, before a barrier of the block.
__device__ void wait_until(const unsigned* done, int count) {
  const volatile unsigned* const now = done;
  while (*now < static_cast<unsigned>(count)) __nanosleep(40);
  __threadfence();
}

/// What the block has seen, to the findings, by one thread.
__device__ void tell_findings(const Seen& seen, Findings& found, Operand which) {
  atomicMax(&found.small_digits[which], seen.most_small);
  atomicMax(&found.small_share[which], (seen.most_small_half * 1000 + kDepth - 1) / kDepth);
  if (seen.not_finite) found.not_finite = 1;  // whoever writes, writes the same
  if (seen.beyond_half) found.beyond_half[which] = 1;
  if (seen.beyond_bfloat) found.beyond_bfloat = 1;
}

struct Operands {
  Rows rows[2];  // of A and of B

  __host__ __device__ int pieces() const { return rows[0].pieces() + rows[1].pieces(); }
};

/// B's pieces come first.
struct Place {
  Operand which;
  Piece piece;

  __device__ Place(const Operands& operands, int index) {
    const int pieces_b = operands.rows[kOperandB].pieces();
    which = index < pieces_b ? kOperandB : kOperandA;
    piece = piece_of(operands.rows[which], which == kOperandB ? index : index - pieces_b);
  }
};

/// The block that ends last knows the sums of all rows' magnitudes: the least mean of each operand.
__device__ void judge(const Operands& operands, Findings& found) {
  __shared__ bool last;
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();
    last = atomicAdd(&found.ended, 1u) + 1 == gridDim.x;
    __threadfence();
  }
  __syncthreads();
  if (!last) return;
  for (int which = kOperandA; which <= kOperandB; ++which) {
    const Rows& operand = operands.rows[which];
    const float terms = static_cast<float>(operand.K);
    float most = 0;
    for (int row = threadIdx.x; row < operand.rows; row += kThreads) {
      const float mean = static_cast<float>(__ldcg(&operand.sizes[row])) * (1 << kShift) / terms;
      if (__ldcg(&operand.largest[row]) != 0) most = fmaxf(most, kWholeSize - mean);
    }
    atomicMax(&found.lack_of_size[which], static_cast<unsigned>(most));
  }
}

__global__ void __launch_bounds__(kThreads, kBlocksAtOnce)
    digits_kernel(const __grid_constant__ Operands operands, Findings* findings, int lag) {
  __shared__ Tile tile;
  __shared__ unsigned of_column[2][kRows];
  __shared__ int tickets[2];
  __shared__ int scales[kRows];
  const int pieces = operands.pieces();
  __shared__ Seen seen[2];
  int turn_of = 0;
  if (threadIdx.x < 2) seen[threadIdx.x] = {};
  if (threadIdx.x < kRows) of_column[0][threadIdx.x] = 0;
  if (threadIdx.x == 0) tickets[0] = static_cast<int>(atomicAdd(&findings->ticket, 1u));
  __syncthreads();
  while (tickets[turn_of] < pieces + lag) {
    const int now = tickets[turn_of];
    const int late = now - lag;
    const Place ahead(operands, min(now, pieces - 1));
    const Rows& scanned = operands.rows[ahead.which];
    const Place behind(operands, max(late, 0));
    const Rows& operand = operands.rows[behind.which];
    Share values;
    if (now < pieces) {
      if (scanned.turned) {
        load_down(values, scanned, ahead.piece);
      } else {
        load_along(values, scanned, ahead.piece);
      }
    }
    if (threadIdx.x == 0) tickets[turn_of ^ 1] = static_cast<int>(atomicAdd(&findings->ticket, 1u));
    if (threadIdx.x == kWarp && late >= 0)
      wait_until(&operand.scanned[behind.piece.strip], operand.pieces_along());
    if (threadIdx.x < kRows) of_column[turn_of ^ 1][threadIdx.x] = 0;
    if (now < pieces) {
      if (scanned.turned) {
        scan_down(values, of_column[turn_of]);
      } else {
        scan_along(values, scanned, ahead.piece);
      }
    }
    __syncthreads();
    if (late >= 0) {
      if (operand.turned) {
        load_down(values, operand, behind.piece);
      } else {
        load_along(values, operand, behind.piece);
      }
    }
    if (late >= 0) fetch_scales(scales, operand, behind.piece, seen[behind.which]);
    if (now < pieces && threadIdx.x / kWarp == kWarps - 1) tell(scanned, ahead.piece, of_column[turn_of]);
    if (late >= 0) {
      if (operand.turned) to_tile(values, tile);
      __syncthreads();  // scales and tile are complete
      if (operand.turned) {
        from_tile(values, tile);
        split_turned(values, operand, behind.piece, scales, seen[behind.which]);
      } else {
        split_along(values, operand, behind.piece, scales, seen[behind.which]);
      }
    }
    turn_of ^= 1;
    __syncthreads();  // all have left the tile
  }
  if (threadIdx.x < 2) tell_findings(seen[threadIdx.x], *findings, static_cast<Operand>(threadIdx.x));
  judge(operands, *findings);
}

}  // namespace

void launch_digits(const Work& work) {
  unsigned* place = work.counts;
  const auto rows_of = [&](const float* matrix, int stride, int rows, bool turned, int first,
                           std::uint16_t* digits) {
    Rows operand{matrix,
                 stride,
                 rows,
                 work.K,
                 static_cast<int>(pitch_of_digits(work.K)),
                 turned,
                 work.largest + first,
                 work.scales + first,
                 nullptr,
                 nullptr,
                 reinterpret_cast<std::uint8_t*>(digits)};
    operand.sizes = place;
    operand.scanned = operand.sizes + rows;
    place = operand.scanned + operand.strips();
    return operand;
  };
  const Operands operands{{rows_of(work.a, work.lda, work.M, work.transpose_a, 0, work.parts_a),
                           rows_of(work.b, work.ldb, work.N, !work.transpose_b, work.M, work.parts_b)}};
  const int pieces = operands.pieces();
  const int blocks = std::min(pieces, kBlocksAtOnce * work.multiprocessors);
  const int lag = std::min(pieces, kGroup * operands.rows[kOperandA].pieces_along() + blocks);
  digits_kernel<<<blocks, kThreads, 0, current_stream()>>>(operands, work.findings, lag);
  GEMMLAB_CUDA_CHECK(cudaGetLastError());
}

}  // namespace gemmlab::gpu::parts
