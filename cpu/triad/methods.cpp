// The methods of rows.txt as rows of the table: each with what it was compiled to for every isa.

#include "cpu/call_row.h"
#include "lists/cpu_methods.h"

namespace gemmlab {
const Operation& triad();
}

namespace gemmlab::cpu {

GEMMLAB_EACH_ISA(GEMMLAB_DECLARE_ISA, GEMMLAB_TRIAD_METHODS)

#define GEMMLAB_ROW(name) GEMMLAB_CALL_ROW(triad, name)
GEMMLAB_TRIAD_METHODS(GEMMLAB_ROW)

}  // namespace gemmlab::cpu
