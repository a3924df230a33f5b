// S is stored as (K, length): K runs down its rows. A few rows of C = a few rows of A times B.
//
// Limit: memory, 4 bytes of S per `count` multiply-adds. At 4096 x 4096 on an H200 67.1 MB are 14.8 us at 4.55 TB/s.
// A block of 512 threads takes 32 columns, 128 bytes of each row, so that at 4096 columns and more no block has to
// share K with another. Seen before, with 128 columns per block of 256 threads and K in eight parts: 20.5 us for one
// vector, 22.5 for four and 26 for eight. Prediction: 18 us for one, as cuBLAS, and 20 for eight; 0.92 of the roof at 8192.

#include "gpu/gemm/thin/finish.h"
#include "gpu/gemm/thin/fours.h"
#include "gpu/gemm/thin/plan.h"

namespace gemmlab::gpu::thin {
namespace {

constexpr int kThreads = 512;
constexpr int kWarps = kThreads / kWarp;
constexpr int kAcross = 8;                // lanes side by side, four floats each
constexpr int kDeep = kWarp / kAcross;    // rows of S that a warp reads at once
constexpr int kResults = kAcross * kFour;
constexpr int kRowsAtOnce = kWarps * kDeep;

/// Rows of S that a thread has in flight, and as many that it works on: what registers leave room for.
template <int kVectors, bool kAligned>
constexpr int kUnroll = kVectors == 8 && !kAligned ? 2 : kVectors >= 4 || !kAligned ? 4 : 8;
template <int kVectors, bool kAligned>
constexpr int kBatch = kRowsAtOnce* kUnroll<kVectors, kAligned>;  // rows of a block
/// Of K: elements of the vectors that lie in shared memory at once. An even number of batches.
template <int kVectors>
constexpr int kChunk = kVectors == 1 ? 4096 : kVectors == 8 ? 512 : 1024;
/// Floats from one element of the vectors to the next: of eight, so that fewer writes meet in a bank.
template <int kVectors>
constexpr int kApart = kVectors == 8 ? 12 : kVectors;

template <int kVectors>
using Staged = float[kChunk<kVectors>][kApart<kVectors>];

/// A thread's rows of S, in order.
template <bool kAligned>
struct Rows {
  const float* from;  ///< the next one's columns
  std::int64_t step;  ///< floats from it to the one behind
  int left;           ///< of K
  int inside;         ///< floats of each

  template <int kCount>
  __device__ void load_batch(float4 (&rows)[kCount]) {
#pragma unroll
    for (int i = 0; i < kCount; ++i) {
      rows[i] = load<kAcross, kAligned>(from, i * kRowsAtOnce < left ? inside : 0);
      from += step;
    }
    left -= kCount * kRowsAtOnce;
  }
};

template <int kVectors>
__device__ void stage_vectors(Staged<kVectors>& staged, const Arguments& arguments, int k0, int end) {
  for (int i = threadIdx.x; i < kChunk<kVectors> * kVectors; i += kThreads) {
    const int k = i % kChunk<kVectors>;
    const int v = i / kChunk<kVectors>;
    staged[k][v] = k0 + k < end && v < arguments.count
                       ? arguments.vectors[(k0 + k) * arguments.vector_step + v * arguments.vectors_apart]
                       : 0;
  }
}

/// sums += a row of S, at this lane's columns, times the vectors' elements there.
template <int kVectors>
__device__ void multiply(float (&sums)[kVectors][kFour], const float* factors, const float4& row) {
#pragma unroll
  for (int v = 0; v < kVectors; ++v) {
    sums[v][0] += factors[v] * row.x;
    sums[v][1] += factors[v] * row.y;
    sums[v][2] += factors[v] * row.z;
    sums[v][3] += factors[v] * row.w;
  }
}

/// The block's sums, in `all`: first those of a warp's rows, then those of the warps.
template <int kVectors, bool kAligned>
__device__ void add_up(float (&all)[kWarps][kVectors][kResults], const float (&sums)[kVectors][kFour]) {
#pragma unroll
  for (int v = 0; v < kVectors; ++v) {
#pragma unroll
    for (int i = 0; i < kFour; ++i) {
      float sum = sums[v][i];
#pragma unroll
      for (int distance = kAcross; distance < kWarp; distance *= 2)
        sum += __shfl_xor_sync(0xffffffffu, sum, distance);
      if (threadIdx.x % kWarp < kAcross) all[threadIdx.x / kWarp][v][offset<kAcross, kAligned>(i)] = sum;
    }
  }
  __syncthreads();
  float* const first = &all[0][0][0];
  for (int i = threadIdx.x; i < kVectors * kResults; i += kThreads) {
    float sum = first[i];
#pragma unroll
    for (int warp = 1; warp < kWarps; ++warp) sum += first[warp * kVectors * kResults + i];
    first[i] = sum;
  }
}

template <int kVectors, bool kAligned>
__global__ void __launch_bounds__(kThreads, 1) down_kernel(const Arguments arguments) {
  constexpr int kStep = kBatch<kVectors, kAligned>;
  constexpr int kCount = kUnroll<kVectors, kAligned>;
  static_assert(kChunk<kVectors> % (2 * kStep) == 0, "two batches change places");
  __shared__ alignas(16) Staged<kVectors> staged;
  __shared__ float all[kWarps][kVectors][kResults];
  const Place place = place_of(arguments);
  const int first = place.group * kResults;
  const Range range = range_of(arguments, place, kStep);
  const int mine = threadIdx.x / kWarp * kDeep + threadIdx.x % kWarp / kAcross;
  Rows<kAligned> source{arguments.large + first + (range.begin + mine) * arguments.stride,
                        kRowsAtOnce * arguments.stride, range.end - range.begin - mine, arguments.readable - first};

  float sums[kVectors][kFour] = {};
  float4 rows[2][kCount];
  source.load_batch(rows[0]);
  for (int chunk = range.begin; chunk < range.end; chunk += kChunk<kVectors>) {
    __syncthreads();  // all have read the chunk before
    stage_vectors<kVectors>(staged, arguments, chunk, range.end);
    __syncthreads();
    const int behind = min(range.end, chunk + kChunk<kVectors>);
#pragma unroll 1
    for (int k = chunk; k < behind; k += 2 * kStep) {
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const int at = k + half * kStep + mine;
        source.load_batch(rows[1 - half]);
#pragma unroll
        for (int i = 0; i < kCount; ++i)
          multiply<kVectors>(sums, staged[at - chunk + i * kRowsAtOnce], rows[half][i]);
      }
    }
  }
  add_up<kVectors, kAligned>(all, sums);
  finish<kThreads, kVectors, kResults>(arguments, &all[0][0][0], place, first);
}

template <int kVectors>
Plan plan_of(bool aligned) {
  return {aligned ? down_kernel<kVectors, true> : down_kernel<kVectors, false>,
          kThreads, 1, kResults, kVectors, kBatch<kVectors, true>};
}

}  // namespace

Plan plan_down(int count, bool aligned) {
  if (count == 1) return plan_of<1>(aligned);
  if (count == 2) return plan_of<2>(aligned);
  return count <= 4 ? plan_of<4>(aligned) : plan_of<8>(aligned);
}

}  // namespace gemmlab::gpu::thin
