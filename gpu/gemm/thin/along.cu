// S is stored as (length, K): K runs along its rows. C's column(s) = A times a few columns of B.
//
// Limit: memory, 4 bytes of S per `count` multiply-adds, as in down.cu. The vectors come from shared memory, once per
// four rows of S: an SM takes 17 bytes of S per clock cycle from memory, and 16 bytes times `count` of vectors per 64
// bytes of S are 35 of the 128 bytes that shared memory gives, for eight.
// Prediction: as down.cu, 17.5 us at 4096 x 4096.

#include "gpu/gemm/thin/finish.h"
#include "gpu/gemm/thin/fours.h"
#include "gpu/gemm/thin/plan.h"

namespace gemmlab::gpu::thin {
namespace {

constexpr int kWarps = kThreads / 32;
constexpr int kRows = 4;    // of S, a warp
constexpr int kResults = kWarps * kRows;
constexpr int kUnroll = 2;  // of 128 floats: what a warp has in flight of each row, and as much that it works on
constexpr int kBatch = kUnroll * kWarpFours;
/// Of K: what lies in shared memory of the vectors.
template <int kVectors>
constexpr int kChunk = kVectors == 8 ? 1024 : 2048;

using Fours = float4[kUnroll][kRows];

template <bool kAligned>
__device__ void load_batch(Fours& fours, const float* const (&rows)[kRows], int k, int end) {
#pragma unroll
  for (int i = 0; i < kUnroll; ++i) {
#pragma unroll
    for (int r = 0; r < kRows; ++r)
      fours[i][r] = load<kAligned>(rows[r] + k + i * kWarpFours, end - k - i * kWarpFours);
  }
}

template <int kVectors>
__device__ void stage_vectors(float (&staged)[kVectors][kChunk<kVectors>], const Arguments& arguments, int k0,
                              int end) {
  // neighbouring threads read neighbours: along the vectors, or across them
  const bool across = arguments.vectors_apart < arguments.vector_step;
  for (int i = threadIdx.x; i < kChunk<kVectors> * kVectors; i += kThreads) {
    const int k = across ? i / kVectors : i % kChunk<kVectors>;
    const int v = across ? i % kVectors : i / kChunk<kVectors>;
    staged[v][k] = k0 + k < end && v < arguments.count
                       ? arguments.vectors[(k0 + k) * arguments.vector_step + v * arguments.vectors_apart]
                       : 0;
  }
}

template <bool kAligned>
__device__ float4 staged_four(const float* at) {
  if constexpr (kAligned) return *reinterpret_cast<const float4*>(at + offset<true>(0));
  return make_float4(at[offset<false>(0)], at[offset<false>(1)], at[offset<false>(2)], at[offset<false>(3)]);
}

template <int kVectors, bool kAligned>
__device__ void multiply(float (&sums)[kVectors][kRows], const Fours& fours,
                         const float (&staged)[kVectors][kChunk<kVectors>], int at) {
#pragma unroll
  for (int i = 0; i < kUnroll; ++i) {
#pragma unroll
    for (int v = 0; v < kVectors; ++v) {
      const float4 factors = staged_four<kAligned>(&staged[v][at + i * kWarpFours]);
#pragma unroll
      for (int r = 0; r < kRows; ++r) {
        sums[v][r] += factors.x * fours[i][r].x;
        sums[v][r] += factors.y * fours[i][r].y;
        sums[v][r] += factors.z * fours[i][r].z;
        sums[v][r] += factors.w * fours[i][r].w;
      }
    }
  }
}

template <int kVectors, bool kAligned, Meeting kMeeting>
__global__ void __launch_bounds__(kThreads, 2) along_kernel(const Arguments arguments) {
  __shared__ alignas(16) float staged[kVectors][kChunk<kVectors>];
  __shared__ float all[kVectors][kResults];
  const Place place = place_of(arguments);
  const int first = place.group * kResults;
  const int batches = (arguments.K + kBatch - 1) / kBatch;
  const int begin = static_cast<int>(static_cast<std::int64_t>(batches) * place.split / arguments.splits) * kBatch;
  const int end = min(
      arguments.K, static_cast<int>(static_cast<std::int64_t>(batches) * (place.split + 1) / arguments.splits) * kBatch);
  const int row = threadIdx.x / 32 * kRows;
  const float* rows[kRows];  // beyond the last, the last once more, for sums that nobody stores
#pragma unroll
  for (int r = 0; r < kRows; ++r)
    rows[r] = arguments.large + min(first + row + r, arguments.length - 1) * arguments.stride;

  float sums[kVectors][kRows] = {};
  Fours fours[2];
  load_batch<kAligned>(fours[0], rows, begin, end);
  for (int chunk = begin; chunk < end; chunk += kChunk<kVectors>) {
    __syncthreads();  // all have read the chunk before
    stage_vectors<kVectors>(staged, arguments, chunk, end);
    __syncthreads();
#pragma unroll 1
    for (int k = chunk; k < min(end, chunk + kChunk<kVectors>); k += 2 * kBatch) {
      load_batch<kAligned>(fours[1], rows, k + kBatch, end);
      multiply<kVectors, kAligned>(sums, fours[0], staged, k - chunk);
      load_batch<kAligned>(fours[0], rows, k + 2 * kBatch, end);
      multiply<kVectors, kAligned>(sums, fours[1], staged, k - chunk + kBatch);
    }
  }
#pragma unroll
  for (int v = 0; v < kVectors; ++v) {
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
      const float sum = group_sum(sums[v][r]);
      if (threadIdx.x % 32 == 0) all[v][row + r] = sum;
    }
  }
  finish<kVectors, kResults, kMeeting>(arguments, &all[0][0], place, first);
}

template <int kVectors, bool kAligned>
Plan plan_of(bool clusters) {
  return {clusters ? along_kernel<kVectors, kAligned, Meeting::kCluster>
                   : along_kernel<kVectors, kAligned, Meeting::kMemory>,
          kResults, kVectors, kBatch, 0};
}

template <bool kAligned>
Plan plan_for(int count, bool clusters) {
  if (count == 1) return plan_of<1, kAligned>(clusters);
  if (count == 2) return plan_of<2, kAligned>(clusters);
  return count <= 4 ? plan_of<4, kAligned>(clusters) : plan_of<8, kAligned>(clusters);
}

}  // namespace

Plan plan_along(int count, bool aligned, bool clusters) {
  return aligned ? plan_for<true>(count, clusters) : plan_for<false>(count, clusters);
}

}  // namespace gemmlab::gpu::thin
