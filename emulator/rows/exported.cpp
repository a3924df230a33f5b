#include "emulator/rows/exported.h"

#include <deque>
#include <vector>

#include "emulated_rows.h"
#include "emulator/rows/emulated_row.h"

namespace gemmlab::gpu {
#define GEMMLAB_DECLARE(name) const Implementation& name();
GEMMLAB_EMULATED_ROWS(GEMMLAB_DECLARE)
#undef GEMMLAB_DECLARE
}  // namespace gemmlab::gpu

extern "C" __attribute__((visibility("default"))) gemmlab::emulation::ExportedRows gemmlab_emulated_rows() {
  using namespace gemmlab;
  static const std::vector<const Implementation*> rows = [] {
    static std::deque<emulation::EmulatedRow> kept;
    std::vector<const Implementation*> made;
#define GEMMLAB_ROW(name) made.push_back(&kept.emplace_back(gpu::name()));
    GEMMLAB_EMULATED_ROWS(GEMMLAB_ROW)
#undef GEMMLAB_ROW
    return made;
  }();
  return {rows.data(), rows.size(),
          [](const Implementation& row, const Instance& instance, const Parameters& parameters,
             std::uint64_t blocks) {
            return static_cast<const emulation::EmulatedRow&>(row).counted(instance, parameters, blocks);
          }};
}
