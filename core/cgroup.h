#pragma once

// What the control groups, versions 1 and 2, leave to this process: containers are limited by them.

#include <cstdint>
#include <optional>
#include <string>

namespace gemmlab {

/// CPUs' worth of time that the groups grant; infinite without a quota.
double quota_cpus();

/// The lowest memory limit of the groups; none where there is no limit (or one above any machine's memory).
std::optional<std::int64_t> cgroup_memory_limit();

/// What is left of it now.
std::optional<std::int64_t> cgroup_memory_left();

/// The first line of a file of /proc or /sys; empty where it cannot be read.
std::string first_line(const std::string& path);

}  // namespace gemmlab
