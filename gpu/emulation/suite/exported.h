#pragma once

// The one thing that the library of emulated rows shows.

#include <cstddef>

#include "core/implementation.h"

namespace gemmlab::emulation {

struct ExportedRows {
  const Implementation* const* rows;  ///< as long as the library is open
  std::size_t count;
};
using ExportRows = ExportedRows();
inline constexpr const char* kExportRows = "gemmlab_emulated_rows";

}  // namespace gemmlab::emulation
