// The methods of rows.h as rows of the table: each with what it was compiled to for every isa.

#include "cpu/gemm/plain.h"
#include "cpu/gemm/rows.h"
#include "cpu/isa.h"

namespace gemmlab::cpu {

#define GEMMLAB_DECLARE_METHOD(name) extern const Method name;
#define GEMMLAB_DECLARE_ISA(isa, ...)     \
  namespace isa {                         \
  GEMMLAB_METHODS(GEMMLAB_DECLARE_METHOD) \
  }
GEMMLAB_EACH_ISA(GEMMLAB_DECLARE_ISA, )

#define GEMMLAB_VARIANT(isa, name) {#isa, &isa::name},
#define GEMMLAB_METHOD_ROW(name)                                                                \
  const Implementation& name() {                                                                \
    static const PlainImplementation implementation({GEMMLAB_EACH_ISA(GEMMLAB_VARIANT, name)}); \
    return implementation;                                                                      \
  }
GEMMLAB_METHODS(GEMMLAB_METHOD_ROW)

}  // namespace gemmlab::cpu
