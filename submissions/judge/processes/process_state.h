#pragma once

// What the kernel says of another process and of its files.

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

namespace gemmlab::submissions {

/// Are all its threads stopped, or gone? A signal reaches the process before it reaches each of its threads.
bool stands_still(pid_t process);

/// The ids of its threads; none where it is gone. `proc`: the kernel's folder, or a test's.
std::vector<pid_t> threads_of(pid_t process, const std::string& proc = "/proc");

/// Seconds of processors that all its threads have had; 0 where it is gone.
double cpu_s(pid_t process);

/// Resident memory that is no file's; 0 where it is gone.
std::int64_t memory_bytes(pid_t process);

/// Does what lies in a folder take more room than that, is it more than 10,000 files, or is it hidden?
bool takes_more_than(const std::string& folder, std::int64_t bytes);

}  // namespace gemmlab::submissions
