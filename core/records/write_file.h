#pragma once

// Files that a kill cannot leave half written.

#include <filesystem>
#include <string>

namespace gemmlab {

/// In one step: a kill leaves the whole old text or the whole new one. Throws std::runtime_error.
void write_in_one_step(const std::filesystem::path& file, const std::string& text);

}  // namespace gemmlab
