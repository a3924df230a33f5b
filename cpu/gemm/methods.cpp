// The methods of rows.txt as rows of the table: each with what it was compiled to for every isa.

#include "cpu/gemm/plain.h"
#include "lists/cpu_methods.h"

namespace gemmlab::cpu {

#define GEMMLAB_DECLARE(name) extern const Method name;
GEMMLAB_EACH_ISA(GEMMLAB_DECLARE_ISA, GEMMLAB_GEMM_METHODS)

#define GEMMLAB_ROW(name)                                         \
  const Implementation& name() {                                  \
    static const PlainImplementation row(GEMMLAB_VARIANTS(name)); \
    return row;                                                   \
  }
GEMMLAB_GEMM_METHODS(GEMMLAB_ROW)

}  // namespace gemmlab::cpu
