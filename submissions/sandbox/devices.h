#pragma once

// The files through which a process reaches a GPU.

#include <string>
#include <vector>

namespace gemmlab::submissions {

/// NVIDIA's device files (and the folder /dev/nvidia-caps), and the GPU of the Windows Subsystem for Linux.
std::vector<std::string> gpu_devices();

}  // namespace gemmlab::submissions
