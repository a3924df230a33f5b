#include "core/implementation.h"

#include <algorithm>
#include <stdexcept>

namespace gemmlab {

namespace {

template <typename Items, typename Text>
std::string joined(const Items& items, Text&& text_of) {
  std::string line;
  for (const auto& item : items) line += (line.empty() ? "" : ", ") + text_of(item);
  return line;
}

std::string names_of(const Description& description) {
  if (description.parameters.empty()) return "none";
  return joined(description.parameters, [](const ParameterSpec& spec) { return spec.name; });
}

/// In no name: where and with what it ran, not what it does.
bool is_circumstance(const std::string& parameter) {
  return parameter == "threads" || parameter == "isa" || parameter == "kernel";
}

/// "8x8" -> "8×8", "conflict_free" -> "conflict free".
std::string told_value(const ParameterValue& value) {
  const std::string plain = to_string(value);
  const auto is_digit = [&](std::size_t at) {
    return at < plain.size() && '0' <= plain[at] && plain[at] <= '9';
  };
  std::string told;
  for (std::size_t at = 0; at < plain.size(); ++at) {
    const bool times = plain[at] == 'x' && at > 0 && is_digit(at - 1) && is_digit(at + 1);
    told += times ? std::string("×") : std::string(1, plain[at] == '_' ? ' ' : plain[at]);
  }
  return told;
}

}  // namespace

const char* to_string(Precision precision) {
  switch (precision) {
    case Precision::kFp32:
      return "fp32";
    case Precision::kTf32:
      return "tf32";
    case Precision::kFp16:
      return "fp16";
    case Precision::kBf16:
      return "bf16";
    case Precision::kFp8:
      return "fp8";
    case Precision::kFp32Split:
      return "fp32-split";
  }
  throw std::invalid_argument("not a precision: " + std::to_string(static_cast<int>(precision)));
}

const Device& device_from(const std::string& name) {
  if (const Device* device = find_device(name)) return *device;
  throw std::invalid_argument("not a device: " + name);
}

Precision precision_from(const std::string& name) {
  for (const Precision precision : {Precision::kFp32, Precision::kTf32, Precision::kFp16, Precision::kBf16,
                                    Precision::kFp8, Precision::kFp32Split}) {
    if (name == to_string(precision)) return precision;
  }
  throw std::invalid_argument("not a precision: " + name);
}

bool as_accurate_as_fp32(Precision precision) {
  return precision == Precision::kFp32 || precision == Precision::kFp32Split;
}

std::string to_string(const ParameterValue& value) {
  if (const auto* number = std::get_if<std::int64_t>(&value)) return std::to_string(*number);
  return std::get<std::string>(value);
}

std::int64_t integer(const Parameters& parameters, const std::string& name) {
  const auto found = parameters.find(name);
  if (found == parameters.end()) throw std::out_of_range("parameter '" + name + "' was not given");
  if (const auto* number = std::get_if<std::int64_t>(&found->second)) return *number;
  throw std::out_of_range("parameter '" + name + "' is '" + to_string(found->second) +
                          "', not a whole number");
}

std::string text(const Parameters& parameters, const std::string& name) {
  const auto found = parameters.find(name);
  if (found == parameters.end()) throw std::out_of_range("parameter '" + name + "' was not given");
  if (const auto* word = std::get_if<std::string>(&found->second)) return *word;
  throw std::out_of_range("parameter '" + name + "' is " + to_string(found->second) + ", not a word");
}

bool ParameterSpec::allows(const ParameterValue& value) const {
  if (!choices.empty()) return std::find(choices.begin(), choices.end(), value) != choices.end();
  const auto* number = std::get_if<std::int64_t>(&value);
  return number != nullptr && minimum <= *number && *number <= maximum;
}

std::string ParameterSpec::allowed() const {
  if (choices.empty()) return std::to_string(minimum) + " to " + std::to_string(maximum);
  return joined(choices, [](const ParameterValue& value) { return to_string(value); });
}

const ParameterSpec* Description::find(const std::string& parameter) const {
  for (const ParameterSpec& spec : parameters) {
    if (spec.name == parameter) return &spec;
  }
  return nullptr;
}

Parameters complete(const Description& description, const Parameters& given) {
  for (const auto& [name, value] : given) {
    const ParameterSpec* spec = description.find(name);
    if (spec == nullptr) {
      throw std::invalid_argument("unknown parameter '" + name + "' of " + description.id +
                                  "; allowed: " + names_of(description));
    }
    if (!spec->allows(value)) {
      throw std::invalid_argument("parameter '" + name + "' of " + description.id + " is " +
                                  to_string(value) + "; allowed: " + spec->allowed());
    }
  }
  Parameters all = given;
  for (const ParameterSpec& spec : description.parameters) all.emplace(spec.name, spec.default_value);
  return all;
}

std::vector<std::string> name_parts(const Description& description, const Parameters& parameters) {
  std::vector<std::string> parts{description.name};
  const bool unnamed = description.name.empty();
  if (unnamed) {
    parts[0] = description.id.substr(description.id.find('.') + 1);
    std::replace(parts[0].begin(), parts[0].end(), '_', ' ');
  }
  for (const ParameterSpec& spec : description.parameters) {
    if (unnamed && !is_circumstance(spec.name)) {
      parts.push_back(", " + spec.name + " {" + spec.name + "}");
      continue;
    }
    const auto given = parameters.find(spec.name);
    if (!spec.told.empty() && given != parameters.end() && given->second != spec.default_value)
      parts.push_back(spec.told);
  }
  return parts;
}

std::string display_name(const Description& description, const Parameters& parameters) {
  std::string name;
  for (const std::string& part : name_parts(description, parameters)) name += part;
  for (const ParameterSpec& spec : description.parameters) {
    const auto given = parameters.find(spec.name);
    const std::string value = told_value(given == parameters.end() ? spec.default_value : given->second);
    const std::string slot = "{" + spec.name + "}";
    for (std::size_t at = name.find(slot); at != std::string::npos; at = name.find(slot, at + value.size()))
      name.replace(at, slot.size(), value);
  }
  return name;
}

std::vector<const Implementation*> of_operation(const std::vector<const Implementation*>& table,
                                                const std::string& operation) {
  std::vector<const Implementation*> found;
  for (const Implementation* one : table) {
    if (one->description().operation == operation) found.push_back(one);
  }
  return found;
}

std::vector<Parameters> all_choices(const Description& description) {
  std::vector<Parameters> combinations(1);
  for (const ParameterSpec& spec : description.parameters) {
    const std::vector<ParameterValue> values =
        spec.choices.empty() ? std::vector<ParameterValue>{spec.default_value} : spec.choices;
    std::vector<Parameters> longer;
    for (const Parameters& combination : combinations) {
      for (const ParameterValue& value : values) {
        longer.push_back(combination);
        longer.back()[spec.name] = value;
      }
    }
    combinations = std::move(longer);
  }
  return combinations;
}

double Implementation::moved_bytes(const Instance&, const Parameters&) const {
  return 0;
}

}  // namespace gemmlab
