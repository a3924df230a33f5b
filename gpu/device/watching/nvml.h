#pragma once

// What NVIDIA's management library (NVML) tells of a card while it works. The library is opened at run time
// and its few functions are declared in nvml.cpp, so that neither its header nor CUDA is needed to build.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/backend.h"

namespace gemmlab::gpu {

inline constexpr const char* kNvmlLibrary = "libnvidia-ml.so.1";

/// The driver's version ("580.159.04"); empty where the library is not there.
std::string nvml_driver_version(const std::string& library = kNvmlLibrary);

/// The words for NVML's mask of clock event reasons that hold a clock down against its will. An idle card, an
/// application's clock setting and the sync boost of several cards are not among them.
std::vector<std::string> throttle_reasons(std::uint64_t clock_event_reasons);

/// A card as NVML sees it.
class Nvml {
 public:
  /// The card at a PCI bus id as CUDA writes it ("0000:3B:00.0").
  explicit Nvml(const std::string& pci_bus_id, const std::string& library = kNvmlLibrary);
  ~Nvml();
  Nvml(const Nvml&) = delete;
  Nvml& operator=(const Nvml&) = delete;

  /// Were the library and the card found?
  bool found() const { return card_ != nullptr; }
  /// SM clock, temperature, power, energy and throttle reasons now; what the card does not tell stays empty.
  Reading read() const;
  /// Does the driver stay loaded while nobody uses the card? Empty where that is not told.
  std::optional<bool> persistence_mode() const;

 private:
  struct Functions;
  std::unique_ptr<Functions> functions_;
  void* card_ = nullptr;
};

}  // namespace gemmlab::gpu
