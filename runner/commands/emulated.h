#pragma once

// The rows of gpu/ that can be run on a CPU. The emulator, a satellite, brings them; emulated_absent.cpp stands in where it is not built.

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/implementation.h"

namespace gemmlab::emulation {

/// The choices of parameters at which a row is tried: all, or where they are many, since each takes seconds, those that differ
/// from the defaults in one parameter at most.
inline std::vector<Parameters> choices_to_emulate(const Description& description) {
  constexpr std::size_t kMost = 32;
  std::vector<Parameters> choices = all_choices(description);
  if (choices.size() <= kMost) return choices;
  const Parameters usual = complete(description, {});
  std::erase_if(choices, [&](const Parameters& choice) {
    return std::count_if(choice.begin(), choice.end(),
                         [&](const auto& one) { return usual.at(one.first) != one.second; }) > 1;
  });
  return choices;
}

/// In the order of the ladder; their operands lie in host memory. Empty where unavailable() says why.
const std::vector<const Implementation*>& emulated_rows();
/// Why there are none: what the loader said, or that nothing tells the lines of a library; empty where there are.
std::string unavailable();
/// Why the others cannot be emulated, by id ("gpu.cublas").
const std::map<std::string, std::string>& left_out();

/// What one call of an emulated row does: the emulator's counts as JSON. `blocks`: of each grid at most so many are run,
/// spread over it; 0: all. Throws what the call throws.
std::string counted(const Implementation& row, const Instance& instance, const Parameters& parameters,
                    std::uint64_t blocks);

/// Opens another library in its place. Before the first of the calls above.
void use_library(const std::string& path);

}  // namespace gemmlab::emulation
