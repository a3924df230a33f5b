#include "cpu/table.h"

#include "cpu/isa.h"
#include "cpu/plain.h"

// THE list, in the order of the ladder. A row is the name of the file and of the Method or the function in
// it.
#define GEMMLAB_METHODS(ROW) \
  ROW(serial)                \
  ROW(openmp) ROW(ikj) ROW(blocked) ROW(blocked_packed) ROW(register_blocked) ROW(packed) ROW(eigen)
#define GEMMLAB_REFERENCES(ROW) ROW(openblas) ROW(blis) ROW(onednn) ROW(mkl)

namespace gemmlab::cpu {

#define GEMMLAB_DECLARE_METHOD(name) extern const Method name;
#define GEMMLAB_DECLARE_ISA(isa, ...)     \
  namespace isa {                         \
  GEMMLAB_METHODS(GEMMLAB_DECLARE_METHOD) \
  }
GEMMLAB_EACH_ISA(GEMMLAB_DECLARE_ISA, )

#define GEMMLAB_DECLARE_REFERENCE(name) const Implementation& name();
GEMMLAB_REFERENCES(GEMMLAB_DECLARE_REFERENCE)

const std::vector<const Implementation*>& implementations() {
#define GEMMLAB_VARIANT(isa, name) {#isa, &isa::name},
#define GEMMLAB_METHOD_ROW(name) PlainImplementation({GEMMLAB_EACH_ISA(GEMMLAB_VARIANT, name)}),
#define GEMMLAB_REFERENCE_ROW(name) &name(),
  static const PlainImplementation methods[] = {GEMMLAB_METHODS(GEMMLAB_METHOD_ROW)};
  static const std::vector<const Implementation*> table = [] {
    std::vector<const Implementation*> rows;
    for (const auto& method : methods) rows.push_back(&method);
    for (const Implementation* reference : {GEMMLAB_REFERENCES(GEMMLAB_REFERENCE_ROW)})
      rows.push_back(reference);
    return rows;
  }();
  return table;
}

}  // namespace gemmlab::cpu
