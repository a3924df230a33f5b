// S is stored as (K, length): K runs down its rows. C's row(s) = a few rows of A times B.
//
// Limit: memory, 4 bytes of S per `count` multiply-adds. At 4096 x 4096 on an H200 67.1 MB are 14.8 us at 4.55 TB/s.
// Prediction: 17.5 us, 0.85 of that, for 1 to 8 vectors: 1 us until the first loads, and 1.5 us from the last one to
// the stores; 0.93 at 8192.

#include "gpu/gemm/thin/finish.h"
#include "gpu/gemm/thin/fours.h"
#include "gpu/gemm/thin/plan.h"

namespace gemmlab::gpu::thin {
namespace {

constexpr int kWarps = kThreads / 32;
constexpr int kUnroll = 8;                 // rows of S that a warp has in flight, and as many that it works on
constexpr int kBatch = kWarps * kUnroll;   // rows of a block
/// Of K: elements of the vectors that lie in shared memory.
template <int kVectors>
constexpr int kChunk = kVectors == 8 ? 256 : 512;

/// Eight rows of S, one of every eight from `k` on, at this lane's columns.
template <bool kAligned>
__device__ void load_batch(float4 (&rows)[kUnroll], const Arguments& arguments, const float* from, int k, int end,
                           int inside) {
#pragma unroll
  for (int i = 0; i < kUnroll; ++i) {
    const int row = k + i * kWarps;
    rows[i] = load<kAligned>(from + row * arguments.stride, row < end ? inside : 0);
  }
}

template <int kVectors>
__device__ void stage_vectors(float (&staged)[kChunk<kVectors>][kVectors], const Arguments& arguments, int k0, int end) {
  for (int i = threadIdx.x; i < kChunk<kVectors> * kVectors; i += kThreads) {
    // neighbouring threads read neighbours of a vector where these lie side by side
    const int k = k0 + i % kChunk<kVectors>;
    const int v = i / kChunk<kVectors>;
    staged[i % kChunk<kVectors>][v] = k < end && v < arguments.count
                                ? arguments.vectors[k * arguments.vector_step + v * arguments.vectors_apart]
                                : 0;
  }
}

template <int kVectors, bool kAligned, Meeting kMeeting>
__global__ void __launch_bounds__(kThreads, 2) down_kernel(const Arguments arguments) {
  __shared__ float staged[kChunk<kVectors>][kVectors];
  __shared__ float sums_of_warps[kWarps][kVectors][kWarpFours];
  const Place place = place_of(arguments);
  const int first = place.group * kWarpFours;
  const int inside = arguments.length - first;
  const int batches = (arguments.K + kBatch - 1) / kBatch;
  const int begin = static_cast<int>(static_cast<std::int64_t>(batches) * place.split / arguments.splits) * kBatch;
  const int end = min(
      arguments.K, static_cast<int>(static_cast<std::int64_t>(batches) * (place.split + 1) / arguments.splits) * kBatch);
  const int warp = threadIdx.x / 32;
  const float* const from = arguments.large + first;

  float sums[kVectors][kFour] = {};
  float4 rows[2][kUnroll];
  load_batch<kAligned>(rows[0], arguments, from, begin + warp, end, inside);
  for (int chunk = begin; chunk < end; chunk += kChunk<kVectors>) {
    __syncthreads();  // all have read the chunk before
    stage_vectors<kVectors>(staged, arguments, chunk, end);
    __syncthreads();
#pragma unroll 1
    for (int k = chunk; k < min(end, chunk + kChunk<kVectors>); k += 2 * kBatch) {
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const int at = k + half * kBatch + warp;
        load_batch<kAligned>(rows[1 - half], arguments, from, at + kBatch, end, inside);
#pragma unroll
        for (int i = 0; i < kUnroll; ++i) {
          const float* const factors = staged[at - chunk + i * kWarps];
#pragma unroll
          for (int v = 0; v < kVectors; ++v) {
            sums[v][0] += factors[v] * rows[half][i].x;
            sums[v][1] += factors[v] * rows[half][i].y;
            sums[v][2] += factors[v] * rows[half][i].z;
            sums[v][3] += factors[v] * rows[half][i].w;
          }
        }
      }
    }
  }
#pragma unroll
  for (int v = 0; v < kVectors; ++v) {
#pragma unroll
    for (int i = 0; i < kFour; ++i) sums_of_warps[warp][v][offset<kAligned>(i)] = sums[v][i];
  }
  __syncthreads();
  float* const all = &sums_of_warps[0][0][0];
  for (int i = threadIdx.x; i < kVectors * kWarpFours; i += kThreads) {
    float sum = all[i];
#pragma unroll
    for (int other = 1; other < kWarps; ++other) sum += all[other * kVectors * kWarpFours + i];
    all[i] = sum;
  }
  finish<kVectors, kWarpFours, kMeeting>(arguments, all, place, first);
}

template <int kVectors, bool kAligned>
Plan plan_of(bool clusters) {
  return {clusters ? down_kernel<kVectors, kAligned, Meeting::kCluster>
                   : down_kernel<kVectors, kAligned, Meeting::kMemory>,
          kWarpFours, kVectors, kBatch, 0};
}

template <bool kAligned>
Plan plan_for(int count, bool clusters) {
  if (count == 1) return plan_of<1, kAligned>(clusters);
  if (count == 2) return plan_of<2, kAligned>(clusters);
  return count <= 4 ? plan_of<4, kAligned>(clusters) : plan_of<8, kAligned>(clusters);
}

}  // namespace

Plan plan_down(int count, bool aligned, bool clusters) {
  return aligned ? plan_for<true>(count, clusters) : plan_for<false>(count, clusters);
}

}  // namespace gemmlab::gpu::thin
