#pragma once

// The block that the rungs mma_sync to mma_warp_tiled share: parts of A and B in shared memory, fragments by ldmatrix, products by
// mma.sync. What a rung changes is a constant of its Tile. Source: PTX ISA, ldmatrix, mma, cp.async.
//
// Of 16-bit elements a 16-byte chunk holds eight; ldmatrix reads eight chunks at a time, one of each of eight rows, and shared
// memory serves them in one go if they lie in different eighths of its 128 bytes.

#include <cuda_runtime.h>

#include <cstdint>
#include <type_traits>

#include "gpu/gemm/session.h"
#include "gpu/gemm/tensor/instructions/ptx_sm80.h"
#include "gpu/gemm/wmma/typed_row.h"
#include "gpu/gemm/wmma/types.h"

namespace gemmlab::gpu::tensor_core {

/// What one rung differs from another in. A block computes BM×BN of C by warps of WM×WN, in steps of BK terms.
template <int kBM, int kBN, int kBK, int kWM, int kWN, bool kSwizzle, int kStageCount, int kGroupRows = 0>
struct Tile {
  static constexpr int BM = kBM;
  static constexpr int BN = kBN;
  static constexpr int BK = kBK;
  static constexpr int WM = kWM;
  static constexpr int WN = kWN;
  static constexpr bool kSwizzled = kSwizzle;  ///< chunks of a row lie in another order in each row
  static constexpr int kStages = kStageCount;  ///< parts that are under way or in use; 1: through registers
  static constexpr int kGroup = kGroupRows;    ///< rows of tiles that are taken together; 0: row by row
  static constexpr int kThreads = 32 * (BM / WM) * (BN / WN);
  static constexpr int kBytes = 2 * BK * (BM + BN) * kStages;
};

#ifdef __CUDACC__

namespace sm80 = parts::sm80;

constexpr int kChunk = 8;       // elements of 16 bytes
constexpr int kPieceRows = 16;  // rows of A, terms of both
constexpr int kPieceCols = 8;   // columns of B

__device__ inline unsigned shared_address(const void* pointer) {
  return static_cast<unsigned>(__cvta_generic_to_shared(pointer));
}

/// Where chunk `chunk` of row `row` lies, in elements. A's rows of 32 elements are half of 128 bytes: two of them share an order.
template <class T>
__device__ inline int place_a(int row, int chunk) {
  return row * T::BK + (T::kSwizzled ? chunk ^ (row / 2 % (T::BK / kChunk)) : chunk) * kChunk;
}
template <class T>
__device__ inline int place_b(int row, int chunk) {
  return row * T::BN + (T::kSwizzled ? chunk ^ (row % kChunk) : chunk) * kChunk;
}

/// D += A·B for 16×8 of A and 8×8 of B, as sm_75 has it, of float16 alone.
__device__ inline void multiply_8_terms(float (&D)[4], unsigned A0, unsigned A1, unsigned B) {
  asm volatile(
      "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
      : "+f"(D[0]), "+f"(D[1]), "+f"(D[2]), "+f"(D[3])
      : "r"(A0), "r"(A1), "r"(B));
}

/// D += A·B for 16×16 of A and 16×8 of B.
template <typename In>
__device__ inline void multiply(float (&D)[4], const unsigned (&A)[4], unsigned B0, unsigned B1) {
#if __CUDA_ARCH__ >= 800
  sm80::mma(D, A, B0, B1, In());
#else
  if constexpr (std::is_same_v<In, Float16>) {
    multiply_8_terms(D, A[0], A[1], B0);
    multiply_8_terms(D, A[2], A[3], B1);
  }
#endif
}

/// A chunk of a row-major matrix from (row, col) on, zeros beyond its ends; whole where rows start at multiples of 16 bytes.
template <bool kAligned, typename In>
__device__ inline uint4 chunk_of(const In* from, int row, int col, int rows, int cols) {
  uint4 found = make_uint4(0, 0, 0, 0);
  if (row >= rows || col >= cols) return found;
  const In* at = from + static_cast<std::int64_t>(row) * cols + col;
  if constexpr (kAligned) {
    found = *reinterpret_cast<const uint4*>(at);
  } else {
    In* elements = reinterpret_cast<In*>(&found);
#pragma unroll
    for (int i = 0; i < kChunk; ++i) {
      if (col + i < cols) elements[i] = at[i];
    }
  }
  return found;
}

/// A block's tile: row by row, or groups of kGroup rows of tiles column by column, so that the blocks that run at a time share
/// rows of A and columns of B in the L2.
template <class T>
__device__ inline TileCorner corner_of(int M, int N) {
  if constexpr (T::kGroup == 0) {
    return tile_corner(N, T::BM, T::BN);
  } else {
    const int down = (M + T::BM - 1) / T::BM;
    const int across = (N + T::BN - 1) / T::BN;
    const int group = static_cast<int>(blockIdx.x) / (T::kGroup * across);
    const int rows = min(T::kGroup, down - group * T::kGroup);
    const int within = static_cast<int>(blockIdx.x) - group * T::kGroup * across;
    return {(group * T::kGroup + within % rows) * T::BM, within / rows * T::BN};
  }
}

/// The parts of A and B from term `k0` on, to shared memory.
template <class T, bool kAligned, typename In>
class Loader {
 public:
  __device__ Loader(const In* A, const In* B, TileCorner corner, int M, int N, int K)
      : A_(A), B_(B), corner_(corner), M_(M), N_(N), K_(K) {}

  /// Through registers: what load() took store() puts where it is multiplied from.
  __device__ void load(int k0) {
#pragma unroll
    for (int i = 0; i < kOfA; ++i) held_[i] = chunk_of<kAligned>(A_, row_a(i), k0 + col_a(i), M_, K_);
#pragma unroll
    for (int i = 0; i < kOfB; ++i) held_[kOfA + i] = chunk_of<kAligned>(B_, k0 + row_b(i), col_b(i), K_, N_);
  }
  __device__ void store(In* part_a, In* part_b) {
#pragma unroll
    for (int i = 0; i < kOfA; ++i) *reinterpret_cast<uint4*>(part_a + to_a(i)) = held_[i];
#pragma unroll
    for (int i = 0; i < kOfB; ++i) *reinterpret_cast<uint4*>(part_b + to_b(i)) = held_[kOfA + i];
  }
  /// Past the registers, where rows are aligned.
  __device__ void copy(int k0, In* part_a, In* part_b) {
    if constexpr (kAligned) {
#pragma unroll
      for (int i = 0; i < kOfA; ++i) copy_one(A_, row_a(i), k0 + col_a(i), M_, K_, part_a + to_a(i));
#pragma unroll
      for (int i = 0; i < kOfB; ++i) copy_one(B_, k0 + row_b(i), col_b(i), K_, N_, part_b + to_b(i));
    } else {
      load(k0);
      store(part_a, part_b);
    }
  }

 private:
  static constexpr int kAcrossA = T::BK / kChunk;
  static constexpr int kAcrossB = T::BN / kChunk;
  static constexpr int kOfA = T::BM * kAcrossA / T::kThreads;
  static constexpr int kOfB = T::BK * kAcrossB / T::kThreads;

  __device__ static void copy_one(const In* from, int row, int col, int rows, int cols, In* to) {
    const bool inside = row < rows && col < cols;
    sm80::copy_async(shared_address(to), inside ? from + static_cast<std::int64_t>(row) * cols + col : from,
                     inside);
  }
  __device__ int chunk(int i) const {
    return static_cast<int>(threadIdx.x) + i * T::kThreads;
  }
  __device__ int row_a(int i) const {
    return corner_.row + chunk(i) / kAcrossA;
  }
  __device__ int col_a(int i) const {
    return chunk(i) % kAcrossA * kChunk;
  }
  __device__ int row_b(int i) const {
    return chunk(i) / kAcrossB;
  }
  __device__ int col_b(int i) const {
    return corner_.col + chunk(i) % kAcrossB * kChunk;
  }
  __device__ int to_a(int i) const {
    return place_a<T>(chunk(i) / kAcrossA, chunk(i) % kAcrossA);
  }
  __device__ int to_b(int i) const {
    return place_b<T>(chunk(i) / kAcrossB, chunk(i) % kAcrossB);
  }

  const In* A_;
  const In* B_;
  TileCorner corner_;
  int M_;
  int N_;
  int K_;
  uint4 held_[kOfA + kOfB];
};

/// A warp's WM×WN of C, in registers: a lane holds of each 16×8 rows lane / 4 and 8 more, columns 2·(lane % 4) and the next.
template <class T, typename In>
class WarpTile {
 public:
  __device__ WarpTile() {
    const int warp = threadIdx.x / 32;
    row_ = warp / (T::BN / T::WN) * T::WM;
    col_ = warp % (T::BN / T::WN) * T::WN;
    lane_ = threadIdx.x % 32;
  }

  __device__ void multiply_parts(const In* part_a, const In* part_b) {
#pragma unroll
    for (int k = 0; k < T::BK; k += kPieceRows) {
      unsigned a[kDown][4];
      unsigned b[kAcross / 2][4];
#pragma unroll
      for (int i = 0; i < kDown; ++i) {
        const int row = row_ + i * kPieceRows + lane_ % 16;
        sm80::load_matrices(a[i], shared_address(part_a + place_a<T>(row, k / kChunk + lane_ / 16)));
      }
#pragma unroll
      for (int j = 0; j < kAcross / 2; ++j) {
        const int chunk = (col_ + j * 2 * kPieceCols) / kChunk + lane_ / 16;
        sm80::load_matrices_transposed(b[j], shared_address(part_b + place_b<T>(k + lane_ % 16, chunk)));
      }
#pragma unroll
      for (int i = 0; i < kDown; ++i) {
#pragma unroll
        for (int j = 0; j < kAcross; ++j)
          multiply<In>(sums_[i][j], a[i], b[j / 2][j % 2 * 2], b[j / 2][j % 2 * 2 + 1]);
      }
    }
  }

  /// kPairs: N is even, and two neighbours are written at a time.
  template <bool kPairs, typename Out>
  __device__ void write(Out* C, TileCorner corner, int M, int N) const {
#pragma unroll
    for (int i = 0; i < kDown; ++i) {
#pragma unroll
      for (int j = 0; j < kAcross; ++j) {
#pragma unroll
        for (int half = 0; half < 2; ++half) {
          const int row = corner.row + row_ + i * kPieceRows + lane_ / 4 + half * 8;
          const int col = corner.col + col_ + j * kPieceCols + lane_ % 4 * 2;
          if (row >= M || col >= N) continue;
          struct alignas(2 * sizeof(Out)) Pair {
            Out at[2];
          } pair;
          store(&pair.at[0], sums_[i][j][2 * half]);
          store(&pair.at[1], sums_[i][j][2 * half + 1]);
          Out* const to = &C[static_cast<std::int64_t>(row) * N + col];
          if constexpr (kPairs) {
            *reinterpret_cast<Pair*>(to) = pair;
          } else {
            to[0] = pair.at[0];
            if (col + 1 < N) to[1] = pair.at[1];
          }
        }
      }
    }
  }

 private:
  static constexpr int kDown = T::WM / kPieceRows;
  static constexpr int kAcross = T::WN / kPieceCols;
  int row_;
  int col_;
  int lane_;
  float sums_[kDown][kAcross][4] = {};
};

/// C = A·B. A (M, K), B (K, N), C (M, N), row-major, A and B of In, C of Out, summed in float32. C is overwritten, never read.
/// kAligned: every row starts at a multiple of 16 bytes.
template <class T, bool kAligned, typename In, typename Out>
__global__ void __launch_bounds__(T::kThreads)
    mma_kernel(const In* A, const In* B, Out* C, int M, int N, int K) {
  extern __shared__ uint4 dynamic_shared_memory[];
  In* const parts = reinterpret_cast<In*>(dynamic_shared_memory);
  constexpr int kPart = T::BK * (T::BM + T::BN);
  const TileCorner corner = corner_of<T>(M, N);
  Loader<T, kAligned, In> loader(A, B, corner, M, N, K);
  WarpTile<T, In> tile;
  if constexpr (T::kStages == 1) {
    for (int k0 = 0; k0 < K; k0 += T::BK) {
      loader.load(k0);
      __syncthreads();  // until the part before has been used
      loader.store(parts, parts + T::BK * T::BM);
      __syncthreads();
      tile.multiply_parts(parts, parts + T::BK * T::BM);
    }
  } else {
    const int steps = (K + T::BK - 1) / T::BK;
    for (int step = 0; step < T::kStages - 1; ++step) {
      In* const part = parts + step * kPart;
      if (step < steps) loader.copy(step * T::BK, part, part + T::BK * T::BM);
      sm80::copies_commit();
    }
    for (int step = 0; step < steps; ++step) {
      sm80::copies_wait<T::kStages - 2>();
      __syncthreads();  // all threads' copies of this step are there, and the oldest part is no longer used
      const int next = step + T::kStages - 1;
      In* const coming = parts + next % T::kStages * kPart;
      if (next < steps) loader.copy(next * T::BK, coming, coming + T::BK * T::BM);
      sm80::copies_commit();
      const In* const part = parts + step % T::kStages * kPart;
      tile.multiply_parts(part, part + T::BK * T::BM);
    }
  }
  tile.template write<kAligned>(C, corner, M, N);
}

/// A rung's plans, of the least compute capability that it takes.
template <class T, int kCapability>
struct MmaRung {
  template <typename In, typename Out>
  struct Of {
    static TypedPlan plan() {
      TypedPlan found;
      found.kernel = reinterpret_cast<const void*>(&mma_kernel<T, false, In, Out>);
      found.aligned_kernel = reinterpret_cast<const void*>(&mma_kernel<T, true, In, Out>);
      found.threads = T::kThreads;
      found.BM = T::BM;
      found.BN = T::BN;
      found.shared_bytes = T::kBytes;
      found.compute_capability = std::is_same_v<In, Bfloat16> ? 80 : kCapability;
      return found;
    }
  };
  static TypedPlan plan(const GemmTypes& types) { return of_16_bits<Of>(types); }
};

#endif

}  // namespace gemmlab::gpu::tensor_core
