#pragma once

// Values to sweep: a number, a list, a range, or a word that stands for this machine's own number.

#include <cstdint>
#include <string>
#include <vector>

#include "core/implementation.h"
#include "runner/definition/toml_reader.h"

namespace gemmlab::runner {

inline constexpr std::int64_t kMostSize = std::int64_t{1}
                                          << 40;  ///< of `size`, whatever an operation makes of it

/// Whole numbers of an axis, as written: 1024; [256, 512]; { from = 256, to = 4096, factor = 2 };
/// { from = 100, to = 1000, step = 100 }; "cores", "cores*2", "cores/2" (at least 1); or a list of all these.
/// Repeats are dropped; lists that hold a range or a word are sorted, plain ones keep their order. Never
/// empty.
std::vector<std::int64_t> integer_axis(const TomlReader& reader, const std::string& key, std::int64_t least,
                                       std::int64_t most);

/// The same in the order as written: for axes whose first values belong together, their second values, and so
/// on.
std::vector<std::int64_t> integer_list(const TomlReader& reader, const std::string& key, std::int64_t least,
                                       std::int64_t most);

/// How a label tells a parameter's value: "block 4", "8 threads".
std::string told_value(const std::string& name, const ParameterValue& value);

struct SweptValue {
  ParameterValue value;
  std::string told;  ///< how a label tells it from the others; empty where it is the only one
};

/// Values of an implementation's parameter: as integer_axis, or words, or "all" (every value that is allowed
/// here). Each is checked against the parameter's description. threads = [1, "cores"] are always two, "one
/// core" and "all cores", and "cores" alone is "all cores", too: lines that every machine has.
std::vector<SweptValue> parameter_axis(const TomlReader& reader, const Description& description,
                                       const ParameterSpec& spec);

}  // namespace gemmlab::runner
