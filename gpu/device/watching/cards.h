#pragma once

// All NVIDIA cards of this machine by the driver's management library, whichever of them CUDA may use. Makes no
// CUDA context, so that the parent process may ask.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gpu/device/watching/nvml.h"

namespace gemmlab::gpu {

/// A card as nvidia-smi numbers and names it, and what it does now.
struct Card {
  int index = 0;  ///< in the order of the PCI bus
  std::string uuid;
  std::string name;
  std::string bus_id;                             ///< "00000000:3B:00.0"
  std::optional<std::int64_t> memory_bytes;       ///< installed
  std::optional<std::int64_t> memory_used_bytes;  ///< by all programs and the driver
  std::optional<int> busy_percent;                ///< share of the last moment in which a kernel ran
  std::optional<bool> persistence_mode;
  Reading now;
};

/// In the order of their indices; empty where the library is not there or shows none. A card that does not tell
/// its uuid and bus id is left out.
std::vector<Card> cards(const std::string& library = kNvmlLibrary);

}  // namespace gemmlab::gpu
