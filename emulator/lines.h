#pragma once

// From places in an emulated library to lines of its source.

#include <string>

namespace gemmlab::emulation {

/// The JSON of gemmlab_emulation_report() with "line" and "file" in the place of "pc", texts included, and with the counts
/// of one line, array and width added up. `file` is empty for `source` (compared by name without folder), else the path that the
/// compiler was given. Lines of the emulator's own headers are those of who called them. A barrier that the compiler has
/// doubled is no divergence: such findings are left out. Throws std::runtime_error where addr2line (binutils) cannot be run.
std::string with_lines(const std::string& report, const std::string& library, const std::string& source);

}  // namespace gemmlab::emulation
