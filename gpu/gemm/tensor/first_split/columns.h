#pragma once

// Of first_split.cu: operands that are stored turned, (K, rows), whose rows here are columns there.

#include "gpu/gemm/tensor/first_split/rows.h"

namespace gemmlab::gpu::parts::pieces {

/// Which of `lanes` times kVector columns a lane's `of`-th is: neighbours where they are read as vectors, else those
/// beside its neighbours', so that a warp reads them from few places.
__device__ inline int column_of(int lane, int of, int lanes, bool whole) {
  return whole ? lane * kVector + of : lane + of * lanes;
}

/// Rows k, k + step, ... of a matrix at those columns from `col0` on, zeros beyond the end.
template <int kCount>
__device__ inline void load_across(float (&values)[kCount][kVector], const Rows& B, int k, int step, int end,
                                   int col0, int lane, int lanes, bool whole) {
  const float* row =
      B.matrix + static_cast<std::int64_t>(k) * B.stride + col0 + (whole ? lane * kVector : lane);
  const std::int64_t apart = static_cast<std::int64_t>(step) * B.stride;
  const int left = B.rows - col0;
  if (whole) {
    const bool inside = lane * kVector < left;
#pragma unroll
    for (int i = 0; i < kCount; ++i, row += apart) {
      const float4 four =
          inside && k + i * step < end ? *reinterpret_cast<const float4*>(row) : make_float4(0, 0, 0, 0);
      values[i][0] = four.x;
      values[i][1] = four.y;
      values[i][2] = four.z;
      values[i][3] = four.w;
    }
    return;
  }
#pragma unroll
  for (int i = 0; i < kCount; ++i, row += apart) {
#pragma unroll
    for (int of = 0; of < kVector; ++of)
      values[i][of] = k + i * step < end && lane + of * lanes < left ? row[of * lanes] : 0.0f;
  }
}

// ---- the scan

constexpr int kAcross = kWarp * kVector;  // columns that a warp reads at once

__host__ __device__ inline int strips_to_scan(const Rows& B) {
  return (B.rows + kAcross - 1) / kAcross;
}

/// The largest magnitudes and the sums of kAcross columns over a chunk of K.
__device__ inline void scan_columns(const Rows& B, int strip, int chunk) {
  __shared__ Sizes of_warp[kWarps][kAcross];
  const int lane = threadIdx.x % kWarp;
  const int end = min(B.K, (chunk + 1) * B.chunk);
  const bool whole = whole_vectors(B.matrix, B.rows, B.stride);
  Sizes sizes[kVector];
  for (int k = chunk * B.chunk + threadIdx.x / kWarp; k < end; k += kWarps * kVectors) {
    float values[kVectors][kVector];
    load_across(values, B, k, kWarps, end, strip * kAcross, lane, kWarp, whole);
#pragma unroll
    for (int i = 0; i < kVectors; ++i) {
#pragma unroll
      for (int of = 0; of < kVector; ++of) sizes[of].take(values[i][of]);
    }
  }
#pragma unroll
  for (int i = 0; i < kVector; ++i) of_warp[threadIdx.x / kWarp][lane + i * kWarp] = sizes[i];
  __syncthreads();
  if (threadIdx.x >= kAcross) return;
  Sizes of_column;
  for (int warp = 0; warp < kWarps; ++warp) of_column.join(of_warp[warp][threadIdx.x]);
  const int own = strip * kAcross + column_of(lane, threadIdx.x / kWarp, kWarp, whole);
  if (own >= B.rows) return;
  const std::int64_t at = static_cast<std::int64_t>(chunk) * B.rows + own;
  B.chunk_largest[at] = of_column.largest;
  B.chunk_totals[at] = of_column.total;
}

// ---- the split

// A piece is kPieceCols columns by kPieceDepth of K. A warp takes 32 of K: eight lanes read all the columns at one k,
// so that a thread has four columns at kOfK neighbours of K, which it stores as they are.
constexpr int kOfK = 8;
constexpr int kLanes = 8;
constexpr int kPieceCols = kLanes * kVector;
constexpr int kPieceDepth = kWarps * (kWarp / kLanes) * kOfK;
constexpr int kSegments = kPieceDepth / kSegmentOfDigits;
constexpr int kKinds = 2;          // of small elements
constexpr int kNoScale = 1 << 16;  // of a column of zeros
static_assert(kLanes * kSegments * kKinds == kWarp, "one warp looks through the counts");

/// Of a piece's columns, in shared memory. Counts are a byte for each of a lane's four columns.
struct Columns {
  int scales[kPieceCols];
  unsigned small[kKinds][kSegments][kLanes];
};

/// A thread's neighbours of K in a part, stored at once.
template <typename Form>
struct alignas(kOfK* Form::kBytes) Eight {
  typename Form::Four first;
  typename Form::Four second;
};

__host__ __device__ inline int pieces_along(const Rows& B) {
  return (B.K + kPieceDepth - 1) / kPieceDepth;
}

__host__ __device__ inline int strips_to_split(const Rows& B) {
  return (B.rows + kPieceCols - 1) / kPieceCols;
}

__host__ __device__ inline int pieces_of(const Rows& B) {
  return B.turned ? strips_to_split(B) * pieces_along(B) : 0;
}

/// Before find_scales() and a barrier.
__device__ inline void clear(Columns& columns) {
  if (threadIdx.x < kPieceCols) columns.scales[threadIdx.x] = kNoScale;
  if (threadIdx.x < kKinds * kSegments * kLanes) (&columns.small[0][0][0])[threadIdx.x] = 0;
}

/// A column's scale is the smallest of the scales of its chunks.
__device__ inline void find_scales(Columns& columns, const Rows& B, int col0) {
  const int col = threadIdx.x % kPieceCols;
  if (col0 + col >= B.rows) return;
#pragma unroll
  for (int i = 0; i < kMostChunks * kPieceCols / kThreads; ++i) {
    const int chunk = threadIdx.x / kPieceCols + i * (kThreads / kPieceCols);
    if (chunk >= B.chunks) break;
    const float largest = B.chunk_largest[static_cast<std::int64_t>(chunk) * B.rows + col0 + col];
    if (largest != 0) atomicMin(&columns.scales[col], scale_of_digits(__float_as_uint(largest)));
  }
}

/// By the first piece of a strip: a thread a column.
__device__ inline void judge_columns(const Rows& B, int col0, Seen& seen) {
  const int col = col0 + threadIdx.x;
  if (threadIdx.x >= kPieceCols || col >= B.rows) return;
  Sizes sizes;
#pragma unroll
  for (int chunk = 0; chunk < kMostChunks; ++chunk) {
    const std::int64_t at = static_cast<std::int64_t>(chunk) * B.rows + col;
    if (chunk < B.chunks) sizes.join({B.chunk_largest[at], B.chunk_totals[at]});
  }
  judge_row(B, col, sizes, seen);
}

/// The most small elements of a column in a whole segment, by the first warp, behind a barrier. A segment that is not
/// whole does not count: a short one after whole ones adds little.
__device__ inline void tell_small(const Columns& columns, int k0, int K, bool whole, Seen& seen) {
  if (threadIdx.x >= kWarp) return;
  const int lane = threadIdx.x % kLanes;
  const int segment = threadIdx.x / kLanes % kSegments;
  const int kind = threadIdx.x / kLanes / kSegments;
  if (k0 + (segment + 1) * kSegmentOfDigits > K) return;
  const unsigned counts = columns.small[kind][segment][lane];
  unsigned most = 0;
#pragma unroll
  for (int of = 0; of < kVector; ++of) {
    const bool zeros = columns.scales[column_of(lane, of, kLanes, whole)] == kNoScale;
    if (!zeros) most = max(most, counts >> 8 * of & 0xff);
  }
  atomicMax(kind == 0 ? &seen.most_small : &seen.most_small_half, most);
}

template <typename Form>
__device__ inline void split_columns(const Rows& B, Columns& columns, int col0, int k0, Seen& seen) {
  const bool whole = whole_vectors(B.matrix, B.rows, B.stride);
  const int lane = threadIdx.x % kLanes;
  const int k_first = k0 + threadIdx.x / kLanes * kOfK;
  float values[kOfK][kVector];
  load_across(values, B, k_first, 1, B.K, col0, lane, kLanes, whole);
  find_scales(columns, B, col0);
  if (k0 == 0) judge_columns(B, col0, seen);
  __syncthreads();
  unsigned small = 0;
  unsigned small_half = 0;
  Small below;
#pragma unroll
  for (int of = 0; of < kVector; ++of) {
    const int col = column_of(lane, of, kLanes, whole);
    int scale = columns.scales[col] == kNoScale ? 0 : columns.scales[col];
    if (scale > kLargeScale) {
      for (int i = 0; i < kOfK; ++i) values[i][of] *= power_of_two(64);
      scale -= 64;
    }
    Looked looked;
    typename Form::Four words[kOfK / kVector][Form::kParts];
#pragma unroll
    for (int half = 0; half < kOfK / kVector; ++half) {
      const float four[] = {values[half * kVector][of], values[half * kVector + 1][of],
                            values[half * kVector + 2][of], values[half * kVector + 3][of]};
      Form::split(four, power_of_two(scale), words[half], looked);
    }
    if (col0 + col < B.rows && k_first * Form::kBytes < B.pitch) {
      std::uint8_t* const to =
          B.parts + static_cast<std::int64_t>(col0 + col) * B.pitch + k_first * Form::kBytes;
#pragma unroll
      for (int part = 0; part < Form::kParts; ++part)
        *reinterpret_cast<Eight<Form>*>(to + part * B.plane) = {words[0][part], words[1][part]};
    }
    small |= looked.small / 128 << 8 * of;
    small_half |= looked.small_half / 128 << 8 * of;
    if (looked.least < lossy_below(scale)) {
#pragma unroll
      for (int i = 0; i < kOfK; ++i) below.look_at(values[i][of], scale);
    }
  }
  below.tell(seen);
#pragma unroll
  for (int step = kLanes; step < kWarp; step *= 2) {
    small += __shfl_xor_sync(kWholeWarp, small, step);
    small_half += __shfl_xor_sync(kWholeWarp, small_half, step);
  }
  const int segment = threadIdx.x / kWarp * kSegments / kWarps;
  if (threadIdx.x % kWarp < kLanes) {
    atomicAdd(&columns.small[0][segment][lane], small);
    atomicAdd(&columns.small[1][segment][lane], small_half);
  }
  __syncthreads();
  tell_small(columns, k0, B.K, whole, seen);
}

}  // namespace gemmlab::gpu::parts::pieces
