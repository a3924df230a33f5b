#pragma once

// C = alpha·op(A)·op(B) + beta·C in plain FP32, for what the tensor cores cannot hold: Inf, NaN, a spread of
// over 2⁵⁴ within a row of A or a column of B, and a K of so few terms that each product's last bit counts.
// Sums of kDepth products are added up with what rounding leaves out kept beside them, so that a long K is no
// less accurate than in a library that splits it.

#include <utility>

#include "gpu/gemm/tensor/carry.h"
#include "gpu/gemm/tensor/load.h"
#include "gpu/gemm/tensor/stages.h"

namespace gemmlab::gpu::parts::plain {

constexpr int kBlock = 64;  // BM and BN
constexpr int kDepth = 16;  // BK
constexpr int kOwn = 4;     // rows and columns of C that a thread computes, kAcross apart
constexpr int kAcross = kBlock / kOwn;
constexpr int kThreads = kAcross * kAcross;

/// Operands by the floats between neighbours down and across: a transpose is a matter of the two.
struct Plain {
  const float* A;
  const float* B;
  float* C;
  int M;
  int N;
  int K;
  std::int64_t down_a, across_a;
  std::int64_t down_b, across_b;
  std::int64_t ldc;
  float alpha;
  float beta;  // with 0 C is not read
};

__device__ inline void plain_tile(const Plain& plain, int row0, int col0) {
  const int M = plain.M;
  const int N = plain.N;
  const int K = plain.K;
  __shared__ float As[kDepth][kBlock + 1];
  __shared__ float Bs[kDepth][kBlock];
  const int own_row = threadIdx.x / kAcross;
  const int own_col = threadIdx.x % kAcross;
  float sums[kOwn][kOwn] = {};
  float rests[kOwn][kOwn] = {};  // what was rounded off the sums, apart: an overflow leaves Inf in the sum
  for (int k0 = 0; k0 < K; k0 += kDepth) {
    for (int i = threadIdx.x; i < kDepth * kBlock; i += kThreads) {
      const int row = row0 + i / kDepth;
      const int k_of_a = k0 + i % kDepth;
      As[i % kDepth][i / kDepth] =
          row < M && k_of_a < K ? plain.A[row * plain.down_a + k_of_a * plain.across_a] : 0.0f;
      const int k_of_b = k0 + i / kBlock;
      const int col = col0 + i % kBlock;
      Bs[i / kBlock][i % kBlock] =
          k_of_b < K && col < N ? plain.B[k_of_b * plain.down_b + col * plain.across_b] : 0.0f;
    }
    __syncthreads();
    float parts[kOwn][kOwn] = {};
#pragma unroll
    for (int k = 0; k < kDepth; ++k) {
#pragma unroll
      for (int i = 0; i < kOwn; ++i) {
#pragma unroll
        for (int j = 0; j < kOwn; ++j) {
          parts[i][j] += As[k][own_row + i * kAcross] * Bs[k][own_col + j * kAcross];
        }
      }
    }
#pragma unroll
    for (int i = 0; i < kOwn; ++i) {
#pragma unroll
      for (int j = 0; j < kOwn; ++j) {
        const float sum = __fadd_rn(sums[i][j], parts[i][j]);
        rests[i][j] += rest_of_sum(sums[i][j], parts[i][j], sum);
        sums[i][j] = sum;
      }
    }
    __syncthreads();  // before the next step overwrites the tiles
  }
#pragma unroll
  for (int i = 0; i < kOwn; ++i) {
#pragma unroll
    for (int j = 0; j < kOwn; ++j) {
      const int row = row0 + own_row + i * kAcross;
      const int col = col0 + own_col + j * kAcross;
      const float whole = isfinite(rests[i][j]) ? sums[i][j] + rests[i][j] : sums[i][j];
      if (row >= M || col >= N) continue;
      float* const to = &plain.C[row * plain.ldc + col];
      *to = plain.beta == 0 ? plain.alpha * whole : plain.alpha * whole + plain.beta * *to;
    }
  }
}

/// All of C, by a grid of blocks of kThreads.
__device__ inline void plain_product(const Plain& plain) {
  const std::int64_t across = tiles_of(plain.N, kBlock);
  const std::int64_t tiles = tiles_of(plain.M, kBlock) * across;
  for (std::int64_t tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    plain_tile(plain, static_cast<int>(tile / across) * kBlock, static_cast<int>(tile % across) * kBlock);
  }
}

inline Plain plain_of(const Work& work) {
  Plain plain{work.a, work.b,   work.c, work.M,   work.N,     work.K,   work.lda,
              1,      work.ldb, 1,      work.ldc, work.alpha, work.beta};
  if (work.transpose_a) std::swap(plain.down_a, plain.across_a);
  if (work.transpose_b) std::swap(plain.down_b, plain.across_b);
  return plain;
}

}  // namespace gemmlab::gpu::parts::plain
