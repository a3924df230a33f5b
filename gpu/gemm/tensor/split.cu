// Writes scaled op(A) and op(B) as parts in 16 bits: x·2^s = hi + lo·2⁻¹² in FP16, or hi + mid + lo in BF16,
// each part rounding what those before it left. Where they do not lie so, they are turned on the way, so
// that the rows of both run along K. The split into FP16 also finds what decides whether it holds, and
// whether BF16 would.

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <algorithm>

#include "gpu/device/check.h"
#include "gpu/device/stream.h"
#include "gpu/gemm/tensor/instructions/launch_after.h"
#include "gpu/gemm/tensor/load.h"
#include "gpu/gemm/tensor/plain.h"
#include "gpu/gemm/tensor/stages.h"

namespace gemmlab::gpu::parts {
namespace {

// A tile is kSegment rows (of A, or columns of B) by kSegment of K. Sixteen lanes share a row of it.
constexpr int kThreads = 256;
constexpr int kLanesAcross = kSegment / kVector;
constexpr int kRowsAtOnce = kThreads / kLanesAcross;
constexpr int kPasses = kSegment / kRowsAtOnce;
constexpr int kTilePitch = kSegment + 1;  // neighbours down a column of the tile lie in different banks

constexpr unsigned kInfinityBits = 0x7f800000u;

/// An operand as rows along K: rows of op(A), columns of op(B).
struct Rows {
  const float* matrix;
  int stride;  ///< floats from one stored row to the next
  const unsigned* largest;
  int* scales;
  std::uint16_t* parts;
  int rows;
  int K;
  int pitch;
  int all_rows;  ///< of all products of a batch
};

/// `rest` is what is left of an element, times 2¹² behind the first part.
__device__ std::uint16_t to_part(float& rest, __half) {
  const __half part = __float2half_rn(rest);
  rest = (rest - __half2float(part)) * kRaisedLow;  // exact: the part holds the leading bits
  return __half_as_ushort(part);
}

__device__ std::uint16_t to_part(float& rest, __nv_bfloat16) {
  const __nv_bfloat16 part = __float2bfloat16_rn(rest);
  rest -= __bfloat162float(part);
  return __bfloat16_as_ushort(part);
}

/// Four elements along K of each of a thread's rows of a tile.
using Vectors = float[kPasses][kVector];

__device__ void keep(float (&to)[kVector], float4 from) {
  to[0] = from.x;
  to[1] = from.y;
  to[2] = from.z;
  to[3] = from.w;
}

/// Of rows that are stored as such.
__device__ void load_along(Vectors& values, const Rows& A, int row0, int k0) {
  const bool whole = whole_vectors(A.matrix, A.K, A.stride);
  const int k = k0 + threadIdx.x % kLanesAcross * kVector;
#pragma unroll
  for (int pass = 0; pass < kPasses; ++pass) {
    const int row = row0 + pass * kRowsAtOnce + threadIdx.x / kLanesAcross;
    keep(values[pass], row < A.rows
                           ? load4(A.matrix + static_cast<std::int64_t>(row) * A.stride, k, A.K, whole)
                           : make_float4(0, 0, 0, 0));
  }
}

/// Of rows that are stored as columns.
__device__ void load_turned(Vectors& values, const Rows& B, int col0, int k0,
                            float (&Bs)[kSegment][kTilePitch]) {
  const bool whole = whole_vectors(B.matrix, B.rows, B.stride);
  const int down = threadIdx.x / kLanesAcross;
  const int across = threadIdx.x % kLanesAcross * kVector;
#pragma unroll
  for (int pass = 0; pass < kPasses; ++pass) {
    const int k = k0 + pass * kRowsAtOnce + down;
    keep(values[pass],
         k < B.K ? load4(B.matrix + static_cast<std::int64_t>(k) * B.stride, col0 + across, B.rows, whole)
                 : make_float4(0, 0, 0, 0));
  }
  __syncthreads();  // all have read the tile before this one
#pragma unroll
  for (int pass = 0; pass < kPasses; ++pass) {
#pragma unroll
    for (int i = 0; i < kVector; ++i) Bs[pass * kRowsAtOnce + down][across + i] = values[pass][i];
  }
  __syncthreads();
#pragma unroll
  for (int pass = 0; pass < kPasses; ++pass) {
#pragma unroll
    for (int i = 0; i < kVector; ++i) values[pass][i] = Bs[across + i][pass * kRowsAtOnce + down];
  }
}

/// What a thread has seen of an operand.
struct Seen {
  bool not_finite = false;
  bool beyond_bfloat = false;
  unsigned lossy = 0;
  unsigned small_share = 0;

  __device__ void meet(float value, float scaled_value) {
    const float size = fabsf(scaled_value);
    if (value == 0) return;
    lossy += !(size >= kLossy);
    beyond_bfloat |= !(size >= kLeastBfloat);
  }

  /// Of `length` elements of a row, those that are small; the sixteen lanes of the row have four each.
  __device__ void count(const bool (&small)[kVector], int length) {
    const int shift = threadIdx.x % kWarp / kLanesAcross * kLanesAcross;
    unsigned count = 0;
#pragma unroll
    for (int i = 0; i < kVector; ++i) {
      count += __popc(__ballot_sync(0xffffffffu, small[i]) >> shift & ((1u << kLanesAcross) - 1));
    }
    if (length > 0) small_share = max(small_share, (count * kShareUnit + length - 1) / length);
  }

  /// To the findings, for the whole block, which calls together.
  __device__ void tell(Findings& found, Operand operand) const {
    __shared__ unsigned share;
    __shared__ unsigned all_lossy;
    if (threadIdx.x == 0) {
      share = 0;
      all_lossy = 0;
    }
    __syncthreads();
    atomicMax(&share, small_share);
    if (lossy > 0) atomicAdd(&all_lossy, lossy);
    const bool any_not_finite = __syncthreads_or(not_finite);
    const bool any_beyond_bfloat = __syncthreads_or(beyond_bfloat);
    if (threadIdx.x == 0) {
      if (any_not_finite) found.not_finite = 1;  // whoever writes, writes the same
      if (all_lossy > 0) atomicAdd(&found.lossy[operand], told(all_lossy));
      if (any_beyond_bfloat) found.beyond_bfloat = 1;
      atomicMax(&found.small_share[operand], share);
    }
    __syncthreads();
  }
};

/// Splits a thread's fours of a tile, looks at them, and stores the parts.
template <typename Part, int kParts>
__device__ void split_tile(const Vectors& values, const Rows& operand, int row0, int k0, bool store,
                           Seen& seen) {
  const int k = k0 + threadIdx.x % kLanesAcross * kVector;
  // the last segment counts only where it is the only one: a short one after whole ones adds little
  const int length = operand.K < kSegment ? operand.K : (k0 + kSegment <= operand.K ? kSegment : 0);
#pragma unroll
  for (int pass = 0; pass < kPasses; ++pass) {
    const int row = row0 + pass * kRowsAtOnce + threadIdx.x / kLanesAcross;
    const unsigned largest = row < operand.rows ? operand.largest[row] : 0;
    seen.not_finite |= largest >= kInfinityBits;
    const int exponent = scale_of(largest);
    if (k == 0 && row < operand.rows) operand.scales[row] = exponent;
    std::uint16_t parts[kParts][kVector];
    bool small[kVector];
#pragma unroll
    for (int i = 0; i < kVector; ++i) {
      const float value = values[pass][i];
      const float whole = scaled(value, exponent);
      float rest = whole;
#pragma unroll
      for (int part = 0; part < kParts; ++part) parts[part][i] = to_part(rest, Part());
      seen.meet(value, whole);
      small[i] = largest != 0 && k + i < operand.K && !(fabsf(whole) >= kSmall);
    }
    seen.count(small, length);
    if (!store || row >= operand.rows || k >= operand.pitch) continue;
#pragma unroll
    for (int part = 0; part < kParts; ++part) {
      const std::int64_t line = static_cast<std::int64_t>(part) * operand.all_rows + row;
      *reinterpret_cast<ushort4*>(operand.parts + line * operand.pitch + k) =
          make_ushort4(parts[part][0], parts[part][1], parts[part][2], parts[part][3]);
    }
  }
}

/// Tiles are taken from the last to the first: the scan has left the end of B in the second-level cache.
template <typename Part, int kParts, bool kTurned>
__device__ void split_operand(const Rows& operand, bool store, Seen& seen,
                              float (&Bs)[kSegment][kTilePitch]) {
  const int tiles_along = (operand.pitch + kSegment - 1) / kSegment;
  const std::int64_t tiles = tiles_of(operand.rows, kSegment) * tiles_along;
  for (std::int64_t tile = tiles - 1 - blockIdx.x; tile >= 0; tile -= gridDim.x) {
    // neighbouring blocks read neighbouring addresses: along K, or along what was stored in rows
    const std::int64_t tiles_down = tiles / tiles_along;
    const int row0 = static_cast<int>(kTurned ? tile % tiles_down : tile / tiles_along) * kSegment;
    const int k0 = static_cast<int>(kTurned ? tile / tiles_down : tile % tiles_along) * kSegment;
    Vectors values;
    if constexpr (kTurned) {
      load_turned(values, operand, row0, k0, Bs);
    } else {
      load_along(values, operand, row0, k0);
    }
    split_tile<Part, kParts>(values, operand, row0, k0, store, seen);
  }
}

/// The FP16 split runs always, since it looks at the data as well; the BF16 split only where it is needed.
template <typename Part, int kParts, bool kTurnsA, bool kTurnsB>
__global__ void __launch_bounds__(kThreads)
    split_kernel(Rows A, Rows B, Findings* findings, bool half_allowed) {
  __shared__ float Bs[kSegment][kTilePitch];
  constexpr bool kLooks = kParts == 2;
  if (!kLooks && arithmetic_for(*findings, half_allowed, A.K) != Arithmetic::kBfloat) return;
  const bool store = !kLooks || half_allowed;
  Seen seen_in_b;
  split_operand<Part, kParts, kTurnsB>(B, store, seen_in_b, Bs);
  Seen seen_in_a;
  split_operand<Part, kParts, kTurnsA>(A, store, seen_in_a, Bs);
  if constexpr (kLooks) {
    seen_in_a.tell(*findings, kOperandA);
    seen_in_b.tell(*findings, kOperandB);
  }
}

/// Floats from one product's matrices to the next one's.
struct Apart {
  std::int64_t a;
  std::int64_t b;
  std::int64_t c;
};

/// Of an operand given as the first product's of a batch: that of product blockIdx.y; no rows where one matrix is for all
/// and another product's blocks have served.
__device__ Rows of_product(Rows operand, std::int64_t apart) {
  const std::int64_t product = blockIdx.y;
  const std::int64_t rows = product * operand.rows;
  if (product > 0 && apart == 0) operand.rows = 0;
  operand.matrix += product * apart;
  operand.largest += rows;
  operand.scales += rows;
  operand.parts += rows * operand.pitch;
  return operand;
}

/// For data that the first split does not hold: another into FP16 or BF16, or all of the product in plain FP32.
template <bool kTurnsA, bool kTurnsB, bool kBatch>
__global__ void __launch_bounds__(kThreads)
    other_split_kernel(Rows A, Rows B, plain::Plain plain, const Findings* findings, Arithmetic first,
                       Apart apart) {
  static_assert(kThreads == plain::kThreads, "one kernel for both");
  start_next();
  wait_for_previous();
  if constexpr (kBatch) {
    A = of_product(A, apart.a);
    B = of_product(B, apart.b);
    plain.A += blockIdx.y * apart.a;
    plain.B += blockIdx.y * apart.b;
    plain.C += blockIdx.y * apart.c;
  }
  __shared__ float Bs[kSegment][kTilePitch];
  Seen seen;
  const Arithmetic arithmetic = arithmetic_after(*findings, first, A.K);
  if (arithmetic == first) return;
  switch (arithmetic) {
    case Arithmetic::kDigits:
      return;
    case Arithmetic::kHalf:
      split_operand<__half, 2, kTurnsB>(B, true, seen, Bs);
      split_operand<__half, 2, kTurnsA>(A, true, seen, Bs);
      return;
    case Arithmetic::kBfloat:
      split_operand<__nv_bfloat16, 3, kTurnsB>(B, true, seen, Bs);
      split_operand<__nv_bfloat16, 3, kTurnsA>(A, true, seen, Bs);
      return;
    case Arithmetic::kPlain:
      plain::plain_product(plain);
      return;
  }
}

using OtherSplitKernel = void (*)(Rows A, Rows B, plain::Plain plain, const Findings* findings,
                                  Arithmetic first, Apart apart);

template <bool kBatch>
OtherSplitKernel other_split_kernel_for(const Work& work) {
  const bool turns_b = !work.transpose_b;
  if (work.transpose_a)
    return turns_b ? other_split_kernel<true, true, kBatch> : other_split_kernel<true, false, kBatch>;
  return turns_b ? other_split_kernel<false, true, kBatch> : other_split_kernel<false, false, kBatch>;
}

using SplitKernel = void (*)(Rows A, Rows B, Findings* findings, bool half_allowed);

template <typename Part, int kParts>
SplitKernel split_kernel_for(const Work& work) {
  const bool turns_b = !work.transpose_b;
  if (work.transpose_a)
    return turns_b ? split_kernel<Part, kParts, true, true> : split_kernel<Part, kParts, true, false>;
  return turns_b ? split_kernel<Part, kParts, false, true> : split_kernel<Part, kParts, false, false>;
}

Rows rows_of_a(const Work& work) {
  return {work.a, work.lda, work.largest_a, work.scales_a,   work.parts_a,
          work.M, work.K,   work.pitch,     work.rows_of_a()};
}

Rows rows_of_b(const Work& work) {
  return {work.b, work.ldb, work.largest_b, work.scales_b,   work.parts_b,
          work.N, work.K,   work.pitch,     work.cols_of_b()};
}

unsigned blocks_for(const Work& work) {
  const std::int64_t tiles = tiles_of(std::max(work.M, work.N), kSegment) * tiles_of(work.pitch, kSegment);
  return static_cast<unsigned>(std::min<std::int64_t>(tiles, ceil_div(4 * work.multiprocessors, work.batch)));
}

}  // namespace

void launch_split(const Work& work, Arithmetic arithmetic) {
  const SplitKernel kernel = arithmetic == Arithmetic::kHalf ? split_kernel_for<__half, 2>(work)
                                                             : split_kernel_for<__nv_bfloat16, 3>(work);
  kernel<<<blocks_for(work), kThreads, 0, current_stream()>>>(rows_of_a(work), rows_of_b(work), work.findings,
                                                              work.half_allowed);
  GEMMLAB_CUDA_CHECK(cudaGetLastError());
}

void launch_other_split(const Work& work) {
  // where both operands are split already this is the product's first kernel: what is in front of it may be no kernel
  const bool follows_split = work.splits_a || work.splits_b;
  launch_after(follows_split,
               work.batch > 1 ? other_split_kernel_for<true>(work) : other_split_kernel_for<false>(work),
               dim3(blocks_for(work), work.batch), kThreads, rows_of_a(work), rows_of_b(work),
               plain::plain_of(work), static_cast<const Findings*>(work.findings), work.first_split(),
               Apart{work.stride_a, work.stride_b, work.stride_c});
}

}  // namespace gemmlab::gpu::parts
