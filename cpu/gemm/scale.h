#pragma once

// The calls of gemm that multiply nothing, such as those with alpha = 0.

#include <memory>

#include "operations/gemm/form.h"
#include "operations/gemm/implementation.h"

namespace gemmlab::cpu {

/// C = beta·C, for forms that leave nothing else to do (scales_only). A and B are not read; with beta = 0 C
/// is not, either.
std::unique_ptr<Session> make_scale_session(const Shape& shape, const GemmForm& form);

}  // namespace gemmlab::cpu
