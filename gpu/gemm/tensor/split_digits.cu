// Writes scaled op(A) and op(B) as integers of three digits (digits.h), rows along K, in two kernels.
//
// The first takes an operand whose rows are stored as such from memory once: a team of warps holds a whole row,
// finds its largest magnitude and splits it. Of an operand that is stored turned, (K, rows), it only finds the
// largest magnitudes, chunk by chunk of K. The second splits that one, a piece of 64 rows by 128 of K to a block, from the
// end, which the second-level cache still holds. Both look for what decides which arithmetic holds; the block
// of the second that ends last writes the findings, and leaves the counters at zero for the next multiply.

#include <algorithm>

#include "gpu/check.h"
#include "gpu/gemm/tensor/launch_after.h"
#include "gpu/gemm/tensor/pieces.h"
#include "gpu/stream.h"

namespace gemmlab::gpu::parts {
namespace {

using namespace pieces;

constexpr int kBlocksAtOnce = 4;  // of a multiprocessor

/// What a warp has counted and met of the rows that it splits.
struct Looked {
  unsigned most_small = 0;
  unsigned most_small_half = 0;
  float least = kHeldByHalf;

  __device__ void count(unsigned small) {
    most_small = max(most_small, small & 0xff);
    most_small_half = max(most_small_half, small >> 8);
  }
  __device__ void tell(Seen& seen) const {
    if (threadIdx.x % kWarp % (kWarp / 2) != 0) return;
    atomicMax(&seen.most_small, most_small);
    atomicMax(&seen.most_small_half, most_small_half);
  }
};

/// Four elements of row `row` at k to their digits: how many are small.
__device__ unsigned split_at(const Rows& operand, int row, int k, float4 values, int scale, float& least) {
  const std::int64_t plane = static_cast<std::int64_t>(operand.rows) * operand.pitch;
  const bool inside = row < operand.rows && k < operand.pitch;
  return split_four(values, scale, operand.digits + static_cast<std::int64_t>(row) * operand.pitch + k, plane,
                    inside, least);
}

// ---- rows that are stored as such

constexpr int kOfWarp = kVectors * kDepth;  // elements of a row that a warp holds

/// Warps to a row: a power of two.
__host__ __device__ int team_of(const Rows& A) {
  int team = 1;
  while (team < kWarps && team * kOfWarp < A.K) team *= 2;
  return team;
}

__device__ void load_along(Share& values, const Rows& A, int row, int k, bool whole) {
#pragma unroll
  for (int i = 0; i < kVectors; ++i) {
    values[i] = row < A.rows ? load4(A.matrix + static_cast<std::int64_t>(row) * A.stride, k + i * kDepth, A.K,
                                     whole)
                             : make_float4(0, 0, 0, 0);
  }
}

/// As many rows as there are teams in a block. A row beyond all warps' registers is read twice.
__device__ void split_rows(const Rows& A, int first_row, int team, Seen& seen) {
  __shared__ Sizes of_warp[kWarps];
  const int warp = threadIdx.x / kWarp;
  const int row = first_row + warp / team;
  const int k_first = warp % team * kOfWarp + threadIdx.x % kWarp * kVector;
  const int held = team * kOfWarp;
  const bool whole = whole_vectors(A.matrix, A.K, A.stride);
  Share values;
  Sizes sizes;
  for (int k0 = 0; k0 < A.K; k0 += held) {
    load_along(values, A, row, k0 + k_first, whole);
#pragma unroll
    for (int i = 0; i < kVectors; ++i) sizes.take(values[i]);
  }
  sizes = sizes_of_warp(sizes);
  if (threadIdx.x % kWarp == 0) of_warp[warp] = sizes;
  __syncthreads();
  sizes = {};
  for (int other = 0; other < team; ++other) sizes.join(of_warp[warp / team * team + other]);
  const int scale = scale_of_digits(__float_as_uint(sizes.largest));
  if (warp % team == 0 && threadIdx.x % kWarp == 0 && row < A.rows)
    A.scales[row] = judge_row(sizes, A.K, seen);

  Looked looked;
  for (int k0 = 0; k0 < A.pitch; k0 += held) {
    if (held < A.K) load_along(values, A, row, k0 + k_first, whole);
#pragma unroll
    for (int i = 0; i < kVectors; ++i) {
      const int k = k0 + k_first + i * kDepth;
      const unsigned small = sum_of_warp(split_at(A, row, k, values[i], scale, looked.least));
      if (k - k_first % kDepth + kDepth <= A.K && sizes.largest != 0) looked.count(small);
    }
    if (looked.least < kHeldByHalf) {
#pragma unroll
      for (int i = 0; i < kVectors; ++i) look_at_small(values[i], scale, seen);
      looked.least = kHeldByHalf;
    }
  }
  looked.tell(seen);
}

// ---- rows that are stored as columns

constexpr int kAcross = kDepth;  // columns that a warp reads at once

__host__ __device__ int strips_to_scan(const Rows& B) {
  return (B.rows + kAcross - 1) / kAcross;
}

/// The largest magnitudes and the sums of kAcross columns over a chunk of K.
__device__ void scan_columns(const Rows& B, int strip, int chunk) {
  __shared__ Sizes of_warp[kWarps][kAcross];
  const int col = strip * kAcross + threadIdx.x % kWarp * kVector;
  const int end = min(B.K, (chunk + 1) * B.chunk());
  const bool whole = whole_vectors(B.matrix, B.rows, B.stride);
  Sizes sizes[kVector];
  for (int k = chunk * B.chunk() + threadIdx.x / kWarp; k < end; k += kWarps * kVectors) {
    Share values;
#pragma unroll
    for (int i = 0; i < kVectors; ++i) {
      const int k_of = k + i * kWarps;
      values[i] = k_of < end ? load4(B.matrix + static_cast<std::int64_t>(k_of) * B.stride, col, B.rows, whole)
                             : make_float4(0, 0, 0, 0);
    }
#pragma unroll
    for (int i = 0; i < kVectors; ++i) {
      sizes[0].take(values[i].x);
      sizes[1].take(values[i].y);
      sizes[2].take(values[i].z);
      sizes[3].take(values[i].w);
    }
  }
#pragma unroll
  for (int i = 0; i < kVector; ++i)
    of_warp[threadIdx.x / kWarp][threadIdx.x % kWarp + i * kWarp] = sizes[i];
  __syncthreads();
  if (threadIdx.x >= kAcross) return;
  Sizes of_column;
  for (int warp = 0; warp < kWarps; ++warp) of_column.join(of_warp[warp][threadIdx.x]);
  const int own = strip * kAcross + threadIdx.x % kWarp * kVector + threadIdx.x / kWarp;
  if (own >= B.rows) return;
  const std::int64_t at = static_cast<std::int64_t>(chunk) * B.rows + own;
  B.largest[at] = of_column.largest;
  B.totals[at] = of_column.total;
}

// A piece of a turned operand: kRows columns by kDepth of K. Sixteen lanes read kRows of them at one k; they get
// four neighbours along K each through a tile, of the first half of the piece's depth and then of the second.
constexpr int kRows = 64;
constexpr int kLanesAcross = kRows / kVector;
constexpr int kAtOnce = kThreads / kLanesAcross;
constexpr int kTilePitch = kRows + 1;  // neighbours down a column of the tile lie in different banks
static_assert(kRows * kDepth == kThreads * kVectors * kVector, "a share is a piece's part");

using Tile = float[kDepth][kTilePitch];

__host__ __device__ int pieces_along(const Rows& B) {
  return (B.K + kDepth - 1) / kDepth;
}

__host__ __device__ int pieces_of(const Rows& B) {
  return B.turned ? (B.rows + kRows - 1) / kRows * pieces_along(B) : 0;
}

__device__ void load_down(Share& values, const Rows& B, int col0, int k0) {
  const bool whole = whole_vectors(B.matrix, B.rows, B.stride);
  const int col = col0 + threadIdx.x % kLanesAcross * kVector;
#pragma unroll
  for (int i = 0; i < kVectors; ++i) {
    const int k = k0 + i * kAtOnce + threadIdx.x / kLanesAcross;
    values[i] = k < B.K ? load4(B.matrix + static_cast<std::int64_t>(k) * B.stride, col, B.rows, whole)
                        : make_float4(0, 0, 0, 0);
  }
}

constexpr int kNoScale = 1 << 16;  // of a column of zeros

/// The scales of a piece's columns, from all chunks; the first piece of a column writes it down and judges.
__device__ void find_scales(int (&scales)[kRows], const Rows& B, int col0, bool first, Seen& seen) {
  const int col = col0 + threadIdx.x;
  if (threadIdx.x >= kRows) return;
  Sizes sizes;
  if (col < B.rows) {
    const int chunks = B.chunks();
#pragma unroll
    for (int chunk = 0; chunk < kMostChunks; ++chunk) {
      const std::int64_t at = static_cast<std::int64_t>(chunk) * B.rows + col;
      if (chunk < chunks) sizes.join({B.largest[at], first ? B.totals[at] : 0});
    }
    if (first) B.scales[col] = judge_row(sizes, B.K, seen);
  }
  scales[threadIdx.x] = sizes.largest == 0 ? kNoScale : scale_of_digits(__float_as_uint(sizes.largest));
}

__device__ void split_columns(const Rows& B, int col0, int k0, Seen& seen) {
  __shared__ Tile tile;
  __shared__ int scales[kRows];
  Share values;
  load_down(values, B, col0, k0);
  find_scales(scales, B, col0, k0 == 0, seen);
  const int lane = threadIdx.x % kLanesAcross;
  const int down = threadIdx.x / kLanesAcross;
#pragma unroll
  for (int i = 0; i < kVectors; ++i) {
    float* const to = &tile[i * kAtOnce + down][lane * kVector];
    to[0] = values[i].x;
    to[1] = values[i].y;
    to[2] = values[i].z;
    to[3] = values[i].w;
  }
  __syncthreads();
  Looked looked;
#pragma unroll
  for (int i = 0; i < kVectors / 2; ++i) {
    const int row = i * kAtOnce + down;
    const int scale = scales[row] == kNoScale ? 0 : scales[row];
    unsigned small = 0;
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const int k = half * kDepth / 2 + lane * kVector;
      const float4 four = make_float4(tile[k][row], tile[k + 1][row], tile[k + 2][row], tile[k + 3][row]);
      float least = kHeldByHalf;
      small += split_at(B, col0 + row, k0 + k, four, scale, least);
      if (least < kHeldByHalf) look_at_small(four, scale, seen);
    }
    for (int step = kLanesAcross / 2; step > 0; step /= 2) small += __shfl_xor_sync(kWholeWarp, small, step);
    if (k0 + kDepth <= B.K && scales[row] != kNoScale) looked.count(small);
  }
  looked.tell(seen);
}

// ---- the kernels

struct Operands {
  Rows rows[2];  // of A and of B
};

/// Blocks of the first kernel that an operand takes.
__host__ __device__ int blocks_of(const Rows& operand) {
  if (operand.turned) return strips_to_scan(operand) * operand.chunks();
  const int rows_at_once = kWarps / team_of(operand);
  return (operand.rows + rows_at_once - 1) / rows_at_once;
}

__global__ void __launch_bounds__(kThreads, kBlocksAtOnce)
    rows_kernel(const __grid_constant__ Operands operands, Findings* found) {
  start_next();
  __shared__ Seen seen;
  if (threadIdx.x == 0) seen = {};
  const int blocks_a = blocks_of(operands.rows[kOperandA]);
  const int block = static_cast<int>(blockIdx.x);
  const Operand which = block < blocks_a ? kOperandA : kOperandB;
  const Rows& operand = operands.rows[which];
  const int own = which == kOperandA ? block : block - blocks_a;
  if (operand.turned) {
    const int strips = strips_to_scan(operand);
    return scan_columns(operand, own % strips, own / strips);
  }
  const int team = team_of(operand);
  __syncthreads();
  split_rows(operand, own * (kWarps / team), team, seen);
  __syncthreads();
  if (threadIdx.x == 0) tell(seen, *found, which);
}

/// By the thread that ends last: what was found becomes the findings, and zero for the next multiply.
__device__ void write_findings(Findings* found, Findings* findings) {
  __threadfence();
  if (atomicAdd(&found->ended, 1u) + 1 != gridDim.x) return;
  __threadfence();
  constexpr int kWords = sizeof(Findings) / sizeof(unsigned);
  for (int i = 0; i < kWords; ++i) {
    unsigned* const from = reinterpret_cast<unsigned*>(found) + i;
    reinterpret_cast<unsigned*>(findings)[i] = __ldcg(from);
    *from = 0;
  }
}

__global__ void __launch_bounds__(kThreads, kBlocksAtOnce)
    columns_kernel(const __grid_constant__ Operands operands, Findings* found, Findings* findings) {
  start_next();
  __shared__ Seen seen;
  if (threadIdx.x == 0) seen = {};
  __syncthreads();
  wait_for_previous();
  const int pieces_a = pieces_of(operands.rows[kOperandA]);
  int piece = static_cast<int>(gridDim.x - 1 - blockIdx.x);
  const Operand which = piece < pieces_a ? kOperandA : kOperandB;
  const Rows& operand = operands.rows[which];
  if (which == kOperandB) piece -= pieces_a;
  if (piece < pieces_of(operand)) {  // or there is none, and this block only writes the findings
    const int strips = pieces_of(operand) / pieces_along(operand);
    split_columns(operand, piece % strips * kRows, piece / strips * kDepth, seen);
    __syncthreads();
  }
  if (threadIdx.x > 0) return;
  tell(seen, *found, which);
  write_findings(found, findings);
}

}  // namespace

void launch_digits(const Work& work) {
  float* place = work.sizes;
  const auto rows_of = [&](const float* matrix, int stride, int rows, bool turned, int* scales,
                           std::uint16_t* digits) {
    Rows operand{matrix,
                 stride,
                 rows,
                 work.K,
                 static_cast<int>(pitch_of_digits(work.K)),
                 turned,
                 scales,
                 place,
                 place + static_cast<std::int64_t>(kMostChunks) * rows,
                 reinterpret_cast<std::uint8_t*>(digits)};
    place += 2 * static_cast<std::int64_t>(kMostChunks) * rows;
    return operand;
  };
  const Operands operands{
      {rows_of(work.a, work.lda, work.M, work.transpose_a, work.scales, work.parts_a),
       rows_of(work.b, work.ldb, work.N, !work.transpose_b, work.scales + work.M, work.parts_b)}};
  const int first = blocks_of(operands.rows[kOperandA]) + blocks_of(operands.rows[kOperandB]);
  const int second = pieces_of(operands.rows[kOperandA]) + pieces_of(operands.rows[kOperandB]);
  rows_kernel<<<first, kThreads, 0, current_stream()>>>(operands, work.found);
  GEMMLAB_CUDA_CHECK(cudaGetLastError());
  launch_after(columns_kernel, std::max(second, 1), kThreads, operands, work.found, work.findings);
}

}  // namespace gemmlab::gpu::parts
