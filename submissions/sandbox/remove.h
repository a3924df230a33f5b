#pragma once

// Removes what a hand-in has left on the disk.

#include <string>

namespace gemmlab::submissions {

/// Removes a folder with all in it, whatever its rights and however deep it is. Follows no link. What belongs to somebody
/// else and cannot be removed stays.
void remove_folder(const std::string& path);

}  // namespace gemmlab::submissions
