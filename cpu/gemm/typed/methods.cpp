// The rungs that multiply in the types of their operands as rows of the table.

#include "cpu/gemm/typed/row.h"

namespace gemmlab::cpu {

#define GEMMLAB_TYPED_ROW(space, name, missing, takes_float16)      \
  namespace space {                                                 \
  extern const TypedMethod name;                                    \
  }                                                                 \
  const Implementation& name() {                                    \
    static const TypedRow row(space::name, missing, takes_float16); \
    return row;                                                     \
  }

GEMMLAB_TYPED_ROW(avx512, dot_pairs, dots_missing, false)
GEMMLAB_TYPED_ROW(amx, tiles_unpacked, tiles_missing, true)
GEMMLAB_TYPED_ROW(amx, tiles_packed, tiles_missing, true)
GEMMLAB_TYPED_ROW(amx, tiles_2x2, tiles_missing, true)
GEMMLAB_TYPED_ROW(amx, tiles_blocked, tiles_missing, true)

}  // namespace gemmlab::cpu
