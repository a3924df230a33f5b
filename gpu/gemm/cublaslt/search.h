#pragma once

// The fastest of cublasLt's algorithms for a product, found by timing them.

#include <memory>
#include <string>

#include "core/implementation.h"
#include "operations/gemm/form.h"
#include "operations/gemm/types.h"

namespace gemmlab::gpu {

/// Why no session can be made here; empty where one can.
std::string why_no_cublaslt();

/// Operands as the form and the types say: scratch of the same size is multiplied while it is made. Throws std::runtime_error
/// where the library has no algorithm.
std::unique_ptr<Session> make_lt_session(const Shape& shape, const GemmForm& form, const GemmTypes& types);

}  // namespace gemmlab::gpu
