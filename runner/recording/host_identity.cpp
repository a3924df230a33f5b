#include "runner/recording/host_identity.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <sstream>

#include "core/machine/cgroup.h"
#include "core/machine/machine.h"
#include "core/records/point.h"
#include "core/records/sha256.h"

namespace gemmlab::runner {
namespace {

constexpr std::size_t kIdentityDigits = 12;
constexpr double kGibibyte = 1024.0 * 1024 * 1024;

/// A hash that nobody else makes of the same text: it cannot be looked up.
std::string short_hash(const std::string& purpose, const std::string& text) {
  return sha256("gemmlab " + purpose + "\n" + text).substr(0, kIdentityDigits);
}

std::int64_t installed_memory_bytes() {
  return static_cast<std::int64_t>(::sysconf(_SC_PHYS_PAGES)) * ::sysconf(_SC_PAGESIZE);
}

}  // namespace

int count_of_list(const std::string& list) {
  int count = 0;
  std::istringstream ranges(list);
  for (std::string range; std::getline(ranges, range, ',');) {
    int first = 0;
    int last = 0;
    char dash = 0;
    std::istringstream text(range);
    if (!(text >> first)) return 0;
    count += text >> dash >> last && dash == '-' && last >= first ? last - first + 1 : 1;
  }
  return count;
}

HostTraits host_traits(const Json& gpus) {
  HostTraits traits;
  for (const char* file : {"/etc/machine-id", "/var/lib/dbus/machine-id"}) {
    if (traits.machine_id.empty()) traits.machine_id = first_line(file);
  }
  traits.cpu = cpu_info().model;
  traits.cores_online = count_of_list(first_line("/sys/devices/system/cpu/online"));
  if (traits.cores_online == 0) traits.cores_online = static_cast<int>(::sysconf(_SC_NPROCESSORS_ONLN));
  traits.memory_bytes = installed_memory_bytes();
  for (const Json& gpu : gpus) traits.gpus.push_back(gpu.value("uuid", ""));
  return traits;
}

Json host_identity(const HostTraits& traits) {
  // a kernel keeps a little more or less of the memory for itself at each start
  const auto memory_gib = std::llround(static_cast<double>(traits.memory_bytes) / kGibibyte);
  const Json machine = traits.machine_id.empty() ? Json() : Json(short_hash("machine", traits.machine_id));
  std::vector<std::string> gpus = traits.gpus;
  std::sort(gpus.begin(), gpus.end());
  const Json all{machine, traits.cpu, traits.cores_online, memory_gib, gpus};
  return {{"id", short_hash("host", all.dump(-1, ' ', false, Json::error_handler_t::replace))},
          {"machine", machine}};
}

}  // namespace gemmlab::runner
