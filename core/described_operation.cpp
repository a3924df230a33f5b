#include "core/described_operation.h"

#include <algorithm>

namespace gemmlab {
namespace {

std::string text_of(const OptionValue& value) {
  if (const auto* word = std::get_if<std::string>(&value)) return *word;
  if (const auto* number = std::get_if<std::int64_t>(&value)) return std::to_string(*number);
  return std::to_string(std::get<double>(value));
}

}  // namespace

std::string DescribedOperation::why_not(const Instance& instance) const {
  for (std::size_t i = 0; i < dimensions_.size(); ++i) {
    const DimensionSpec& spec = dimensions_[i];
    const std::int64_t value = instance.dims.at(i);
    if (value >= spec.minimum && value <= spec.maximum) continue;
    return spec.name + " is " + std::to_string(value) + "; allowed: " + std::to_string(spec.minimum) +
           " to " + std::to_string(spec.maximum);
  }
  for (const OptionSpec& spec : options_) {
    const OptionValue& value = instance.option(spec.name);
    const auto& choices = spec.choices;
    if (choices.empty() || std::find(choices.begin(), choices.end(), value) != choices.end()) continue;
    std::string allowed;
    for (const OptionValue& choice : choices) allowed += (allowed.empty() ? "" : ", ") + text_of(choice);
    return spec.name + " is " + text_of(value) + "; allowed: " + allowed;
  }
  return {};
}

std::int64_t integer_option(const Instance& instance, const std::string& name) {
  return std::get<std::int64_t>(instance.option(name));
}

const std::string& text_option(const Instance& instance, const std::string& name) {
  return std::get<std::string>(instance.option(name));
}

}  // namespace gemmlab
