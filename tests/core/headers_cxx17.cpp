// What .cu files include has to compile as C++17.

#include "core/backend.h"
#include "core/implementation.h"
#include "core/inputs/inputs.h"
#include "core/inputs/matrix.h"
#include "core/machine/ceiling.h"
#include "core/machine/machine.h"
#include "operations/gemm/shape.h"

static_assert(__cplusplus == 201703L, "compiled as something else than C++17");

namespace gemmlab {

// Used once, so that the class templates are compiled as well.
template class AlignedArray<float>;
template class Matrix<float>;
template class Matrix<double>;

}  // namespace gemmlab
