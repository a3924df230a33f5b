#include "core/cgroup.h"

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

/// The first lines of `v1_file` or `v2_file` in this process's cgroup and in all that hold it: each of them
/// limits us.
std::vector<std::string> cgroup_lines(const std::string& controller, const std::string& v1_file,
                                      const std::string& v2_file) {
  std::vector<std::string> lines;
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
      const std::string root = unified ? "/sys/fs/cgroup" : "/sys/fs/cgroup/" + controller;
      const std::string line = first_line(root + path + "/" + (unified ? v2_file : v1_file));
      if (!line.empty()) lines.push_back(line);
      const auto slash = path.rfind('/');
      if (slash == std::string::npos) break;
      path.erase(slash);
    }
  }
  return lines;
}

}  // namespace

double quota_cpus() {
  double cpus = std::numeric_limits<double>::infinity();
  for (const auto& line : cgroup_lines("cpu", "cpu.cfs_quota_us", "cpu.max")) {
    std::istringstream words(line);
    double quota = 0;
    double period = 100000;  // v1 keeps the period in a file of its own; this is its default
    if (!(words >> quota) || quota <= 0) continue;
    if (double stated = 0; words >> stated && stated > 0) period = stated;
    cpus = std::min(cpus, quota / period);
  }
  return cpus;
}

std::optional<std::int64_t> cgroup_memory_limit() {
  std::optional<std::int64_t> limit;
  for (const auto& line : cgroup_lines("memory", "memory.limit_in_bytes", "memory.max")) {
    std::istringstream words(line);
    std::int64_t bytes = 0;
    if (words >> bytes && bytes > 0 && (!limit || bytes < *limit)) limit = bytes;
  }
  return limit;
}

std::optional<std::int64_t> cgroup_memory_left() {
  const auto limit = cgroup_memory_limit();
  if (!limit) return limit;
  std::int64_t used = 0;
  // our own group's line comes first
  const auto lines = cgroup_lines("memory", "memory.usage_in_bytes", "memory.current");
  if (!lines.empty()) std::istringstream(lines.front()) >> used;
  return std::max<std::int64_t>(0, *limit - used);
}

}  // namespace gemmlab
