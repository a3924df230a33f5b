#pragma once

// How many cores the processors of this machine are worth, and which of them share one: a virtual machine
// seldom says that its processors are hyperthreads.

#include <optional>
#include <utility>
#include <vector>

namespace gemmlab::cpu {

/// Empty where measuring gave no clear answer.
struct CoresWorth {
  /// The rate of multiply-adds on all processors together over that on the first alone, at most their number.
  std::optional<double> cores_worth;
  /// The first processor with each that shares its core for good. None where the hypervisor moves processors
  /// from core to core, however few cores they are worth together.
  std::optional<std::vector<std::pair<int, int>>> smt_pairs;
};

/// Of rates of two processors together over one of them alone, a round each: do they share a core? Such loops
/// gain nothing from a second thread of a core, and double on a core of its own.
std::optional<bool> share_a_core(const std::vector<double>& gains);
/// Of rates of all `processors` together over one alone, a round each.
std::optional<double> cores_worth(const std::vector<double>& gains, int processors);

/// Loops of a millisecond on the processors that threads are bound to. 0.1 s for 16 of them, a few times that
/// where rounds do not agree.
CoresWorth measure_cores_worth();

}  // namespace gemmlab::cpu
