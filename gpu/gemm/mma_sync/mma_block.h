#pragma once

// The block that the rungs mma_sync to mma_warp_tiled share: parts of A and B in shared memory, fragments by ldmatrix, products by
// mma.sync. What a rung changes is a constant of its Tile. Source: PTX ISA, ldmatrix, mma, cp.async.
//
// Of 16-bit elements a 16-byte chunk holds eight; ldmatrix reads eight chunks at a time, one of each of eight rows, and shared
// memory serves them in one go if they lie in different eighths of its 128 bytes.

#include <cuda_runtime.h>

#include <cstdint>

#include "gpu/gemm/session.h"
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

/// Four 8×8 matrices of 16 bits; lane i gives the address of row i % 8 of matrix i / 8.
__device__ inline void load_matrices(unsigned (&to)[4], unsigned address) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
               : "r"(address)
               : "memory");
}
__device__ inline void load_matrices_transposed(unsigned (&to)[4], unsigned address) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
               : "r"(address)
               : "memory");
}

/// D += A·B for 16×16 of A and 16×8 of B; on sm_75, whose instruction has half the terms, in two.
__device__ inline void multiply(float (&D)[4], const unsigned (&A)[4], unsigned B0, unsigned B1, Float16) {
#if __CUDA_ARCH__ >= 800
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
      "{%0, %1, %2, %3};"
      : "+f"(D[0]), "+f"(D[1]), "+f"(D[2]), "+f"(D[3])
      : "r"(A[0]), "r"(A[1]), "r"(A[2]), "r"(A[3]), "r"(B0), "r"(B1));
#else
  asm volatile(
      "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
      : "+f"(D[0]), "+f"(D[1]), "+f"(D[2]), "+f"(D[3])
      : "r"(A[0]), "r"(A[1]), "r"(B0));
  asm volatile(
      "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
      : "+f"(D[0]), "+f"(D[1]), "+f"(D[2]), "+f"(D[3])
      : "r"(A[2]), "r"(A[3]), "r"(B1));
#endif
}
__device__ inline void multiply(float (&D)[4], const unsigned (&A)[4], unsigned B0, unsigned B1, Bfloat16) {
#if __CUDA_ARCH__ >= 800
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
      "{%0, %1, %2, %3};"
      : "+f"(D[0]), "+f"(D[1]), "+f"(D[2]), "+f"(D[3])
      : "r"(A[0]), "r"(A[1]), "r"(A[2]), "r"(A[3]), "r"(B0), "r"(B1));
#endif
}

/// 16 bytes from global memory to shared memory, zeros where not `inside`, past the registers; done where a wait says so.
__device__ inline void copy_chunk_async(void* to, const void* from, bool inside) {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(shared_address(to)), "l"(from),
               "r"(inside ? 16 : 0)
               : "memory");
#endif
}
__device__ inline void close_copies() {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}
template <int kPending>
__device__ inline void wait_for_copies() {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_group %0;" ::"n"(kPending) : "memory");
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
    copy_chunk_async(to, inside ? from + static_cast<std::int64_t>(row) * cols + col : from, inside);
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
        load_matrices(a[i], shared_address(part_a + place_a<T>(row, k / kChunk + lane_ / 16)));
      }
#pragma unroll
      for (int j = 0; j < kAcross / 2; ++j) {
        const int chunk = (col_ + j * 2 * kPieceCols) / kChunk + lane_ / 16;
        load_matrices_transposed(b[j], shared_address(part_b + place_b<T>(k + lane_ % 16, chunk)));
      }
#pragma unroll
      for (int i = 0; i < kDown; ++i) {
#pragma unroll
        for (int j = 0; j < kAcross; ++j)
          multiply(sums_[i][j], a[i], b[j / 2][j % 2 * 2], b[j / 2][j % 2 * 2 + 1], In());
      }
    }
  }

  template <typename Out>
  __device__ void write(Out* C, TileCorner corner, int M, int N) const {
#pragma unroll
    for (int i = 0; i < kDown; ++i) {
#pragma unroll
      for (int j = 0; j < kAcross; ++j) {
#pragma unroll
        for (int at = 0; at < 4; ++at) {
          const int row = corner.row + row_ + i * kPieceRows + lane_ / 4 + at / 2 * 8;
          const int col = corner.col + col_ + j * kPieceCols + lane_ % 4 * 2 + at % 2;
          if (row < M && col < N) store(&C[static_cast<std::int64_t>(row) * N + col], sums_[i][j][at]);
        }
      }
    }
  }
  /// N is even: two neighbours at a time.
  template <typename Pair, typename Out>
  __device__ void write_pairs(Out* C, TileCorner corner, int M, int N) const {
#pragma unroll
    for (int i = 0; i < kDown; ++i) {
#pragma unroll
      for (int j = 0; j < kAcross; ++j) {
#pragma unroll
        for (int half = 0; half < 2; ++half) {
          const int row = corner.row + row_ + i * kPieceRows + lane_ / 4 + half * 8;
          const int col = corner.col + col_ + j * kPieceCols + lane_ % 4 * 2;
          if (row >= M || col >= N) continue;
          Pair pair;
          store(reinterpret_cast<Out*>(&pair), sums_[i][j][2 * half]);
          store(reinterpret_cast<Out*>(&pair) + 1, sums_[i][j][2 * half + 1]);
          *reinterpret_cast<Pair*>(&C[static_cast<std::int64_t>(row) * N + col]) = pair;
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
      close_copies();
    }
    for (int step = 0; step < steps; ++step) {
      wait_for_copies<T::kStages - 2>();
      __syncthreads();  // all threads' copies of this step are there, and the oldest part is no longer used
      const int next = step + T::kStages - 1;
      In* const coming = parts + next % T::kStages * kPart;
      if (next < steps) loader.copy(next * T::BK, coming, coming + T::BK * T::BM);
      close_copies();
      const In* const part = parts + step % T::kStages * kPart;
      tile.multiply_parts(part, part + T::BK * T::BM);
    }
  }
  if constexpr (kAligned) {
    using Pair = std::conditional_t<sizeof(Out) == 4, float2, unsigned>;
    tile.template write_pairs<Pair>(C, corner, M, N);
  } else {
    tile.write(C, corner, M, N);
  }
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
  static TypedPlan plan(const GemmTypes& types) { return of_16_bits<TypedPlan, Of>(types); }
};

#endif

}  // namespace gemmlab::gpu::tensor_core
