#pragma once

// C = A·B where C is one row or one column: a matrix and a vector, at the speed of memory.

#include <memory>

#include "core/implementation.h"
#include "operations/gemm/form.h"

namespace gemmlab::gpu {

/// Has C one row or one column, and is the product plain?
bool is_vector_product(const Shape& shape, const GemmForm& form);

/// A session of gemm that runs the kernels of gpu.gemv_tuned.
std::unique_ptr<Session> make_vector_product(const Shape& shape);

}  // namespace gemmlab::gpu
