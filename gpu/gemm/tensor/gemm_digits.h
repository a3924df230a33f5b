#pragma once

// The product of operands in three 8-bit digits, by wgmma on integers; gemm_whole.cu launches it.
//
// A block computes 128×128 of C, a cluster of two blocks twice as many rows, fed through the ring of
// gemm_sm90.h. Six of the nine products of digits count, summed by weight in three sets of 32-bit integers:
// exact over all of K, so nothing is added up on the way. At the end the three sums of an element make one
// 64-bit integer, which is rounded to FP32 once.

#include "gpu/gemm/tensor/digits.h"
#include "gpu/gemm/tensor/gemm_sm90.h"
#include "gpu/gemm/tensor/instructions/wgmma_digits.h"

namespace gemmlab::gpu::parts::sm90 {

/// A block's 128×kCols of C, in steps of kStep of K, a byte each.
struct DigitTile {
  static constexpr int kCols = 128;  // BN
  static constexpr int kStep = 64;   // BK
  static constexpr int kRowBytes = kStep;
  static constexpr int kRowsOfB = kCols / kCluster;  // that one block fetches
  static constexpr int kBytesOfA = kBlockRows * kRowBytes;
  static constexpr int kBytesOfB = kCols * kRowBytes;
  static_assert(kRowsOfB * kRowBytes % 512 == 0, "pieces begin where a swizzle does");
};

/// One warpgroup's 64×kCols of C.
template <typename Tile>
class DigitConsumer : RingReader<DigitTriples, Tile> {
  using Reader = RingReader<DigitTriples, Tile>;

 public:
  using Reader::Reader;

  __device__ void work() {
    Reader::each_tile([this](int tile) {
      DigitSums<Tile::kCols> sums[kDigits] = {};
      multiply(sums);
      store(sums, corner_of<Tile>(tile, arguments_));
    });
  }

 private:
  using Sums = DigitSums<Tile::kCols>;
  using Reader::arguments_;

  /// One step is always under way while the next is handed over.
  __device__ void multiply(Sums (&sums)[kDigits]) {
    begin(sums);
    for (int step = 1; step < arguments_.steps; ++step) {
      begin(sums);
      wgmma_wait_for_reads<1>();
      Reader::give_back();
    }
    for (int weight = 0; weight < kDigits; ++weight) wgmma_wait_all(sums[weight]);
    Reader::give_back();
  }

  __device__ void begin(Sums (&sums)[kDigits]) {
    Reader::open_stage();
#pragma unroll
    for (int k = 0; k < Tile::kStep; k += 32) {
#pragma unroll
      for (int of_a = 0; of_a < kDigits; ++of_a) {
#pragma unroll
        for (int of_b = 0; of_a + of_b < kDigits; ++of_b)
          wgmma(sums[of_a + of_b], Reader::of_a(of_a) + k / 16, Reader::of_b(of_b) + k / 16);
      }
    }
    Reader::close_stage();
  }

  /// Where the accumulators lie in the tile: wgmma.h.
  __device__ void store(const Sums (&sums)[kDigits], const Corner& corner) const {
    const int col0 = Reader::first_col(corner);
    const Output& output = output_at<Tile>(corner, arguments_);
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const int row = Reader::row_of(corner, half);
      if (row >= output.M) return;
      const RowOfC C(output, row);
      constexpr int kAtOnce = 4;  // reads of C, if any, before the stores that they would have to wait for
#pragma unroll
      for (int i0 = 0; i0 < Tile::kCols / 8; i0 += kAtOnce) {
        float2 before[kAtOnce];
#pragma unroll
        for (int i = 0; i < kAtOnce; ++i) before[i] = C.read(col0 + 8 * (i0 + i));
#pragma unroll
        for (int i = 0; i < kAtOnce; ++i) {
          const int col = col0 + 8 * (i0 + i);
          if (col >= output.N) break;
          const int at = 4 * (i0 + i) + 2 * half;
          const int2 scales = C.scales(col);
          C.put(col, sum_of_digits(sums[0][at], sums[1][at], sums[2][at], scales.x),
                sum_of_digits(sums[0][at + 1], sums[1][at + 1], sums[2][at + 1], scales.y), before[i]);
        }
      }
    }
  }
};

template <typename Tile>
__device__ void gemm_of_digits(const CUtensorMap& A, const CUtensorMap& B, const Arguments& arguments) {
  run<DigitTriples, Tile, DigitConsumer<Tile>>(A, B, arguments);
}

}  // namespace gemmlab::gpu::parts::sm90
