#pragma once

// The files of a build in its scratch folder.

#include <cstdint>
#include <string>

#include "submissions/build/commands.h"

namespace gemmlab::submissions {

inline constexpr std::uintmax_t kLargestSource = 1 << 20;

/// A file's bytes; empty where it is not an ordinary file (a link is not one), or larger than `most`.
std::string read_regular(const std::string& path, std::uintmax_t most);

/// Writes a file that the compiler's user can read, whatever our own umask.
void write_readable(const std::string& path, const std::string& text);

/// Writes the student's `text` and what we add to it, for a solve of `form`, into `scratch`. Throws std::runtime_error or
/// std::filesystem::filesystem_error where that cannot be done.
BuildFiles lay_out(const Submission& submission, const std::string& text, const std::string& scratch,
                   const SolveForm& form);

}  // namespace gemmlab::submissions
