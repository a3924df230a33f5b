#pragma once

// How fast a loop runs on one or more threads, and whether the measurement can be believed.

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace gemmlab::cpu {

/// OpenMP threads, each bound to a core of its own for the life of the object; unbound where there are more
/// threads than cores. No team of another size may be started meanwhile.
class BoundTeam {
 public:
  explicit BoundTeam(int threads);
  ~BoundTeam();
  BoundTeam(const BoundTeam&) = delete;
  BoundTeam& operator=(const BoundTeam&) = delete;

 private:
  int threads_;
};

/// `units` of work on thread `thread`: the same number touches the same memory each time.
using Work = std::function<void(int thread, std::int64_t units)>;

struct Rate {
  double units_per_s = 0;  ///< of one thread, while all of them work
  double ratio = 0;        ///< time of twice the work over time of the work: 2 where nothing else is timed

  bool trusted() const;
  /// "LOOP; twice the work took 2.00 times the time", and a word where it is not to be trusted.
  std::string how(const std::string& loop) const;
};

/// The rate of some work on bound threads, from the shortest times seen so far: whatever else runs on the
/// machine only ever makes a time longer.
class RateMeter {
 public:
  RateMeter(Work work, int threads) : work_(std::move(work)), threads_(threads) {}
  /// Takes a few samples more, of some milliseconds each.
  void measure();
  Rate rate() const;

 private:
  Work work_;
  int threads_;
  std::int64_t units_ = 0;  ///< of a sample
  double once_s_ = std::numeric_limits<double>::infinity();
  double twice_s_ = std::numeric_limits<double>::infinity();
};

/// Measures all of them several times over, since what disturbs a machine often lasts longer than one
/// measurement; then those again that do not yet agree with themselves.
void measure_all(std::vector<RateMeter>& meters);

}  // namespace gemmlab::cpu
