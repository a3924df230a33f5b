#pragma once

// Keeps what a hand-in prints from controlling the terminal of whoever reads it.

#include <string>

namespace gemmlab::submissions {

/// What somebody else wrote, without anything that a terminal obeys: every control character but the end of a line and
/// the tabulator becomes "?", those of two bytes (U+0080 to U+009F) too.
std::string plain_text(std::string text);

}  // namespace gemmlab::submissions
