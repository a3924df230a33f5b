#pragma once

// What NVIDIA's management library (NVML) tells of a card while it works. The library is opened at run time
// and its few functions are declared in nvml.cpp, so that neither its header nor CUDA is needed to build.

#include <chrono>
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
  /// SM clock, temperature, power and throttle reasons now; what the card does not tell stays empty.
  Conditions read() const;
  /// Does the driver keep the card ready while no process uses it? Where not, a first call waits for that,
  /// too. Empty where the card does not tell.
  std::optional<bool> persistence_mode() const;

 private:
  struct Functions;
  std::unique_ptr<Functions> functions_;
  void* card_ = nullptr;
};

/// Reads a card often enough to see it throttle, and seldom enough not to be what is measured.
class GpuWatch {
 public:
  explicit GpuWatch(std::string pci_bus_id, std::string library = kNvmlLibrary);

  /// Reads the card unless that was done less than kShortest ago, or so lately that readings would take more
  /// than a twentieth of the time; after kLongest it is read whatever that costs. Opens the library at the
  /// first call, so that a process that only measures its first multiplication never pays for it.
  void look();
  /// The reading of the last look(); empty where that made none: what one sample saw is not told of another.
  Conditions just_seen() const { return fresh_ ? seen_ : Conditions(); }
  /// The last reading; empty where the card has not answered for longer than kLongest.
  const Conditions& seen() const { return seen_; }

  static constexpr std::chrono::milliseconds kShortest{20};
  static constexpr std::chrono::milliseconds kLongest{200};

 private:
  using Clock = std::chrono::steady_clock;
  std::string pci_bus_id_;
  std::string library_;
  std::unique_ptr<Nvml> nvml_;
  Clock::time_point next_;  ///< no reading before
  std::optional<Clock::time_point> last_read_;
  Conditions seen_;
  bool fresh_ = false;  ///< did the last look() read?
};

}  // namespace gemmlab::gpu
