#pragma once

// Readings of a card while samples run on it, by a thread of their own: what a reading costs (10 µs to some
// milliseconds, by the card and its driver) is no part of what is measured.

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "gpu/device/watching/nvml.h"

namespace gemmlab::gpu {

/// One reading, and when it was made.
struct TimedReading {
  std::chrono::steady_clock::time_point when;
  Reading reading;
};

/// The energy of the part of a sample that its readings tell of: between the first and the last rise of
/// the card's counter, where several rises lie far enough apart; else by its power, where they span as
/// much. The power and the counter of a card are renewed every 20 to 100 ms. Empty where the sample was
/// too short for that.
std::optional<Energy> energy_of(const std::vector<TimedReading>& readings);

/// Reads a card again and again between begin() and end().
class GpuWatch {
 public:
  using Clock = std::chrono::steady_clock;

  /// Opens the library with the first begin() and in its own thread, so that a process that only measures its
  /// first multiplication never pays for it.
  explicit GpuWatch(std::string pci_bus_id, std::string library = kNvmlLibrary);
  ~GpuWatch();
  GpuWatch(const GpuWatch&) = delete;
  GpuWatch& operator=(const GpuWatch&) = delete;

  /// A sample has begun: readings from now on are its own. None is made in its first `quiet`, for work that
  /// the host's clock measures and that a reading might delay.
  void begin(Clock::duration quiet = Clock::duration::zero());
  /// The sample has ended. Where `after`, and it was too short to be read, the card is read
  /// now, though seldom.
  void end(bool after = false);
  /// What the last sample saw; waits for a reading that was begun in it.
  Conditions seen();
  /// Why seen() told no energy of the last sample, which was long.
  std::string why_no_energy();

  static constexpr std::chrono::milliseconds kPeriod{3};   ///< between two readings at least
  static constexpr int kCostFactor = 9;                    ///< and so many times what a reading takes
  static constexpr std::chrono::milliseconds kSeldom{20};  ///< between two readings after samples at least

 private:
  void work();
  void read_once(const Nvml& card, std::unique_lock<std::mutex>& lock);

  const std::string pci_bus_id_;
  const std::string library_;
  std::mutex mutex_;  ///< of all below
  std::condition_variable work_;
  std::condition_variable read_;
  bool timing_ = false;
  bool once_ = false;     ///< a reading after a sample is asked for
  bool reading_ = false;  ///< one is being made
  bool ending_ = false;
  bool absent_ = false;  ///< there is no such card or no library
  std::uint64_t sample_ = 0;
  Clock::time_point not_before_;
  Clock::time_point next_;        ///< no reading before
  Clock::time_point next_after_;  ///< no reading after a sample before
  std::vector<TimedReading> readings_;
  std::thread thread_;
};

}  // namespace gemmlab::gpu
