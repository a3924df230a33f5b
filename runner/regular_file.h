#pragma once

// Files named by the user: read only if they are regular. A FIFO would wait for a writer for ever, and
// /dev/zero has no end.

#include <cstdint>
#include <string>

namespace gemmlab::runner {

/// Throws UsageError, saying why, if the file exists but cannot be read as a regular one: a folder, a FIFO, a
/// device, a loop of links. A link to a regular file is fine. A missing file is not reported here.
void require_regular_if_there(const std::string& file);

/// The file's bytes, at most `most_bytes`. Throws UsageError, saying why, where it is missing, not an
/// ordinary file, or larger.
std::string read_regular_file(const std::string& file, std::size_t most_bytes);

}  // namespace gemmlab::runner
