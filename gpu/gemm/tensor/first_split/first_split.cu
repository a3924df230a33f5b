// Writes scaled op(A) and op(B) as integers of three digits (digits.h) or as FP16 pairs, rows along K, in two kernels.
//
// The first takes an operand whose rows are stored as such from memory once: a team of warps holds a whole row,
// finds its largest magnitude and splits it. Of an operand that is stored turned, (K, rows), it only finds the
// largest magnitudes, chunk by chunk of K. The second splits that one (columns.h), piece by piece from the end, which
// the second-level cache still holds. Both look for what decides which arithmetic holds. The first counts into
// `found`, which is zero before; the second joins that to the findings, and leaves zero for the next multiply.

#include <algorithm>

#include "gpu/device/check.h"
#include "gpu/device/stream.h"
#include "gpu/gemm/tensor/first_split/columns.h"
#include "gpu/gemm/tensor/first_split/rows.h"
#include "gpu/gemm/tensor/instructions/launch_after.h"

namespace gemmlab::gpu::parts {
namespace {

using namespace pieces;

constexpr int kBlocksAtOnce = 4;            // of a multiprocessor
constexpr int kOfWarp = kVectors * kDepth;  // elements of a row that a warp holds
constexpr unsigned kFindings = sizeof(Findings) / sizeof(unsigned);

/// Warps to a row: a power of two.
__host__ __device__ int team_of(const Rows& A) {
  int team = 1;
  while (team < kWarps && team * kOfWarp < A.K) team *= 2;
  return team;
}

using Share = float[kVectors][kVector];

__device__ void load_along(Share& values, const Rows& A, int row, int k, bool whole) {
#pragma unroll
  for (int i = 0; i < kVectors; ++i) {
    const float4 four =
        row < A.rows ? load4(A.matrix + static_cast<std::int64_t>(row) * A.stride, k + i * kDepth, A.K, whole)
                     : make_float4(0, 0, 0, 0);
    values[i][0] = four.x;
    values[i][1] = four.y;
    values[i][2] = four.z;
    values[i][3] = four.w;
  }
}

/// A thread's share of a row, from k on.
template <typename Form>
__device__ void split_share(Share& values, const Rows& A, int row, int k, int scale, bool zeros, Seen& seen) {
  if (scale > kLargeScale) {
#pragma unroll
    for (int i = 0; i < kVectors * kVector; ++i) (&values[0][0])[i] *= power_of_two(64);
    scale -= 64;
  }
  const float factor = power_of_two(scale);
  std::uint8_t* const to = A.parts + static_cast<std::int64_t>(row) * A.pitch + k * Form::kBytes;
  const int k_of_warp = k - threadIdx.x % kWarp * kVector;
  unsigned most = 0;
  unsigned most_half = 0;
  unsigned least = ~0u;
#pragma unroll
  for (int i = 0; i < kVectors; ++i) {
    Looked looked;
    typename Form::Four words[Form::kParts];
    Form::split(values[i], factor, words, looked);
    if (row < A.rows && (k + i * kDepth) * Form::kBytes < A.pitch) {
#pragma unroll
      for (int part = 0; part < Form::kParts; ++part)
        *reinterpret_cast<typename Form::Four*>(to + part * A.plane + i * kDepth * Form::kBytes) =
            words[part];
    }
    least = min(least, looked.least);
    // sums of at most 128 times 128 each
    const unsigned small = sum_of_warp(looked.small | looked.small_half << 16);
    // a segment that is not whole does not count: a short one after whole ones adds little
    if (k_of_warp + (i + 1) * kDepth > A.K) continue;
    most = max(most, small & 0xffff);
    most_half = max(most_half, small >> 16);
  }
  if (threadIdx.x % kWarp == 0 && !zeros) {
    atomicMax(&seen.most_small, most / 128);
    atomicMax(&seen.most_small_half, most_half / 128);
  }
  if (least >= lossy_below(scale)) return;
  Small below;
#pragma unroll
  for (int i = 0; i < kVectors * kVector; ++i) below.look_at((&values[0][0])[i], scale);
  below.tell(seen);
}

/// As many rows as there are teams in a block. A row beyond all warps' registers is read twice.
template <typename Form>
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
    for (int i = 0; i < kVectors * kVector; ++i) sizes.take((&values[0][0])[i]);
  }
  sizes = sizes_of_warp(sizes);
  if (threadIdx.x % kWarp == 0) of_warp[warp] = sizes;
  __syncthreads();
  sizes = {};
  for (int other = 0; other < team; ++other) sizes.join(of_warp[warp / team * team + other]);
  if (warp % team == 0 && threadIdx.x % kWarp == 0 && row < A.rows) judge_row(A, row, sizes, seen);
  const int scale = scale_of_digits(__float_as_uint(sizes.largest));
  for (int k0 = 0; k0 * Form::kBytes < A.pitch; k0 += held) {
    if (held < A.K) load_along(values, A, row, k0 + k_first, whole);
    split_share<Form>(values, A, row, k0 + k_first, scale, sizes.largest == 0, seen);
  }
}

struct Operands {
  Rows rows[2];           // of A and of B; of a batch the first product's
  std::int64_t apart[2];  // floats between products
};

/// Product blockIdx.y's, for kernels of a batch; `which` is the same for all threads of a block.
template <bool kBatch>
__device__ decltype(auto) own_rows(const Operands& operands, Operand which) {
  if constexpr (kBatch) {
    return of_product(operands.rows[which], static_cast<int>(blockIdx.y), operands.apart[which]);
  } else {
    return (operands.rows[which]);
  }
}

/// Has another product's block served, since one matrix is for all?
template <bool kBatch>
__device__ bool is_served(const Operands& operands, Operand which) {
  return kBatch && blockIdx.y > 0 && operands.apart[which] == 0;
}

/// Blocks of the first kernel that an operand takes.
__host__ __device__ int blocks_of(const Rows& operand) {
  if (operand.turned) return strips_to_scan(operand) * operand.chunks;
  const int rows_at_once = kWarps / team_of(operand);
  return (operand.rows + rows_at_once - 1) / rows_at_once;
}

template <bool kBatch, typename Form>
__global__ void __launch_bounds__(kThreads, kBlocksAtOnce)
    rows_kernel(const __grid_constant__ Operands operands, Findings* found, Findings* findings,
                bool findings_anew) {
  start_next();
  __shared__ Seen seen;
  if (threadIdx.x == 0) seen = {};
  const int block = static_cast<int>(blockIdx.x);
  const bool first = block == 0 && (!kBatch || blockIdx.y == 0);
  if (first && findings_anew && threadIdx.x < kFindings)
    reinterpret_cast<unsigned*>(findings)[threadIdx.x] = 0;
  const int blocks_a = blocks_of(operands.rows[kOperandA]);
  const Operand which = block < blocks_a ? kOperandA : kOperandB;
  if (is_served<kBatch>(operands, which)) return;
  const Rows& operand = own_rows<kBatch>(operands, which);
  const int own = which == kOperandA ? block : block - blocks_a;
  if (operand.turned) {
    const int strips = strips_to_scan(operand);
    return scan_columns(operand, own % strips, own / strips);
  }
  const int team = team_of(operand);
  __syncthreads();
  split_rows<Form>(operand, own * (kWarps / team), team, seen);
  __syncthreads();
  if (threadIdx.x == 0) tell(seen, *found, which);
}

/// What the first kernel found joins what the second finds, by a thread for each number.
__device__ void join(Findings* findings, Findings* found) {
  unsigned* const from = reinterpret_cast<unsigned*>(found) + threadIdx.x;
  const unsigned value = __ldcg(from);
  if (value == 0) return;
  atomicMax(reinterpret_cast<unsigned*>(findings) + threadIdx.x, value);
  *from = 0;
}

template <bool kBatch, typename Form>
__global__ void __launch_bounds__(kThreads, kBlocksAtOnce)
    columns_kernel(const __grid_constant__ Operands operands, Findings* found, Findings* findings) {
  start_next();
  __shared__ Seen seen;
  __shared__ Columns columns;
  if (threadIdx.x == 0) seen = {};
  clear(columns);
  const int pieces_a = pieces_of(operands.rows[kOperandA]);
  int piece = static_cast<int>(gridDim.x - 1 - blockIdx.x);
  const Operand which = piece < pieces_a ? kOperandA : kOperandB;
  const Rows& operand = own_rows<kBatch>(operands, which);
  if (which == kOperandB) piece -= pieces_a;
  __syncthreads();
  wait_for_previous();
  const bool first = blockIdx.x == 0 && (!kBatch || blockIdx.y == 0);
  if (first && threadIdx.x < kFindings) join(findings, found);
  if (is_served<kBatch>(operands, which)) return;
  if (piece >= pieces_of(operand)) return;  // neither operand is turned: this is the only block
  const int strips = strips_to_split(operand);
  split_columns<Form>(operand, columns, piece % strips * kPieceCols, piece / strips * kPieceDepth, seen);
  __syncthreads();
  if (threadIdx.x == 0) tell(seen, *findings, which);
}

template <bool kBatch, typename Form>
void launch(const Work& work, const Operands& operands) {
  const int first = blocks_of(operands.rows[kOperandA]) + blocks_of(operands.rows[kOperandB]);
  const int second = pieces_of(operands.rows[kOperandA]) + pieces_of(operands.rows[kOperandB]);
  if (first == 0) return;
  rows_kernel<kBatch, Form><<<dim3(first, work.batch), kThreads, 0, current_stream()>>>(
      operands, work.found, work.findings, work.first);
  GEMMLAB_CUDA_CHECK(cudaGetLastError());
  launch_after(true, columns_kernel<kBatch, Form>, dim3(std::max(second, 1), work.batch), kThreads, operands,
               work.found, work.findings);
}

}  // namespace

void launch_first_split(const Work& work) {
  const bool pairs = work.first_split() == Arithmetic::kHalf;
  const int pitch = static_cast<int>(pairs ? sizeof(std::uint16_t) * work.pitch : pitch_of_digits(work.K));
  float* place = work.sizes;
  // `all`: of the operand in all products
  const auto rows_of = [&](const float* matrix, int stride, int rows, bool turned, int* scales,
                           unsigned* largest, int all, std::uint16_t* parts) {
    Rows operand{matrix,
                 stride,
                 rows,
                 work.K,
                 pitch,
                 turned,
                 scales,
                 largest,
                 place,
                 place + static_cast<std::int64_t>(kMostChunks) * all,
                 reinterpret_cast<std::uint8_t*>(parts),
                 std::int64_t{all} * pitch,
                 pairs ? AsPairs::kBelowDigits : 0,
                 chunk_of(work.K),
                 (work.K + chunk_of(work.K) - 1) / chunk_of(work.K)};
    place += 2 * static_cast<std::int64_t>(kMostChunks) * all;
    return operand;
  };
  // one whose parts are there has no rows to split
  const Operands operands{{rows_of(work.a, work.lda, work.splits_a ? work.M : 0, work.transpose_a,
                                   work.scales_a, work.largest_a, work.rows_of_a(), work.parts_a),
                           rows_of(work.b, work.ldb, work.splits_b ? work.N : 0, !work.transpose_b,
                                   work.scales_b, work.largest_b, work.cols_of_b(), work.parts_b)},
                          {work.stride_a, work.stride_b}};
  if (pairs)
    return work.batch > 1 ? launch<true, AsPairs>(work, operands) : launch<false, AsPairs>(work, operands);
  work.batch > 1 ? launch<true, AsDigits>(work, operands) : launch<false, AsDigits>(work, operands);
}

}  // namespace gemmlab::gpu::parts
