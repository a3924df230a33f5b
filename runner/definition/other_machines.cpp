#include "runner/definition/other_machines.h"

#include <algorithm>
#include <iterator>

namespace gemmlab::runner {
namespace {

constexpr const char* kIsas[] = {"baseline", "avx2", "avx512", "neon"};

}  // namespace

bool is_of_another_machine(const ParameterSpec& spec, const ParameterValue& value) {
  return spec.name == "isa" && !spec.allows(value) &&
         std::find(std::begin(kIsas), std::end(kIsas), to_string(value)) != std::end(kIsas);
}

std::string allowed_anywhere(const ParameterSpec& spec) {
  std::string all = spec.allowed();
  for (const char* isa : kIsas) {
    if (is_of_another_machine(spec, std::string(isa))) all += std::string(", ") + isa;
  }
  return all;
}

std::string not_on_this_machine(const Description& description, const Parameters& parameters) {
  for (const ParameterSpec& spec : description.parameters) {
    const auto given = parameters.find(spec.name);
    if (given != parameters.end() && is_of_another_machine(spec, given->second))
      return spec.name + " " + to_string(given->second) + ": this machine has " + spec.allowed();
  }
  return {};
}

}  // namespace gemmlab::runner
