// C = A·B on several cards as multi.cpp does it, each block by the tensor cores to FP32's accuracy (tensor.cu). What more blocks cost
// is that A and B are split into parts for each: with the 16-bit parts of then, on one H200 that stood for two cards, at 8192, two
// blocks per card took 1.15 times one whole product's time, five 1.29 times, twenty 2.05 times. So chunks = 1 is the usual, and blocks
// on one card share what has been split (shared_operands.h). C is written by the products where it is to lie, over NVLink: pipelined
// would lose 2 to 4 % by that, tensor gains.
//
// Limit at 16384 on two H100s: half of one card's 36.6 ms; the other card has its first operands after 2.7 ms where all lie on the first.
// By 8-bit digits, of linear, under the power cap of both cards, each row another run on another pair of them, the last two of H200s:
//
//                                     sharded   by NCCL   first
//   a split for each block, C copied     0.88      0.85    0.83   (predicted: 0.90 and 0.8)
//   operands split once                  0.90      0.88    0.84
//   and C written where it is to lie     0.94      0.90    0.87
//   the same, 36.2 ms on one card        0.93      0.89    0.84   (21.4 ms)
//   the first card ahead, 37.2 ms        0.94      0.92    0.89   (20.9 ms; it changes `first` alone)
//
// Writing C alone, by turns with copying it: 20.01 and 19.27 ms sharded, 20.65 and 20.38 first, 20.68 and 20.59 by NCCL.
//
// Where all lies on the first card, it takes some rows of the other's, which waits: 2.5 % at 16384. Two H200s, ms by how many rows it has
// more, at 16384 on two pairs of them: 0 20.47 and 20.64; 512 19.97 and 20.1; 1024 20.23 and 20.38; 1536 20.77; 2048 21.25. At 8192: 0
// 3.22; 512 3.19; 1024 3.06 and 3.01; 1536 3.31; nothing smaller was tried. Both ending at once asks for 1230 rows (615 FLOPs per
// byte). That fewer are best at 16384 may be the power cap, as a card that has waited can be faster afterwards, or rounds: its tiles of
// 256×128 on 66 clusters come to 32 rounds a block, 32 and 31 with 512 more; at 8192 to 8, 9 and 7 with 1024. In two chunks 512 more
// lose (21.29 and 20.24 ms at 16384, 3.68 and 3.15 at 8192), so it is done in one chunk alone. In FP32 they lose: 86.2 and 82.2 ms.
//
// At 32768 0.99 [0.94, 1.05]. At 1,980 MHz two H100s take 18.3 ms for twice what one does in 17.6 (0.96), two H200s, nearly at it, 17.8 and 16.9.
//
// From the host the links need 19.5 (H100s) to 20.0 ms for A and B. What can be multiplied grows as the square of what has come, so no
// order of whole rows and columns ends before t + 17.6·(1 - (t / 19.5)²) for any t: 23.0 ms, 0.85 of the links. Tried on two H100s, in
// ms (medians of 12 to 15 calls, interleaved):
//
//   33.5   pipelined's order: growing panels of A and B
//   33.5 to 40.7   shrinking panels of all of A and half of B, then B by columns, which splits the cheaper operand again: rows of
//              panels and of blocks are short, and each costs its copy about 0.09 µs
//   31.1   A and B as before, panels that shrink, A in fewer parts
//   30.4   the first order, B split once for all blocks but the first
//   28.2   both (28.4 ms in the records: 0.70 of the links; 0.57 before)
//
// What is left: cards multiply for 21.5 ms, which undivided take 17.6 (each panel reads and writes C; the first block splits B by
// panels, the second as a whole), and wait for 7.2, by estimate 4.6 of it for the first panel.

#include "gpu/describe.h"
#include "gpu/gemm/multi/implementation.h"
#include "gpu/gemm/tensor.h"

namespace gemmlab::gpu {
namespace {

/// 512 rows of a square product on two cards.
constexpr std::int64_t kAheadFlopsPerByte = 256;

}  // namespace

const Implementation& multi_tensor() {
  static const MultiImplementation implementation(
      describe({.id = "gpu.multi_tensor",
                .name = "multi, tensor",
                .family = "matrix units",
                .summary = "several cards: as multi, the product by tensor",
                .source = "R. van de Geijn and J. Watts, SUMMA (1997); Ootomo and Yokota, Recovering single "
                          "precision accuracy from Tensor Cores (2022)",
                .precision = Precision::kFp32Split}),
      {static_cast<const GemmImplementation&>(tensor()), 1, Slower::kLinks, true, kAheadFlopsPerByte});
  return implementation;
}

}  // namespace gemmlab::gpu
