// C = A·B on several cards. Each computes a part of C from blocks, first from what it has of A and B itself, while the other
// cards' parts arrive by peer copies, which leave all SMs to the product, or by NCCL, whose sends are kernels; finished
// blocks are sent to C on the first card while the next are multiplied.
//
// What an H200 needs at 16384 on four cards: 41 ms of multiplying each. It gets 0.25 GiB of A and 0.25 GiB of B, 1.4 ms at
// the 392 GB/s of its links, while a first block of 10 ms is multiplied. What nothing hides is the way of the last chunk
// of C.
//
// Predicted on two H200s at 16384: 82.4 ms is half of one card's time. Sharded: blocks cost 1 % (seen at 8192 on one H200 that
// stood for two), the last chunk of C 0.17 ms: 0.98 of linear. From the first card: 0.7 ms until the other can begin, and
// 3 % for twenty smaller blocks: 0.95. Measured there: 0.99 and 0.96, at 32768 1.00; all operands have come after 2 % and 8 % of
// the time, and cards wait for 0.4 % and 1.3 % of it. By NCCL 0.98. Trials on two H100s, not among the records: from the first card two
// chunks 82.1 ms, eight 84.8 (four: 82.9 there, at a lower clock); sharded one and eight 81.0 (four: 80.6).
//
// From the host (stream_plan.h), measured on one H200, matrices there when the clock starts and C back when it stops: 22.2 ms at
// 8192, where the product alone takes 20.0 and the links 9.8 (0.90), 167.4 ms at 16384 (0.95). It begins when a seventh of
// the first panels is there and ends when a sixteenth of C has left; the rest is what smaller products cost. With 4 GiB of the card,
// 36864 takes 1.88 s (53.3 TFLOP/s), with 256 MiB 8192 takes 26.4 ms. Predicted on two H200s at 16384: 82.4 ms of work each, of
// which 4 % more for smaller products, 0.7 ms until the first panel is there, 0.6 ms until the last rows of C are back: 0.94 of the
// device-resident product. Measured there: 84.6 ms, 0.95 of it; at 32768 0.99, held to 4 GiB of each card 0.96.
//
// Limit: the slowest card; and where all operands lie on the first card, its links: 1.5 GiB leave it, 4.1 ms.
// Source: R. van de Geijn and J. Watts, SUMMA (1997), by blocks that are kept where they are.

#include "gpu/describe.h"
#include "gpu/gemm/multi/implementation.h"
#include "gpu/gemm/pipelined.h"

namespace gemmlab::gpu {

namespace {

constexpr std::int64_t kUsualChunks = 4;

}  // namespace

const Implementation& multi() {
  static const MultiImplementation implementation(
      describe(
          {.id = "gpu.multi",
           .name = "multi",
           .family = "best",
           .summary =
               "several cards: C in a grid of parts, operands exchanged by peer copies or NCCL behind the "
               "product by pipelined",
           .source = "R. van de Geijn and J. Watts, SUMMA (1997)"}),
      {static_cast<const GemmImplementation&>(pipelined()), kUsualChunks});
  return implementation;
}

}  // namespace gemmlab::gpu
