#include "runner/commands/asked_call.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "core/records/read_json.h"
#include "runner/execution/channel.h"
#include "runner/message_text.h"
#include "runner/usage_error.h"

namespace gemmlab::runner {
namespace {

constexpr std::int64_t kSize = 1024;

/// A number where it is one, else a word.
OptionValue value_from(const std::string& text) {
  const Json json = read_json(text);
  if (json.is_number_integer()) return json.get<std::int64_t>();
  if (json.is_number()) return json.get<double>();
  return text;
}

}  // namespace

Parameters parameters_given(const std::string& text) {
  const Json json = read_json(text);
  if (!json.is_object())
    throw UsageError("--parameters: '" + clipped(text) + "' is not a JSON object such as {\"block\": 16}");
  try {
    return parameters_from(json);
  } catch (const std::invalid_argument& error) {
    throw UsageError(std::string("--parameters: ") + error.what());
  }
}

Parameters completed(const Description& description, const Parameters& given) {
  try {
    return complete(description, given);
  } catch (const std::invalid_argument& error) {
    throw UsageError(std::string("--parameters: ") + error.what());
  }
}

Instance asked_instance(const std::vector<std::string>& words, const Operation& operation) {
  std::vector<std::int64_t> dims = operation.dims_of_size(kSize);
  Options options;
  const std::vector<DimensionSpec>& specs = operation.dimensions();
  for (std::size_t i = 0; i < words.size(); i += 2) {
    const std::string name = words[i].rfind("--", 0) == 0 ? words[i].substr(2) : words[i];
    if (i + 1 == words.size()) throw UsageError("'" + clipped(words[i]) + "' has no value");
    const OptionValue value = value_from(words[i + 1]);
    const auto spec =
        std::find_if(specs.begin(), specs.end(), [&](const DimensionSpec& one) { return one.name == name; });
    const auto* whole = std::get_if<std::int64_t>(&value);
    if (spec == specs.end()) {
      options[name] = value;
    } else if (whole != nullptr) {
      dims[static_cast<std::size_t>(spec - specs.begin())] = *whole;
    } else {
      throw UsageError("--" + name + ": '" + clipped(words[i + 1]) + "' is not a whole number");
    }
  }
  try {
    return instance_of(operation, dims, options);
  } catch (const std::invalid_argument& error) {
    throw UsageError(error.what());
  }
}

}  // namespace gemmlab::runner
