#pragma once

// The dimensions and options of a [[group]]: which instances of its operation are measured.

#include <string>
#include <vector>

#include "core/operation.h"
#include "runner/definition/toml_reader.h"

namespace gemmlab::runner {

/// "size", "combine", and the operation's dimensions and options.
std::vector<std::string> instance_keys(const Operation& operation);

/// Every combination of the dimensions (`size`, or each by its name; combine = "zip": the first values
/// together, the second, ...) with every combination of the options. Throws UsageError with file, line, key,
/// value and what is allowed; also where there are more than `most`, before they are made.
std::vector<Instance> instances_of(const TomlReader& group, const Operation& operation, std::size_t most);

[[noreturn]] void refuse_sweep(const TomlReader& where, std::size_t most);

}  // namespace gemmlab::runner
