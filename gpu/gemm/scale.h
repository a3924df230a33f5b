#pragma once

// Calls of gemm that multiply nothing, and the last step of those that add to C.

#include <memory>

#include "operations/gemm/form.h"
#include "operations/gemm/implementation.h"

namespace gemmlab::gpu {

/// C = beta·C, for forms that leave nothing else to do (scales_only). A and B are not read; with beta = 0 C
/// is not, either.
std::unique_ptr<Session> make_scale_session(const Shape& shape, const GemmForm& form);

/// C = beta·C + added, whose rows follow one another. With beta = 0 C is not read.
void launch_add_to(float* C, const StoredMatrix& c, float beta, const float* added);

}  // namespace gemmlab::gpu
