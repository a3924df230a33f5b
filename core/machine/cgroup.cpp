#include "core/machine/cgroup.h"

#include <algorithm>
#include <fstream>
#include <limits>
#include <sstream>
#include <vector>

namespace gemmlab {

std::string first_line(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

namespace {

bool has_word(const std::string& words, const std::string& wanted) {
  std::istringstream list(words);
  for (std::string word; std::getline(list, word, ',');) {
    if (word == wanted) return true;
  }
  return false;
}

/// A folder of this process's cgroup, or of one that holds it: each of them limits us.
struct Group {
  std::string folder;
  bool unified;  ///< version 2

  std::string line(const char* v1_file, const char* v2_file) const {
    return first_line(folder + "/" + (unified ? v2_file : v1_file));
  }
  std::optional<std::int64_t> bytes(const char* v1_file, const char* v2_file) const {
    std::istringstream words(line(v1_file, v2_file));
    std::int64_t count = 0;
    if (words >> count && count > 0) return count;
    return {};
  }
};

/// Our own group first.
std::vector<Group> groups_of(const std::string& controller) {
  std::vector<Group> found;
  std::ifstream groups("/proc/self/cgroup");
  for (std::string group; std::getline(groups, group);) {
    const auto first = group.find(':');
    const auto second = group.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = group.substr(first + 1, second - first - 1);
    const bool unified = controllers.empty();
    if (!unified && !has_word(controllers, controller)) continue;
    std::string path = group.substr(second + 1);
    while (true) {
      found.push_back({(unified ? "/sys/fs/cgroup" : "/sys/fs/cgroup/" + controller) + path, unified});
      const auto slash = path.rfind('/');
      if (slash == std::string::npos) break;
      path.erase(slash);
    }
  }
  return found;
}

}  // namespace

double quota_cpus() {
  double cpus = std::numeric_limits<double>::infinity();
  for (const Group& group : groups_of("cpu")) {
    std::istringstream words(group.line("cpu.cfs_quota_us", "cpu.max"));
    double quota = 0;
    double period = 100000;  // v1 keeps the period in a file of its own; this is its default
    if (!(words >> quota) || quota <= 0) continue;
    if (double stated = 0; words >> stated && stated > 0) period = stated;
    cpus = std::min(cpus, quota / period);
  }
  return cpus;
}

std::optional<std::int64_t> cgroup_memory_limit() {
  std::optional<std::int64_t> lowest;
  for (const Group& group : groups_of("memory")) {
    const auto limit = group.bytes("memory.limit_in_bytes", "memory.max");
    if (limit && (!lowest || *limit < *lowest)) lowest = limit;
  }
  return lowest;
}

std::optional<std::int64_t> cgroup_memory_left() {
  std::optional<std::int64_t> least;
  for (const Group& group : groups_of("memory")) {
    const auto limit = group.bytes("memory.limit_in_bytes", "memory.max");
    if (!limit) continue;
    const std::int64_t used = group.bytes("memory.usage_in_bytes", "memory.current").value_or(0);
    std::ifstream stat(group.folder + "/memory.stat");
    const std::int64_t left = *limit - std::max<std::int64_t>(0, used - inactive_file_bytes(stat));
    if (!least || left < *least) least = std::max<std::int64_t>(0, left);
  }
  return least;
}

std::int64_t inactive_file_bytes(std::istream& memory_stat) {
  std::int64_t bytes = 0;
  std::int64_t value = 0;
  for (std::string name; memory_stat >> name >> value;) {
    // version 1 has both, and its limits are those of a group with all that it holds
    if (name == "total_inactive_file") return value;
    if (name == "inactive_file") bytes = value;
  }
  return bytes;
}

}  // namespace gemmlab
