#pragma once

// The one thing that the library of emulated rows shows.

#include <cstddef>
#include <cstdint>
#include <string>

#include "core/implementation.h"

namespace gemmlab::emulation {

struct ExportedRows {
  const Implementation* const* rows;  ///< as long as the library is open
  std::size_t count;
  /// What one call of a row does, as JSON; of each grid at most so many blocks are run. See counted_call.h.
  std::string (*counted)(const Implementation& row, const Instance& instance, const Parameters& parameters,
                         std::uint64_t blocks);
};
using ExportRows = ExportedRows();
inline constexpr const char* kExportRows = "gemmlab_emulated_rows";

}  // namespace gemmlab::emulation
