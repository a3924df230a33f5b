// C = A·B to FP32's accuracy on Intel's matrix unit (AMX), which multiplies BF16 numbers and sums in FP32.
//
// A and B are split inside the call: each element is the sum of three BF16 numbers of 8 bits, exactly
// (matrix/parts.cpp). Of the nine products of parts six are summed (matrix/product.cpp); the other three are
// under 2⁻²⁴ of a term together, and about a tenth of that where many terms are added up.
//
// Why it is as accurate as FP32. The unit multiplies two BF16 numbers exactly, adds 16 such products to a sum
// of their own, for even and for odd terms, then those two, then the result to the tile: each rounded to
// nearest. So a sum of K terms is rounded 6·K/32 times at its full size, where a loop in FP32 rounds it K
// times; and after kc terms FP32 takes it over, as in any blocked product. Small integers are exact: hi holds
// them, mid and lo are zero.
//
// The unit takes subnormal factors and results for zero, and a part is smaller than its element by up to 2²³.
// So the split notes the largest and the smallest magnitude of A and of B. Where a product of parts could
// leave the normal range, A and B are split again, each multiplied by a power of two; where no two powers help (Inf,
// NaN, or magnitudes that span over 2²⁰⁰), cpu.packed computes the product.
//
// Limit: six products go no faster than a sixth of the unit's BF16 rate: on the Xeon that it was made on 2,850
// GFLOP/s on one core, so 475 of this product; on 16 cores 16,200 with the loads that the products need, from
// L1, so 2,700 (45,000 without any load). Predicted before the first run: 0.85 of either from 2048 on, since
// parts come from L2 and are made on the way. What came of it is in docs/notebook/cpu_matrix.md.
//
// Digits. From 256 terms on, where the data allow it, each element is instead an integer of three balanced digits of 8 bits, rows and
// columns scaled, and six products of digits are summed exactly: half the products' time on the unit. What is lost then hangs on the
// largest of a row or column, not on the element: when FP32's bound is kept all the same is told from the data in each call
// (matrix/digit_range.h), and where it is not, parts are taken as above. `chosen.arithmetic` in a record says which it was.
//
// Source: three BF16 parts: Henry, Tang and Heinecke, "Leveraging the bfloat16 artificial intelligence datatype
// for higher-precision computations" (2019).

#include <stdexcept>

#include "core/session_row.h"
#include "cpu/gemm/matrix/session.h"
#include "cpu/gemm/matrix/unit.h"
#include "cpu/gemm/plain.h"

namespace gemmlab::cpu {

const Implementation& packed();

namespace {

Description matrix_description() {
  return {.id = "cpu.matrix",
          .name = "matrix unit",
          .family = "matrix units",
          .summary =
              "FP32's accuracy on the CPU's matrix unit, from operands split into INT8 digits or BF16 parts",
          .source =
              "Henry, Tang and Heinecke, Leveraging the bfloat16 artificial intelligence datatype for "
              "higher-precision computations (2019)",
          .counterpart = "gpu.tensor",
          .precision = Precision::kFp32Split,
          .parameters = {threads_parameter("threads at most; fewer where C has fewer blocks")}};
}

class Matrix : public GemmImplementation {
 public:
  const Description& description() const override { return description_; }
  std::string unavailable() const override { return matrix_unit_missing(); }
  std::string why_not(const Shape& shape, const Parameters&) const override { return why_not_shape(shape); }

  std::unique_ptr<Session> prepare(const Shape& shape, const Parameters& parameters) const override {
    // also asks for permission, which another process may have been given so far
    if (!matrix_unit_missing().empty()) throw std::runtime_error("cpu.matrix " + matrix_unit_missing());
    const auto asked = static_cast<int>(integer(parameters, "threads"));
    const MatrixBlocks blocks = matrix_blocks(shape, asked);
    return std::make_unique<MatrixSession>(
        amx::matrix_unit, shape, matrix_threads(shape, blocks, asked), blocks, digit_blocks(shape, asked),
        packed().prepare(gemm_at(shape),
                         complete(packed().description(), {{"threads", std::int64_t{asked}}})));
  }

 private:
  Description description_ = matrix_description();
};

}  // namespace

const Implementation& matrix() {
  static const Matrix row;
  return row;
}

}  // namespace gemmlab::cpu
