// S is stored as (length, K): K runs along its rows. A few columns of C = A times a few columns of B.
//
// Limit: memory, 4 bytes of S per `count` multiply-adds, as in k_down_rows.cu. The vectors come from shared memory, once per
// four rows of S: an SM takes 17 bytes of S per clock cycle from memory, and 16 bytes times `count` of vectors per 64
// bytes of S are 35 of the 128 bytes that shared memory gives, for eight. Seen on an H200 at 4096 x 4096: 19.6 us for
// one vector, 23.5 for four, 30 for eight; of these some 4 went into eight-way conflicts while the vectors were staged,
// which rows of 4 floats more avoid. Prediction: 26 for eight.

#include "gpu/gemm/thin/finish.h"
#include "gpu/gemm/thin/four_floats.h"
#include "gpu/gemm/thin/plan.h"

namespace gemmlab::gpu::thin {
namespace {

constexpr int kThreads = 256;
constexpr int kWarps = kThreads / kWarp;
constexpr int kRows = 4;  // of S, a warp
constexpr int kResults = kWarps * kRows;
constexpr int kAtOnce = kWarp * kFour;  // floats of a row that a warp reads at once
/// Of kAtOnce: what a warp has in flight of each row, and as much that it works on.
template <int kVectors>
constexpr int kUnroll = kVectors == 8 ? 1 : 2;
template <int kVectors>
constexpr int kBatch = kUnroll<kVectors>* kAtOnce;
/// Of K: elements of the vectors that lie in shared memory at once. An even number of batches.
template <int kVectors>
constexpr int kChunk = kVectors == 8 ? 1024 : 2048;

/// Four floats more in a row: neighbours across the vectors are then written to different banks.
template <int kVectors>
using Staged = float[kVectors][kChunk<kVectors> + kFour];
template <int kCount>
using Fours = float4[kCount][kRows];

/// A warp's rows of S, from left to right.
template <bool kAligned>
struct Rows {
  const float* from[kRows];
  int left;  ///< of K

  template <int kCount>
  __device__ void load_batch(Fours<kCount>& fours) {
#pragma unroll
    for (int i = 0; i < kCount; ++i) {
#pragma unroll
      for (int r = 0; r < kRows; ++r) {
        fours[i][r] = load<kWarp, kAligned>(from[r], left);
        from[r] += kAtOnce;
      }
      left -= kAtOnce;
    }
  }
};

template <int kVectors>
__device__ void stage_vectors(Staged<kVectors>& staged, const Arguments& arguments, int k0, int end) {
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
  if constexpr (kAligned) return *reinterpret_cast<const float4*>(at + offset<kWarp, true>(0));
  return make_float4(at[offset<kWarp, false>(0)], at[offset<kWarp, false>(1)], at[offset<kWarp, false>(2)],
                     at[offset<kWarp, false>(3)]);
}

template <int kVectors, int kCount, bool kAligned>
__device__ void multiply(float (&sums)[kVectors][kRows], const Fours<kCount>& fours,
                         const Staged<kVectors>& staged, int at) {
#pragma unroll
  for (int i = 0; i < kCount; ++i) {
#pragma unroll
    for (int v = 0; v < kVectors; ++v) {
      const float4 factors = staged_four<kAligned>(&staged[v][at + i * kAtOnce]);
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

template <int kVectors, bool kAligned>
__global__ void __launch_bounds__(kThreads, 2) along_kernel(const Arguments arguments) {
  constexpr int kStep = kBatch<kVectors>;
  constexpr int kCount = kUnroll<kVectors>;
  static_assert(kChunk<kVectors> % (2 * kStep) == 0, "two batches change places");
  __shared__ alignas(16) Staged<kVectors> staged;
  __shared__ float all[kVectors][kResults];
  const Place place = place_of(arguments);
  const int first = place.group * kResults;
  const Range range = range_of(arguments, place, kStep);
  const int row = threadIdx.x / kWarp * kRows;
  Rows<kAligned> source;  // beyond the last, the last once more, for sums that nobody stores
#pragma unroll
  for (int r = 0; r < kRows; ++r) {
    source.from[r] =
        arguments.large + min(first + row + r, arguments.length - 1) * arguments.stride + range.begin;
  }
  source.left = range.end - range.begin;

  float sums[kVectors][kRows] = {};
  Fours<kCount> fours[2];
  source.load_batch(fours[0]);
  for (int chunk = range.begin; chunk < range.end; chunk += kChunk<kVectors>) {
    __syncthreads();  // all have read the chunk before
    stage_vectors<kVectors>(staged, arguments, chunk, range.end);
    __syncthreads();
    const int behind = min(range.end, chunk + kChunk<kVectors>);
#pragma unroll 1
    for (int k = chunk; k < behind; k += 2 * kStep) {
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        source.load_batch(fours[1 - half]);
        multiply<kVectors, kCount, kAligned>(sums, fours[half], staged, k - chunk + half * kStep);
      }
    }
  }
#pragma unroll
  for (int v = 0; v < kVectors; ++v) {
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
      const float sum = group_sum(sums[v][r]);
      if (threadIdx.x % kWarp == 0) all[v][row + r] = sum;
    }
  }
  finish<kThreads, kVectors, kResults>(arguments, &all[0][0], place, first);
}

template <int kVectors>
Plan plan_of(bool aligned) {
  return {aligned ? along_kernel<kVectors, true> : along_kernel<kVectors, false>,
          kThreads,
          2,
          kResults,
          kVectors,
          kBatch<kVectors>};
}

}  // namespace

Plan plan_along(int count, bool aligned) {
  if (count == 1) return plan_of<1>(aligned);
  if (count == 2) return plan_of<2>(aligned);
  return count <= 4 ? plan_of<4>(aligned) : plan_of<8>(aligned);
}

}  // namespace gemmlab::gpu::thin
