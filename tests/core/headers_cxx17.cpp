// What .cu files include has to compile as C++17.

#include "core/backend.h"
#include "core/ceiling.h"
#include "core/gemm/shape.h"
#include "core/implementation.h"
#include "core/inputs.h"
#include "core/machine.h"
#include "core/matrix.h"

static_assert(__cplusplus == 201703L, "compiled as something else than C++17");

namespace gemmlab {

// Used once, so that the class templates are compiled as well.
template class AlignedArray<float>;
template class Matrix<float>;
template class Matrix<double>;

}  // namespace gemmlab
