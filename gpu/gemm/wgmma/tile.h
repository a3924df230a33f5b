#pragma once

// What all kernels by wgmma on typed operands share: a block's tile in shared memory, how TMA fills it, and the product of one
// stage of it. Rows in shared memory are of 128 bytes, swizzled: TMA writes them so and wgmma reads them so, without bank
// conflicts. Source: PTX ISA, cp.async.bulk.tensor, mbarrier, wgmma.mma_async ("Shared Memory Matrix Layout").

#include <cuda.h>  // the type CUtensorMap alone; nothing of the driver is linked

#include "gpu/gemm/tensor/instructions/ptx_sm90.h"
#include "gpu/gemm/tensor/instructions/wgmma.h"
#include "gpu/gemm/wgmma/arguments.h"
#include "gpu/gemm/wgmma/products.h"

namespace gemmlab::gpu::tensor_core {

constexpr int kWarpgroup = 128;

/// A block's BM×BN of C, in steps of BK terms. kColumnsOfB: B is stored as (K, N); else as (N, K), as 8 bits have to be.
template <typename In_, int kBM, int kBN, int kStageCount, bool kColumns>
struct StagedTile {
  using In = In_;
  using Sum = SumOf<In>;
  static constexpr int BM = kBM;
  static constexpr int BN = kBN;
  static constexpr int BK = kRowBytes / static_cast<int>(sizeof(In));
  static constexpr int kStages = kStageCount;
  static constexpr bool kColumnsOfB = kColumns;
  static constexpr int kBytesOfA = BM * kRowBytes;
  static constexpr int kBytesOfB = BN * kRowBytes;
  static constexpr int kStageBytes = kBytesOfA + kBytesOfB;
  /// Of B in shared memory, where a row is one of (K, N): a narrow tile's is half as wide.
  static constexpr int kRowBytesOfB = kColumns && BN * sizeof(In) < kRowBytes ? kRowBytes / 2 : kRowBytes;
  static constexpr int kPieceCols = kRowBytesOfB / static_cast<int>(sizeof(In));  // of a box of (K, N)
  static constexpr int kBytesOfPiece = BK * kRowBytesOfB;
  static_assert(!kColumns || BN % kPieceCols == 0, "B comes in whole pieces");
  static_assert(!kColumns || sizeof(In) == 2, "elements of 8 bits are read along K alone");
};

/// A block's shared memory: the stages, `kBetween` bytes of whatever else a kernel has, and two barriers of each stage.
template <class T, int kBetween = 0>
struct Stages {
  static constexpr int kBarriersAt = T::kStages * T::kStageBytes + kBetween;
  static constexpr int kBytes = kBarriersAt + 2 * T::kStages * 8;
  std::uint32_t base = parts::dynamic_shared();
  __device__ Stages() {
    if (base % 1024 != 0) __trap();  // eight rows of the swizzle
  }
  __device__ std::uint32_t a(int stage) const { return base + stage * T::kStageBytes; }
  __device__ std::uint32_t b(int stage) const { return a(stage) + T::kBytesOfA; }
  __device__ std::uint32_t full(int stage) const { return base + kBarriersAt + stage * 8; }
  __device__ std::uint32_t empty(int stage) const { return full(T::kStages + stage); }
};

/// Do the blocks of a cluster share B by whole pieces, or by the terms of each?
template <class T, int kCluster>
constexpr bool kSharesPieces = T::BN / T::kPieceCols % kCluster == 0;

/// Rows of memory that one request of TMA for B brings.
template <class T, int kCluster>
constexpr int kBoxRowsOfB = !T::kColumnsOfB              ? T::BN / kCluster
                            : kSharesPieces<T, kCluster> ? T::BK
                                                         : T::BK / kCluster;

/// One thread asks for step `step` of a tile; its `bytes` count at the stage's barrier. In a cluster, whose blocks' tiles lie one
/// below the other, each block asks for its share of B and sends it to all, which spares the L2 as many reads.
template <class T, int kCluster, class Stages>
__device__ inline void load_stage(const Stages& stages, int stage, const CUtensorMap& A, const CUtensorMap& B,
                                  int row, int col, int step, int bytes) {
  const std::uint32_t full = stages.full(stage);
  parts::barrier_expect(full, static_cast<unsigned>(bytes));
  const int k = step * T::BK;
  parts::tma_load(stages.a(stage), &A, k, row, 0, full);
  const int rank = kCluster == 1 ? 0 : static_cast<int>(parts::cluster_rank());
  const auto load_b = [&](int at, int inner, int outer) {
    if constexpr (kCluster == 1) {
      parts::tma_load(stages.b(stage) + at, &B, inner, outer, 0, full);
    } else {
      constexpr auto kAll = static_cast<std::uint16_t>((1u << kCluster) - 1);
      parts::tma_load_to(stages.b(stage) + at, &B, inner, outer, 0, full, kAll);
    }
  };
  if constexpr (T::kColumnsOfB) {
    constexpr bool kWhole = kSharesPieces<T, kCluster>;
    constexpr int kPieces = T::BN / T::kPieceCols / (kWhole ? kCluster : 1);
    const int term = kWhole ? 0 : rank * kBoxRowsOfB<T, kCluster>;
#pragma unroll
    for (int i = 0; i < kPieces; ++i) {
      const int piece = kWhole ? rank * kPieces + i : i;
      load_b(piece * T::kBytesOfPiece + term * T::kRowBytesOfB, col + piece * T::kPieceCols, k + term);
    }
  } else {
    const int first = rank * (T::BN / kCluster);
    load_b(first * kRowBytes, k, col + first);
  }
}

/// B's part for wgmma. As (K, N) its pieces of 64 columns lie one behind the other, in eights of terms.
template <class T>
__device__ inline std::uint64_t descriptor_of_b(std::uint32_t address) {
  std::uint64_t found = parts::descriptor<T::kRowBytesOfB>(address);
  if constexpr (T::kColumnsOfB) found |= std::uint64_t{T::kBytesOfPiece >> 4} << 16;
  return found;
}

/// Hands the products of a stage to the tensor cores, kDown times 64 rows from `row` of the tile on. `onto`: onto D's sums.
template <class T, int kDown, class Stages>
__device__ inline void multiply_stage(typename T::Sum (&D)[kDown][T::BN / 2], const Stages& stages, int stage,
                                      int row, bool onto) {
  constexpr int kSteps = T::BK / kTermsOf<typename T::In>;
  constexpr int kNextOfA = 32 >> 4;  // a row's next terms: the swizzle is of address bits, not of the start
  constexpr int kNextOfB = T::kColumnsOfB ? 16 * T::kRowBytesOfB >> 4 : 32 >> 4;
  const std::uint64_t A = parts::descriptor<kRowBytes>(stages.a(stage) + row * kRowBytes);
  const std::uint64_t B = descriptor_of_b<T>(stages.b(stage));
  parts::wgmma_fence();
#pragma unroll
  for (int k = 0; k < kSteps; ++k) {
#pragma unroll
    for (int i = 0; i < kDown; ++i)
      multiply<T::kColumnsOfB>(D[i], A + k * kNextOfA + i * (kPieceRowsOfD * kRowBytes >> 4),
                               B + k * kNextOfB, k > 0 || onto, typename T::In());
  }
  parts::wgmma_commit();
}

}  // namespace gemmlab::gpu::tensor_core
