#pragma once

// Finds libraries that pip has installed, which the loader does not know of.

#include <string>
#include <vector>

namespace gemmlab::gpu {

/// Files that pip has installed as `file` ("nvidia/nccl/lib/libnccl.so.2") for a Python whose program lies in a folder of
/// $PATH, in the order of these folders.
std::vector<std::string> python_files(const std::string& file);

}  // namespace gemmlab::gpu
