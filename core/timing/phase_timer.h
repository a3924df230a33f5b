#pragma once

// How long each phase of a measurement takes, for the record's phases_s.

#include <chrono>

namespace gemmlab {

/// Adds its lifetime in seconds to a total.
class PhaseTimer {
 public:
  explicit PhaseTimer(double& total_s) : total_s_(total_s), start_(std::chrono::steady_clock::now()) {}
  ~PhaseTimer() {
    total_s_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }
  PhaseTimer(const PhaseTimer&) = delete;
  PhaseTimer& operator=(const PhaseTimer&) = delete;

 private:
  double& total_s_;
  std::chrono::steady_clock::time_point start_;
};

}  // namespace gemmlab
