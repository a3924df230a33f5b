// C = A·B on several cards as multi.cpp does it, each block by the tensor cores to FP32's accuracy (tensor.cu). Splitting A
// and B into parts is done anew for each block, which is what more blocks cost: with the 16-bit parts of then, on one H200 that
// stood for two cards, at 8192, two blocks per card took 1.15 times one whole product's time, five 1.29 times, twenty 2.05 times.
// So chunks = 1 is the usual.
//
// Predicted at 16384 on two H200s, sharded, from that: 7 % for the second split, 3 % for the way of the last block of C
// (0.25 GiB, 0.7 ms of 22 ms), so 0.90 of linear; from the first card the 2.7 ms until the other has its part, so 0.8. Measured on
// two H100s, by three 8-bit digits: 0.88 (21.0 ms, the first card, which alone was watched, at 1,455 MHz under its power cap) and 0.83; by NCCL,
// whose kernels take SMs from the product, 0.85. At 1,980 MHz 19.3 ms, 0.91 of the speed of half the product on one card (17.6 ms).
//
// From the host 34.3 ms on two H100s in four panels, 35.3 in two, where the links need 19.6 for A and B: 0.57 of what they allow.
// All operands are there after 22.9 ms; the rest is products of the last panels, and C's way back. Cards
// multiply for 23 ms where the same product takes 17.6 undivided: each block splits its operands again. What can be multiplied grows
// as the square of what has come, so no order of whole rows and columns ends before t + 17.6·(1 - (t / 19.6)²) for any t: 23.0 ms,
// 0.85 of the links. stream_plan.h's order waits longer: half of the product needs all of B and half of A, three quarters of the way.

#include "gpu/describe.h"
#include "gpu/gemm/multi/implementation.h"
#include "gpu/gemm/tensor.h"

namespace gemmlab::gpu {

const Implementation& multi_tensor() {
  static const MultiImplementation implementation(
      describe({.id = "gpu.multi_tensor",
                .summary = "several cards: as multi, the product by tensor",
                .source = "R. van de Geijn and J. Watts, SUMMA (1997); Ootomo and Yokota, Recovering single "
                          "precision accuracy from Tensor Cores (2022)",
                .precision = Precision::kFp32Split}),
      {static_cast<const GemmImplementation&>(tensor()), 1, Slower::kLinks, true});
  return implementation;
}

}  // namespace gemmlab::gpu
