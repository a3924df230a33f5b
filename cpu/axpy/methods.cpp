// The rows that rows.txt lists, each with its function compiled for every instruction set.

#include "cpu/call_row.h"
#include "lists/cpu_methods.h"

namespace gemmlab {
const Operation& axpy();
}

namespace gemmlab::cpu {

GEMMLAB_EACH_ISA(GEMMLAB_DECLARE_ISA, GEMMLAB_AXPY_METHODS)

#define GEMMLAB_ROW(name) GEMMLAB_CALL_ROW(axpy, name)
GEMMLAB_AXPY_METHODS(GEMMLAB_ROW)

}  // namespace gemmlab::cpu
