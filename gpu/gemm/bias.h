#pragma once

// The last step of a product with a bias.

#include <cstdint>

#include "core/element_type.h"
#include "operations/gemm/form.h"

namespace gemmlab::gpu {

/// C = sums + bias, each element rounded once. `sums` float32, as large as C, its rows `stride` apart; it may be C itself, where that
/// is float32 and lies as it does. `bias`: c.cols elements, added to each row. `type` of the bias and `result` of C: float32, bfloat16
/// or float16; throws std::invalid_argument for others.
void launch_add_bias(const float* sums, std::int64_t stride, const void* bias, ElementType type, void* C,
                     const StoredMatrix& c, ElementType result);

}  // namespace gemmlab::gpu
