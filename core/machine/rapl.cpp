#include "core/machine/rapl.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <optional>

#include "core/machine/cgroup.h"
#include "core/machine/machine.h"

namespace fs = std::filesystem;

namespace gemmlab {
namespace {

std::optional<std::uint64_t> number_in(const fs::path& file) {
  std::ifstream stream(file);
  std::uint64_t number = 0;
  if (!(stream >> number)) return {};
  return number;
}

/// Top-level zones alone, "intel-rapl:0": "intel-rapl:0:1" is a part of one, and "psys" is the whole board.
bool is_package(const fs::path& zone) {
  const std::string name = zone.filename().string();
  return name.rfind("intel-rapl:", 0) == 0 && std::count(name.begin(), name.end(), ':') == 1 &&
         first_line((zone / "name").string()).rfind("package", 0) == 0;
}

std::string why_no_zone() {
  const std::string& container = cpu_info().container;
  const bool bare = container == "none";
  const bool isolated = !bare && container.find(" on ") == std::string::npos &&
                        (container == "docker" || container == "podman" || container == "kubepods" ||
                         container == "containerd" || container == "lxc");
  return std::string("no /sys/class/powercap/intel-rapl here: ") +
         (bare       ? "the kernel has not loaded its driver (intel_rapl_msr)"
          : isolated ? "a container hides it"
                     : "a virtual machine gives none");
}

}  // namespace

Rapl::Rapl(const std::string& folder) {
  std::error_code none;
  for (const fs::directory_entry& zone : fs::directory_iterator(folder, none)) {
    if (!is_package(zone.path())) continue;
    const auto range = number_in(zone.path() / "max_energy_range_uj");
    const fs::path counter = zone.path() / "energy_uj";
    if (!number_in(counter)) unavailable_ = "energy_uj is readable by root only";
    packages_.push_back({counter.string(), range.value_or(0), 0});
  }
  if (packages_.empty()) unavailable_ = why_no_zone();
  if (!unavailable_.empty()) packages_.clear();
}

void Rapl::begin() {
  microjoules_ = 0;
  for (Package& package : packages_) package.last = number_in(package.counter).value_or(package.last);
}

void Rapl::look() {
  for (Package& package : packages_) {
    const std::uint64_t now = number_in(package.counter).value_or(package.last);
    microjoules_ += now >= package.last ? now - package.last : now + package.range - package.last;
    package.last = now;
  }
}

double Rapl::joules() const {
  return static_cast<double>(microjoules_) * 1e-6;
}

}  // namespace gemmlab
