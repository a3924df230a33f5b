#pragma once

// A session of cpu.matrix: owns the parts, looks after scales, and hands what the unit does not hold to plain
// FP32. Takes the unit as functions, so that a test can hand it an emulation.

#include <memory>

#include "cpu/gemm/matrix/panel_memory.h"
#include "cpu/gemm/matrix/product.h"
#include "operations/gemm/implementation.h"

namespace gemmlab::cpu {

MatrixBlocks matrix_blocks(const Shape& shape, int threads);

/// For digits; `terms` is 0 where they do not serve.
MatrixBlocks digit_blocks(const Shape& shape, int threads);

/// No more than cores, nor than blocks of C.
int matrix_threads(const Shape& shape, const MatrixBlocks& blocks, int asked);

/// Of the parts of so many rows of A or columns of B.
std::int64_t parts_bytes(std::int64_t rows, const MatrixBlocks& blocks);

class MatrixSession : public GemmSession {
 public:
  /// `plain` computes the same product in FP32. Throws std::bad_alloc where the parts find no memory.
  MatrixSession(const MatrixUnit& unit, const Shape& shape, int threads, const MatrixBlocks& blocks,
                const MatrixBlocks& digits, std::unique_ptr<Session> plain);

  void multiply(const float* a, const float* b, float* c) override;
  /// Do the digits hold? C is computed then.
  bool multiply_by_digits(const float* a, const float* b, float* c);
  int threads_actual() const override { return threads_actual_; }
  Facts chosen() const override;

 private:
  const MatrixUnit& unit_;
  MatrixWork work_;
  PanelMemory parts_a_;
  PanelMemory parts_b_;
  PanelMemory left_out_;
  PanelMemory undo_;
  MatrixBlocks digits_;
  std::unique_ptr<Session> plain_;
  Scales scales_;
  bool by_digits_ = false;
  bool held_ = true;
  PartProducts products_ = PartProducts::kSix;
  int threads_actual_ = 0;
};

}  // namespace gemmlab::cpu
