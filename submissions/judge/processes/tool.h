#pragma once

// A submission's process under a program of the CUDA toolkit that watches it.

#include <string>
#include <vector>

#include "submissions/judge/processes/callee_process.h"

namespace gemmlab::submissions {

/// Path of a program of the CUDA toolkit, on PATH or where the toolkit is usually put; empty where it is not
/// found.
std::string find_tool(const std::string& name);

/// Starts `setup` under `command` (a program and its options) and makes one call per request, with integers
/// in A and B. Returns why it could not make the calls; empty if it did. Under a tool a call may take many
/// times as long as usual.
std::string call_under(const std::vector<std::string>& command, CalleeSetup setup,
                       const std::vector<Request>& requests, double call_limit_s);

/// A file's text; empty where there is none.
std::string text_of_log(const std::string& path);

}  // namespace gemmlab::submissions
