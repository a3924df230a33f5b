#pragma once

// Where records come from: the program, the host and the environment, as run records state them.

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/records/record.h"
#include "runner/definition/definition.h"
#include "runner/roofline.h"

namespace gemmlab::runner {

/// What this program is and was built with: {"program": {...}, "build": {...}}.
Json program_facts();

/// This host: cpu, sockets, cores, caches, memory, governor, kernel, container.
Json host_facts();

/// OMP_*, CUDA_* and the libraries' own variables that are set.
Json environment_facts();

/// "20261120T235901Z-1a2b3c".
std::string new_run_id();

/// The `run` record of one experiment in one invocation. `worker` is Supervisor::facts().
Json run_record(const std::string& run_id, const Definition& definition, const std::string& machine,
                const std::vector<std::string>& arguments, const Json& worker, const Limits& limits);

}  // namespace gemmlab::runner
