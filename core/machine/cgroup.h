#pragma once

// The limits that control groups, versions 1 and 2, set for this process: containers are limited by them.

#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>

namespace gemmlab {

/// CPUs' worth of time that the groups grant; infinite without a quota.
double quota_cpus();

/// The lowest memory limit of the groups; none where there is no limit (or one above any machine's memory).
std::optional<std::int64_t> cgroup_memory_limit();

/// Free memory of the group that has least left now. File caches that the system can drop do not count as
/// used.
std::optional<std::int64_t> cgroup_memory_left();

/// From the text of a memory.stat: bytes of files that the system drops before it refuses memory.
std::int64_t inactive_file_bytes(std::istream& memory_stat);

/// The first line of a file of /proc or /sys; empty where it cannot be read.
std::string first_line(const std::string& path);

}  // namespace gemmlab
