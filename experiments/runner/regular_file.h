#pragma once

// Files that others name: read only where they are ordinary ones. A FIFO would wait for a writer for ever,
// and /dev/zero has no end.

#include <cstdint>
#include <string>

namespace gemmlab::runner {

/// Throws UsageError, saying why, where the file is there but cannot be read as an ordinary one: a folder, a
/// FIFO, a device, a loop of links. A link to an ordinary file is one. A missing file is none of its
/// business.
void require_regular_if_there(const std::string& file);

/// The file's bytes, at most `most_bytes`. Throws UsageError, saying why, where it is missing, not an
/// ordinary file, or larger.
std::string read_regular_file(const std::string& file, std::size_t most_bytes);

}  // namespace gemmlab::runner
