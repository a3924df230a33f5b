#pragma once

// The product of split operands by mma.sync and cp.async; gemm_sm80.cu launches it.
//
// A block computes 128×128 of C, each of its eight warps 64×32. Tiles of all parts of A and B come in steps
// of 32 of K through a ring of stages. The leading product of a step is summed by the tensor core and then added
// to sums in FP32, because the tensor core rounds towards zero and would drift over a long K. What an addition
// rounds off stays in the accumulators (carry.h). The small products have accumulators of their own.

#include "gpu/gemm/tensor/carry.h"
#include "gpu/gemm/tensor/instructions/ptx_sm80.h"
#include "gpu/gemm/tensor/schemes.h"
#include "gpu/gemm/tensor/tiles.h"

namespace gemmlab::gpu::parts::sm80 {

constexpr int kBlockSide = 128;  // BM and BN
constexpr int kStep = 32;        // BK
constexpr int kThreads = 256;
constexpr int kWarpRows = 64;  // WM
constexpr int kWarpCols = 32;  // WN
constexpr int kWarpsAcross = kBlockSide / kWarpCols;
constexpr int kRowBytes = kStep * 2;
constexpr int kChunk = 16;  // bytes of a cp.async
constexpr int kChunks = kRowBytes / kChunk;
constexpr int kTileBytes = kBlockSide * kRowBytes;  // of one part, of A or of B
constexpr int kSharedBytes = 96 * 1024;   // what cards of compute capability 8.6 and 8.9 have for a block
constexpr int kDownA = kWarpRows / 16;    // mma of a warp along its rows
constexpr int kAcrossB = kWarpCols / 16;  // pairs of mma along its columns

template <typename Scheme>
constexpr int kStages = kSharedBytes / (2 * Scheme::kParts * kTileBytes);

struct Arguments {
  const Findings* findings;
  Output output;
  TileGrid tiles;
  const std::uint16_t* parts_a;  // (part, M, pitch)
  const std::uint16_t* parts_b;  // (part, N, pitch)
  int pitch;
  int steps;
  int K;
  bool half_allowed;
};

/// Where 16 bytes of a tile's row lie. Chunks change places so that eight rows at the same k meet
/// no bank twice.
__device__ inline std::uint32_t place_of(int row, int chunk) {
  return row * kRowBytes + (chunk ^ (row / 2 % kChunks)) * kChunk;
}

/// Asks for a step's tile of one part of an operand.
__device__ inline void fetch_tile(std::uint32_t to, const std::uint16_t* part, int row0, int k0, int rows,
                                  int pitch) {
#pragma unroll
  for (int i0 = 0; i0 < kBlockSide * kChunks; i0 += kThreads) {
    const int i = i0 + threadIdx.x;
    const int row = i / kChunks;
    const int k = k0 + i % kChunks * (kChunk / 2);
    const bool inside = row0 + row < rows && k < pitch;
    const std::int64_t offset = inside ? static_cast<std::int64_t>(row0 + row) * pitch + k : 0;
    copy_async(to + place_of(row, i % kChunks), part + offset, inside);
  }
}

/// A block's 128×128 of C.
template <typename Scheme>
class Block {
 public:
  __device__ Block(const Arguments& arguments, int tile) : arguments_(arguments), shared_(dynamic_shared()) {
    const TilePlace place = arguments.tiles.place(tile);
    row0_ = place.row * kBlockSide;
    col0_ = place.col * kBlockSide;
    const int warp = threadIdx.x / 32;
    warp_row_ = warp / kWarpsAcross * kWarpRows;
    warp_col_ = warp % kWarpsAcross * kWarpCols;
  }

  __device__ void work() {
    constexpr int kAhead = kStages<Scheme> - 1;
    Sums sums = {};
    Sums D = {};      // between two steps: what was rounded off the sums
    Sums small = {};  // of pairs, kRaisedLow times too large, over all of K; of triples D serves
    for (int step = 0; step < kAhead; ++step) fetch(step);
    for (int step = 0; step < arguments_.steps; ++step) {
      copies_wait<kAhead - 1>();  // this step has come; later ones may be on their way
      __syncthreads();  // for every thread; and all are done with the stage that is fetched into next
      fetch(step + kAhead);
      if constexpr (Scheme::kArithmetic == Arithmetic::kBfloat) {
        Sums leading = {};
        add_products<Scheme::kProducts - 1, Scheme::kProducts>(step, leading, leading);
        carry(leading, sums);
        each([&](int i, int j, int e) { D[i][j][e] += leading[i][j][e]; });
        add_products<0, Scheme::kProducts - 1>(step, D, D);
      } else {
        add_products<0, Scheme::kProducts>(step, small, D);
      }
      carry(D, sums);
    }
    each([&](int i, int j, int e) { sums[i][j][e] += D[i][j][e] + small[i][j][e] * (1 / kRaisedLow); });
    copies_wait<0>();
    __syncthreads();  // before the next tile's copies overwrite the stages
    store(sums);
  }

 private:
  using Sums = float[kDownA][2 * kAcrossB][4];

  __device__ std::uint32_t tile_of(int step, int which) const {
    return shared_ + (step % kStages<Scheme> * 2 * Scheme::kParts + which) * kTileBytes;
  }

  __device__ void fetch(int step) const {
    if (step < arguments_.steps) {
#pragma unroll
      for (int part = 0; part < Scheme::kParts; ++part) {
        const int M = arguments_.output.M;
        const int N = arguments_.output.N;
        fetch_tile(tile_of(step, part),
                   arguments_.parts_a + part * (static_cast<std::int64_t>(M) * arguments_.pitch), row0_,
                   step * kStep, M, arguments_.pitch);
        fetch_tile(tile_of(step, Scheme::kParts + part),
                   arguments_.parts_b + part * (static_cast<std::int64_t>(N) * arguments_.pitch), col0_,
                   step * kStep, N, arguments_.pitch);
      }
    }
    copies_commit();  // also where there is nothing, so that groups can be counted
  }

  template <typename Do>
  __device__ static void each(Do&& work) {
#pragma unroll
    for (int i = 0; i < kDownA; ++i) {
#pragma unroll
      for (int j = 0; j < 2 * kAcrossB; ++j) {
#pragma unroll
        for (int e = 0; e < 4; ++e) work(i, j, e);
      }
    }
  }

  __device__ static void carry(Sums& D, Sums& sums) {
    each([&](int i, int j, int e) { add_and_carry(sums[i][j][e], D[i][j][e]); });
  }

  /// Do products kFrom … kTo − 1 take this part of B?
  template <int kFrom, int kTo>
  static __device__ constexpr bool takes(int part) {
    for (int product = kFrom; product < kTo; ++product) {
      if (Scheme::part_of_b(product) == part) return true;
    }
    return false;
  }

  /// Products kFrom … kTo − 1 of a step: the leading one, which is the last, added to `leading`, the others to `small`.
  template <int kFrom, int kTo>
  __device__ void add_products(int step, Sums& small, Sums& leading) const {
    const int lane = threadIdx.x % 32;
    constexpr int kUnrolled =
        Scheme::kArithmetic == Arithmetic::kBfloat ? 1 : kStep / 16;  // as registers allow
#pragma unroll kUnrolled
    for (int k = 0; k < kStep; k += 16) {
      const int chunk = k * 2 / kChunk;
      std::uint32_t B[Scheme::kParts][kAcrossB]
                     [4];  // of each 16 columns: k and k + 8 of the first 8, then of the rest
#pragma unroll
      for (int part = 0; part < Scheme::kParts; ++part) {
        if (!takes<kFrom, kTo>(part)) continue;
#pragma unroll
        for (int j = 0; j < kAcrossB; ++j) {
          const int row = warp_col_ + 16 * j + lane / 16 * 8 + lane % 8;
          load_matrices(B[part][j],
                        tile_of(step, Scheme::kParts + part) + place_of(row, chunk + lane / 8 % 2));
        }
      }
      std::uint32_t A[kDownA][4];
#pragma unroll
      for (int product = kFrom; product < kTo; ++product) {
        const int part = Scheme::part_of_a(product);
        if (product == kFrom || part != Scheme::part_of_a(product - 1)) {
#pragma unroll
          for (int i = 0; i < kDownA; ++i) {
            load_matrices(A[i],
                          tile_of(step, part) + place_of(warp_row_ + 16 * i + lane % 16, chunk + lane / 16));
          }
        }
        const auto& b = B[Scheme::part_of_b(product)];
#pragma unroll
        for (int i = 0; i < kDownA; ++i) {
#pragma unroll
          for (int j = 0; j < 2 * kAcrossB; ++j) {
            mma(product == Scheme::kProducts - 1 ? leading[i][j] : small[i][j], A[i], b[j / 2][j % 2 * 2],
                b[j / 2][j % 2 * 2 + 1], typename Scheme::Part());
          }
        }
      }
    }
  }

  __device__ void store(const Sums& sums) const {
    const int lane = threadIdx.x % 32;
#pragma unroll
    for (int i = 0; i < kDownA; ++i) {
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const int row = row0_ + warp_row_ + 16 * i + 8 * half + lane / 4;
        if (row >= arguments_.output.M) return;
        const RowOfC C(arguments_.output, row);
        const int col = col0_ + warp_col_ + lane % 4 * 2;
        float2 before[2 * kAcrossB];
#pragma unroll
        for (int j = 0; j < 2 * kAcrossB; ++j) before[j] = C.read(col + 8 * j);
#pragma unroll
        for (int j = 0; j < 2 * kAcrossB; ++j) {
          if (!C.store(col + 8 * j, sums[i][j][2 * half], sums[i][j][2 * half + 1], before[j])) break;
        }
      }
    }
  }

  const Arguments& arguments_;
  std::uint32_t shared_;
  int row0_;
  int col0_;
  int warp_row_;
  int warp_col_;
};

template <typename Scheme>
__device__ void gemm(const Arguments& arguments) {
  if (arithmetic_for(*arguments.findings, arguments.half_allowed, arguments.K) != Scheme::kArithmetic) return;
  for (int tile = blockIdx.x; tile < arguments.tiles.count(); tile += gridDim.x)
    Block<Scheme>(arguments, tile).work();
}

}  // namespace gemmlab::gpu::parts::sm80
