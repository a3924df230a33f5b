#pragma once

// The instructions of sm_80 that gemm_sm80.h and the rungs by mma.sync are written in; ldmatrix is of sm_75, the others do nothing
// before sm_80, where nobody may call them. Addresses of shared memory are 32-bit. Source: PTX ISA, cp.async, ldmatrix, mma.

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstdint>

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
#define GEMMLAB_SM80(...) asm volatile(__VA_ARGS__)
#else
#define GEMMLAB_SM80(...)
#endif

namespace gemmlab::gpu::parts::sm80 {

__device__ inline std::uint32_t dynamic_shared() {
  extern __shared__ unsigned char dynamic_shared_memory[];
  return static_cast<std::uint32_t>(__cvta_generic_to_shared(dynamic_shared_memory));
}

/// 16 bytes from global memory, or zeros where not `inside`.
__device__ inline void copy_async(std::uint32_t to, const void* from, bool inside) {
  GEMMLAB_SM80("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "r"(inside ? 16 : 0)
               : "memory");
}

/// Closes a group of copies for copies_wait to count.
__device__ inline void copies_commit() {
  GEMMLAB_SM80("cp.async.commit_group;" ::: "memory");
}

template <int kPending>
__device__ inline void copies_wait() {
  GEMMLAB_SM80("cp.async.wait_group %0;" ::"n"(kPending) : "memory");
}

/// Four 8×8 matrices of 16 bits; lane i gives the address of row i % 8 of matrix i / 8. A lane gets the
/// elements 2·(lane % 4) and the next of row lane / 4 of each.
__device__ inline void load_matrices(std::uint32_t (&to)[4], std::uint32_t row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
               : "r"(row)
               : "memory");
}

/// The same with each matrix transposed: the elements of a column.
__device__ inline void load_matrices_transposed(std::uint32_t (&to)[4], std::uint32_t row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
               : "r"(row)
               : "memory");
}

/// D = A·B + D for 16×16 of A and 16×8 of B. A lane's D: row lane / 4, columns 2·(lane % 4) and the next,
/// then the same 8 rows down.
__device__ inline void mma(float (&D)[4], const std::uint32_t (&A)[4], std::uint32_t B0, std::uint32_t B1,
                           __half) {
  GEMMLAB_SM80(
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
      "{%0, %1, %2, %3};"
      : "+f"(D[0]), "+f"(D[1]), "+f"(D[2]), "+f"(D[3])
      : "r"(A[0]), "r"(A[1]), "r"(A[2]), "r"(A[3]), "r"(B0), "r"(B1));
}

__device__ inline void mma(float (&D)[4], const std::uint32_t (&A)[4], std::uint32_t B0, std::uint32_t B1,
                           __nv_bfloat16) {
  GEMMLAB_SM80(
      "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
      "{%0, %1, %2, %3};"
      : "+f"(D[0]), "+f"(D[1]), "+f"(D[2]), "+f"(D[3])
      : "r"(A[0]), "r"(A[1]), "r"(A[2]), "r"(A[3]), "r"(B0), "r"(B1));
}

}  // namespace gemmlab::gpu::parts::sm80

#undef GEMMLAB_SM80
