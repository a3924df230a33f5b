// S is stored as (K, length): K runs down its rows. A few rows of C = a few rows of A times B.
//
// Limit: memory, 4 bytes of S per `count` multiply-adds. At 4096 x 4096 on an H200 67.1 MB are 14.8 us at 4.55 TB/s.
// Two geometries. Wide: blocks of 256 threads take 128 columns, two on an SM; K is cut so that they fill it. Narrow:
// blocks of 512 threads take 32 columns, 128 bytes of each row, so that at 4096 columns no block has to share K.
// Predicted 18 us for one vector and 20 for eight. Seen at 4096 x 4096, narrow: 19.1 for one, 19.9 for two, 23.9 for
// four, 30.3 for eight; wide: 20.5, -, 22.5, 26.0; at 8 x 11008 x 4096 78 and 56, at 3 x 5000 x 7000 60 and 42. Of more
// vectors there are more elements to stage, which a block of 512 threads waits for as one; and blocks that do not fill
// the last round leave SMs idle.

#include "gpu/gemm/thin/finish.h"
#include "gpu/gemm/thin/four_floats.h"
#include "gpu/gemm/thin/plan.h"

namespace gemmlab::gpu::thin {
namespace {

/// ACROSS lanes side by side, four floats each; 32 or 8: wide or narrow.
template <int VECTORS, bool ALIGNED, int ACROSS>
struct Tile {
  static constexpr int kVectors = VECTORS;
  static constexpr bool kAligned = ALIGNED;
  static constexpr int kAcross = ACROSS;
  static constexpr int kDeep = kWarp / kAcross;  // rows of S that a warp reads at once
  static constexpr int kThreads = kDeep > 1 ? 512 : 256;
  static constexpr int kBlocksPerSm = 512 / kThreads;
  static constexpr int kWarps = kThreads / kWarp;
  static constexpr int kResults = kAcross * kFour;
  static constexpr int kRowsAtOnce = kWarps * kDeep;
  /// Rows of S that a thread has in flight, and as many that it works on: what registers leave room for.
  static constexpr int kUnroll = kVectors == 8 && !kAligned ? 2 : kVectors >= 4 || !kAligned ? 4 : 8;
  static constexpr int kBatch = kRowsAtOnce * kUnroll;  // rows of a block
  /// Of K: elements of the vectors that lie in shared memory at once. An even number of batches.
  static constexpr int kChunk = kDeep == 1 ? (kVectors == 8 ? 256 : 512)
                                           : (kVectors == 8   ? 512
                                              : kVectors == 1 ? 4096
                                                              : 1024);
  /// Floats from one element of the vectors to the next: of eight, so that fewer writes meet in a bank.
  static constexpr int kApart = kVectors == 8 && kDeep > 1 ? 12 : kVectors;
  static_assert(kChunk % (2 * kBatch) == 0, "two batches change places");

  using Staged = float[kChunk][kApart];
  using Sums = float[kVectors][kFour];
  using OfWarps = float[kWarps][kVectors][kResults];
};

/// A thread's rows of S, in order.
template <typename Tile>
struct Rows {
  const float* from;  ///< the next one's columns
  std::int64_t step;  ///< floats from it to the one behind
  int left;           ///< of K
  int inside;         ///< floats of each

  __device__ void load_batch(float4 (&rows)[Tile::kUnroll]) {
#pragma unroll
    for (int i = 0; i < Tile::kUnroll; ++i) {
      rows[i] = load<Tile::kAcross, Tile::kAligned>(from, i * Tile::kRowsAtOnce < left ? inside : 0);
      from += step;
    }
    left -= Tile::kBatch;
  }
};

template <typename Tile>
__device__ void stage_vectors(typename Tile::Staged& staged, const Arguments& arguments, int k0, int end) {
  for (int i = threadIdx.x; i < Tile::kChunk * Tile::kVectors; i += Tile::kThreads) {
    const int k = i % Tile::kChunk;
    const int v = i / Tile::kChunk;
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
template <typename Tile>
__device__ void add_up(typename Tile::OfWarps& all, const typename Tile::Sums& sums) {
#pragma unroll
  for (int v = 0; v < Tile::kVectors; ++v) {
#pragma unroll
    for (int i = 0; i < kFour; ++i) {
      float sum = sums[v][i];
#pragma unroll
      for (int distance = Tile::kAcross; distance < kWarp; distance *= 2)
        sum += __shfl_xor_sync(0xffffffffu, sum, distance);
      if (threadIdx.x % kWarp < Tile::kAcross)
        all[threadIdx.x / kWarp][v][offset<Tile::kAcross, Tile::kAligned>(i)] = sum;
    }
  }
  __syncthreads();
  constexpr int kAll = Tile::kVectors * Tile::kResults;
  float* const first = &all[0][0][0];
  for (int i = threadIdx.x; i < kAll; i += Tile::kThreads) {
    float sum = first[i];
#pragma unroll
    for (int warp = 1; warp < Tile::kWarps; ++warp) sum += first[warp * kAll + i];
    first[i] = sum;
  }
}

template <typename Tile>
__global__ void __launch_bounds__(Tile::kThreads, Tile::kBlocksPerSm) down_kernel(const Arguments arguments) {
  __shared__ alignas(16) typename Tile::Staged staged;
  __shared__ typename Tile::OfWarps all;
  const Place place = place_of(arguments);
  const int first = place.group * Tile::kResults;
  const Range range = range_of(arguments, place, Tile::kBatch);
  const int mine = threadIdx.x / kWarp * Tile::kDeep + threadIdx.x % kWarp / Tile::kAcross;
  Rows<Tile> source{arguments.large + first + (range.begin + mine) * arguments.stride,
                    Tile::kRowsAtOnce * arguments.stride, range.end - range.begin - mine,
                    arguments.readable - first};

  typename Tile::Sums sums = {};
  float4 rows[2][Tile::kUnroll];
  source.load_batch(rows[0]);
  for (int chunk = range.begin; chunk < range.end; chunk += Tile::kChunk) {
    __syncthreads();  // all have read the chunk before
    stage_vectors<Tile>(staged, arguments, chunk, range.end);
    __syncthreads();
    const int behind = min(range.end, chunk + Tile::kChunk);
#pragma unroll 1
    for (int k = chunk; k < behind; k += 2 * Tile::kBatch) {
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        source.load_batch(rows[1 - half]);
#pragma unroll
        for (int i = 0; i < Tile::kUnroll; ++i) {
          const int at = k - chunk + half * Tile::kBatch + mine + i * Tile::kRowsAtOnce;
          multiply<Tile::kVectors>(sums, staged[at], rows[half][i]);
        }
      }
    }
  }
  add_up<Tile>(all, sums);
  finish<Tile::kThreads, Tile::kVectors, Tile::kResults>(arguments, &all[0][0][0], place, first);
}

template <typename Tile>
Plan plan_of() {
  return {down_kernel<Tile>, Tile::kThreads, Tile::kBlocksPerSm,
          Tile::kResults,    Tile::kVectors, Tile::kBatch};
}

template <int kVectors>
Plan plan_for(bool aligned, bool wide) {
  if (wide) return aligned ? plan_of<Tile<kVectors, true, 32>>() : plan_of<Tile<kVectors, false, 32>>();
  return aligned ? plan_of<Tile<kVectors, true, 8>>() : plan_of<Tile<kVectors, false, 8>>();
}

}  // namespace

Plan plan_down(int count, bool aligned, bool wide) {
  if (count == 1) return plan_for<1>(aligned, wide);
  if (count == 2) return plan_for<2>(aligned, wide);
  return count <= 4 ? plan_for<4>(aligned, wide) : plan_for<8>(aligned, wide);
}

}  // namespace gemmlab::gpu::thin
