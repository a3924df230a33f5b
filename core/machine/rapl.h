#pragma once

// Energy of the CPU's packages, from the counters that Linux shows under /sys/class/powercap (RAPL, on Intel
// and AMD).

#include <cstdint>
#include <string>
#include <vector>

namespace gemmlab {

/// The sum over all packages: cores, caches and what else lies on them, whoever uses it; memory is not in it.
/// A package's counter starts anew when it is full, after about a minute at the soonest.
class Rapl {
 public:
  explicit Rapl(const std::string& folder = "/sys/class/powercap");

  /// Why nothing can be read; empty where it can.
  const std::string& unavailable() const { return unavailable_; }
  /// Begins a measurement. It is valid as long as look() is called before a counter has wrapped around once.
  void begin();
  void look();
  /// Joules from begin() to the last look().
  double joules() const;

 private:
  struct Package {
    std::string counter;  ///< file, in microjoules
    std::uint64_t range;  ///< where the counter starts anew
    std::uint64_t last;
  };

  std::string unavailable_;
  std::vector<Package> packages_;
  std::uint64_t microjoules_ = 0;
};

}  // namespace gemmlab
