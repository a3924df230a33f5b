#pragma once

// Which lines of which files the instructions of a library come from.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace gemmlab::emulation {

struct Place {
  std::string file;
  int line = 0;          ///< 0: unknown
  std::string function;  ///< that it was inlined into, demangled
};

/// Files and lines of places in a library, asked of addr2line: of inlined code the innermost that is neither the emulator's
/// nor the system's. Throws std::runtime_error where addr2line cannot be run.
std::map<std::uint64_t, Place> places(const std::vector<std::uint64_t>& offsets, const std::string& library);

}  // namespace gemmlab::emulation
