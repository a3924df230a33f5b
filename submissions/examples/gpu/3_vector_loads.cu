// Sixteen bytes per load, and the next tiles on their way while these are multiplied.
//
// What it buys: 2_register_tiled.cu moves one float per instruction, and an SM that issues a load issues no
// multiplication in that slot. With float4 a quarter of the loads is left. There are two pairs of tiles:
// while one is multiplied, the next is fetched into registers and then stored to the other pair, so that the
// time of a fetch is hidden behind arithmetic, and one barrier per step is enough. What is left: the
// multipliers still share their issue slots with loads from shared memory. Larger pieces per thread and
// asynchronous copies that bypass registers (cp.async) are the next steps.
//
// float4 needs addresses that are multiples of 16 bytes, which holds for every row of A and B only where N
// and K are multiples of 4. Other shapes take the same kernel with scalar loads.

#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace {

constexpr int kSide = 128;   // of a block's tile of C
constexpr int kDepth = 8;    // of a tile along the inner dimension
constexpr int kAcross = 16;  // threads along each side of the tile
constexpr int kThreads = kAcross * kAcross;
constexpr int kVector = 4;
constexpr int kApart = kAcross * kVector;  // a thread has fours of rows and columns, this far apart
constexpr int kPiece = kSide / kAcross;    // rows and columns of a thread
constexpr int kRowOfA = kSide + kVector;   // floats from one step to the next in A's tile
static_assert(kSide * kDepth == kThreads * kVector, "each thread fetches one float4 of A and one of B");

/// Four neighbouring floats, of which `inside` lie in the matrix; zeros for the others.
template <bool kAligned>
__device__ float4 load_four(const float* from, int inside) {
  if (inside <= 0) return make_float4(0, 0, 0, 0);
  if constexpr (kAligned) {
    return *reinterpret_cast<const float4*>(from);
  } else {
    return make_float4(from[0], inside > 1 ? from[1] : 0, inside > 2 ? from[2] : 0, inside > 3 ? from[3] : 0);
  }
}

template <bool kAligned>
__device__ void store_four(float* to, const float* values, int inside) {
  if (inside <= 0) return;
  if constexpr (kAligned) {
    *reinterpret_cast<float4*>(to) = make_float4(values[0], values[1], values[2], values[3]);
  } else {
#pragma unroll
    for (int v = 0; v < kVector; ++v) {
      if (v < inside) to[v] = values[v];
    }
  }
}

/// sums += the product of one pair of tiles.
__device__ void multiply_tiles(const float* tile_a, const float* tile_b, int thread_row, int thread_col,
                               float (&sums)[kPiece][kPiece]) {
#pragma unroll
  for (int i = 0; i < kDepth; ++i) {
    alignas(16) float a[kPiece];
    alignas(16) float b[kPiece];
#pragma unroll
    for (int p = 0; p < kPiece; p += kVector) {
      const int apart = p / kVector * kApart;
      *reinterpret_cast<float4*>(&a[p]) =
          *reinterpret_cast<const float4*>(&tile_a[i * kRowOfA + apart + thread_row]);
      *reinterpret_cast<float4*>(&b[p]) =
          *reinterpret_cast<const float4*>(&tile_b[i * kSide + apart + thread_col]);
    }
#pragma unroll
    for (int p = 0; p < kPiece; ++p) {
#pragma unroll
      for (int q = 0; q < kPiece; ++q) sums[p][q] += a[p] * b[q];
    }
  }
}

template <bool kAligned>
__global__ void __launch_bounds__(kThreads, 2)
    multiply(const float* A, const float* B, float* C, int M, int N, int K) {
  alignas(16) __shared__ float tiles_a[2][kDepth * kRowOfA];  // transposed: [inner][row]
  alignas(16) __shared__ float tiles_b[2][kDepth * kSide];

  const int tiles_across = (K - 1) / kSide + 1;
  const int row0 = blockIdx.x / tiles_across * kSide;
  const int col0 = blockIdx.x % tiles_across * kSide;
  const int thread_row = threadIdx.x / kAcross * kVector;
  const int thread_col = threadIdx.x % kAcross * kVector;

  // What this thread fetches: four steps of one row of A, four columns of one row of B.
  const int row_a = threadIdx.x / (kDepth / kVector), i_a = threadIdx.x % (kDepth / kVector) * kVector;
  const int i_b = threadIdx.x / (kSide / kVector), col_b = threadIdx.x % (kSide / kVector) * kVector;
  const float* from_a = A + static_cast<std::int64_t>(row0 + row_a) * N + i_a;
  const float* from_b = B + static_cast<std::int64_t>(i_b) * K + col0 + col_b;
  const bool row_inside = row0 + row_a < M;
  const int cols_inside = K - col0 - col_b;

  float4 next_a = load_four<kAligned>(from_a, row_inside ? N - i_a : 0);
  float4 next_b = load_four<kAligned>(from_b, i_b < N ? cols_inside : 0);
  float sums[kPiece][kPiece] = {};
  int pair = 0;
  for (int left = N; left > 0; left -= kDepth, pair ^= 1) {  // of the inner dimension
    float* tile_a = tiles_a[pair];
    float* tile_b = tiles_b[pair];
    tile_a[(i_a + 0) * kRowOfA + row_a] = next_a.x;
    tile_a[(i_a + 1) * kRowOfA + row_a] = next_a.y;
    tile_a[(i_a + 2) * kRowOfA + row_a] = next_a.z;
    tile_a[(i_a + 3) * kRowOfA + row_a] = next_a.w;
    *reinterpret_cast<float4*>(&tile_b[i_b * kSide + col_b]) = next_b;
    // Whoever has passed this barrier knows that all have finished the step before, hence that the other
    // pair may be overwritten in the next one.
    __syncthreads();

    if (left > kDepth) {
      from_a += kDepth;
      from_b += static_cast<std::int64_t>(kDepth) * K;
      next_a = load_four<kAligned>(from_a, row_inside ? left - kDepth - i_a : 0);
      next_b = load_four<kAligned>(from_b, i_b < left - kDepth ? cols_inside : 0);
    }
    multiply_tiles(tile_a, tile_b, thread_row, thread_col, sums);
  }

#pragma unroll
  for (int p = 0; p < kPiece; ++p) {
    const int row = row0 + p / kVector * kApart + thread_row + p % kVector;
    if (row >= M) break;
#pragma unroll
    for (int q = 0; q < kPiece; q += kVector) {
      const int col = col0 + q / kVector * kApart + thread_col;
      store_four<kAligned>(C + static_cast<std::int64_t>(row) * K + col, &sums[p][q], K - col);
    }
  }
}

bool aligned(const void* pointer) {
  return reinterpret_cast<std::uintptr_t>(pointer) % sizeof(float4) == 0;
}

}  // namespace

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  const unsigned tiles_down = (M - 1) / kSide + 1;
  const unsigned tiles_across = (K - 1) / kSide + 1;
  const unsigned blocks = tiles_down * tiles_across;
  if (N % kVector == 0 && K % kVector == 0 && aligned(A) && aligned(B) && aligned(C)) {
    multiply<true><<<blocks, kThreads>>>(A, B, C, M, N, K);
  } else {
    multiply<false><<<blocks, kThreads>>>(A, B, C, M, N, K);
  }
  if (const cudaError_t status = cudaGetLastError(); status != cudaSuccess) {
    std::fprintf(stderr, "multiply: %s\n", cudaGetErrorString(status));
    std::abort();
  }
}
