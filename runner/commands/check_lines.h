#pragma once

// What `gemmlab check` prints one line about: an implementation with one choice of its parameters, tried at all odd shapes.

#include <string>
#include <vector>

#include "runner/execution/supervisor.h"

namespace gemmlab::runner {

inline constexpr std::size_t kMostFailures = 5;  ///< printed per implementation

struct Tally {
  int tried = 0;
  int ok = 0;
  int refused = 0;
  std::string why_refused;  ///< of the first shape
  double eta_max = 0;
  std::vector<std::string> failures;
  std::string given_up;  ///< how it crashed or hung: each further shape would cost as much again
};

struct Line {
  const Operation* operation = nullptr;
  const Implementation* implementation = nullptr;
  Point point;
  Tally tally;
};

/// One for each of these choices of the implementation's parameters.
std::vector<Line> lines_of(const Implementation& implementation, const std::vector<Parameters>& choices);

/// The instances at which the lines of an operation are tried: at all odd dimensions, by default and with
/// every choice of odd options.
std::vector<Instance> odd_instances(const Operation& operation);

/// Does the line try the instance? By default each does, and its refusal is told; with odd options those alone
/// that take them.
bool tries(const Line& line, const Instance& instance);

/// Checks those of the lines that compute the instance's operation, on the instance.
void check_instance(Supervisor& supervisor, const Instance& instance, const std::vector<Line*>& lines);

/// Of a call that is checked by emulation: four odd shapes of gemm have more, and take four times as long as the other 30.
inline constexpr double kMostEmulatedOperations = 1e7;

/// Checks the lines by emulation, with a worker for each core.
void check_by_emulation(std::vector<Line>& lines);

/// Prints the verdicts. Returns whether all of them are good.
bool print_verdicts(const std::vector<Line>& lines);

}  // namespace gemmlab::runner
