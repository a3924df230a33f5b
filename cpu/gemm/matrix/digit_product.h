#pragma once

// The product of matrices that have been split into digits, on the matrix unit.

#include "cpu/gemm/matrix/product.h"
#include "cpu/gemm/matrix/tiles.h"

namespace GEMMLAB_MATRIX_NAMESPACE {

/// MatrixUnit's.
bool multiply_by_digits(const MatrixWork& work, MatrixSeen* seen);

}  // namespace GEMMLAB_MATRIX_NAMESPACE
