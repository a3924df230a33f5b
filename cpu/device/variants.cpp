#include "cpu/device/variants.h"

#include <algorithm>
#include <stdexcept>

#include "core/machine/machine.h"
#include "core/session_row.h"

namespace gemmlab::cpu {
namespace {

constexpr std::int64_t kMostThreads = 4096;

}  // namespace

ParameterSpec threads_parameter(const std::string& summary) {
  return {.name = "threads",
          .summary = summary,
          .minimum = 1,
          .maximum = kMostThreads,
          .default_value = std::int64_t{cpu_info().cores}};
}

bool machine_has(const std::string& isa) {
  const auto& isas = cpu_info().isa;
  return std::find(isas.begin(), isas.end(), isa) != isas.end();
}

ParameterSpec isa_parameter(const std::vector<std::string>& isas) {
  return choice("isa", "instructions that the source is compiled for", {isas.begin(), isas.end()},
                isas.back());
}

void throw_wrong_isa(const Description& description, const std::string& isa) {
  throw std::invalid_argument(description.id + ": this machine cannot run isa " + isa +
                              "; allowed: " + description.find("isa")->allowed());
}

}  // namespace gemmlab::cpu
