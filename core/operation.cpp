#include "core/operation.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "core/inputs/matrix.h"

namespace gemmlab {
namespace {

const OptionSpec* find_option(const Operation& operation, const std::string& name) {
  for (const OptionSpec& spec : operation.options()) {
    if (spec.name == name) return &spec;
  }
  return nullptr;
}

template <typename Specs>
std::string names_of(const Specs& specs) {
  std::string names;
  for (const auto& spec : specs) names += (names.empty() ? "" : ", ") + spec.name;
  return names.empty() ? "none" : names;
}

std::string allowed(const OptionSpec& spec) {
  std::string values;
  for (const OptionValue& choice : spec.choices) values += (values.empty() ? "" : ", ") + to_string(choice);
  if (!values.empty()) return values;
  if (std::holds_alternative<std::string>(spec.default_value)) return "words";
  return std::holds_alternative<double>(spec.default_value) ? "numbers" : "whole numbers";
}

/// The value as one of the default's type: 2 is a fraction where fractions are asked for.
OptionValue value_of(const OptionSpec& spec, const OptionValue& given, const std::string& operation) {
  OptionValue value = given;
  const auto* whole = std::get_if<std::int64_t>(&given);
  if (whole != nullptr && std::holds_alternative<double>(spec.default_value))
    value = static_cast<double>(*whole);
  const bool right_type = value.index() == spec.default_value.index();
  const bool listed = spec.choices.empty() ||
                      std::find(spec.choices.begin(), spec.choices.end(), value) != spec.choices.end();
  if (right_type && listed) return value;
  throw std::invalid_argument("option '" + spec.name + "' of " + operation + " is " + to_string(given) +
                              "; allowed: " + allowed(spec));
}

}  // namespace

std::string to_string(const OptionValue& value) {
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return std::to_string(*whole);
  if (const auto* word = std::get_if<std::string>(&value)) return *word;
  char text[32];
  std::snprintf(text, sizeof text, "%g", std::get<double>(value));
  return text;
}

std::int64_t Instance::dim(const std::string& name) const {
  const std::vector<DimensionSpec>& specs = operation->dimensions();
  for (std::size_t i = 0; i < specs.size(); ++i) {
    if (specs[i].name == name) return dims.at(i);
  }
  throw std::out_of_range(operation->name() + " has no dimension '" + name + "'");
}

const OptionValue& Instance::option(const std::string& name) const {
  const auto found = options.find(name);
  if (found == options.end())
    throw std::out_of_range("option '" + name + "' of " + operation->name() + " was not given");
  return found->second;
}

Options Instance::given_options() const {
  Options given;
  for (const auto& [name, value] : options) {
    const OptionSpec* spec = find_option(*operation, name);
    if (spec == nullptr || value != spec->default_value) given.emplace(name, value);
  }
  return given;
}

std::vector<OperandSpec> Instance::operands() const {
  return operation->operands(*this);
}

std::int64_t Instance::bytes(std::size_t operand) const {
  return operation->count(*this, operand) * static_cast<std::int64_t>(bytes_of(operands().at(operand).type));
}

std::int64_t Instance::bytes() const {
  std::int64_t all = 0;
  for (std::size_t i = 0; i < operands().size(); ++i) all += bytes(i);
  return all;
}

bool Instance::in_out() const {
  const std::vector<OperandSpec> all = operands();
  return std::any_of(all.begin(), all.end(),
                     [](const OperandSpec& operand) { return operand.direction == Direction::kInOut; });
}

bool Instance::operator==(const Instance& other) const {
  return operation == other.operation && dims == other.dims && options == other.options;
}

Instance instance_of(const Operation& operation, std::vector<std::int64_t> dims, const Options& given) {
  const std::vector<DimensionSpec>& specs = operation.dimensions();
  if (dims.size() != specs.size())
    throw std::invalid_argument(operation.name() + " has the dimensions " + names_of(specs) + "; given are " +
                                std::to_string(dims.size()));
  for (std::size_t i = 0; i < specs.size(); ++i) {
    if (specs[i].minimum <= dims[i] && dims[i] <= specs[i].maximum) continue;
    throw std::invalid_argument("'" + specs[i].name + "' of " + operation.name() + " is " +
                                std::to_string(dims[i]) + "; allowed: whole numbers from " +
                                std::to_string(specs[i].minimum) + " to " + std::to_string(specs[i].maximum));
  }
  Instance instance{&operation, std::move(dims), {}};
  for (const auto& [name, value] : given) {
    const OptionSpec* spec = find_option(operation, name);
    if (spec == nullptr)
      throw std::invalid_argument("unknown option '" + name + "' of " + operation.name() +
                                  "; allowed: " + names_of(operation.options()));
    instance.options[name] = value_of(*spec, value, operation.name());
  }
  for (const OptionSpec& spec : operation.options()) instance.options.emplace(spec.name, spec.default_value);
  if (const std::string reason = operation.why_not(instance); !reason.empty())
    throw std::invalid_argument(operation.name() + ": " + reason);
  return instance;
}

std::string to_string(const Instance& instance) {
  std::string text, names;
  const std::vector<DimensionSpec>& specs = instance.operation->dimensions();
  for (std::size_t i = 0; i < specs.size(); ++i) {
    const char* times = i == 0 ? "" : "×";
    text += times + std::to_string(instance.dims[i]);
    std::string name = specs[i].name;
    if (name.size() == 1) name[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(name[0])));
    names += times + name;
  }
  const std::vector<std::int64_t>& dims = instance.dims;
  if (std::all_of(dims.begin(), dims.end(), [&](std::int64_t dim) { return dim == dims.front(); })) {
    text = dims.empty() ? "" : std::to_string(dims.front());
  } else {
    text += " (" + names + ")";
  }
  for (const auto& [name, value] : instance.given_options())
    text += (text.empty() ? "" : ", ") + name + " " + to_string(value);
  return text;
}

std::string Operation::title() const {
  return name();
}

double Operation::least_bytes(const Instance& instance) const {
  const std::vector<OperandSpec> specs = operands(instance);
  double bytes = 0;
  for (std::size_t operand = 0; operand < specs.size(); ++operand) {
    const double passes = specs[operand].direction == Direction::kInOut ? 2 : 1;
    bytes += passes * static_cast<double>(instance.bytes(operand));
  }
  return bytes;
}

bool Operation::differs_by_set(std::size_t) const {
  return true;
}

Check Operation::unchanged(const Instance& instance, const Operands& operands_now, const InputValues& values,
                           std::int64_t set) const {
  Check check;
  check.method = "inputs-unchanged";
  check.verdict = Verdict::kOk;
  const std::vector<OperandSpec> specs = operands(instance);
  for (std::size_t operand = 0; operand < specs.size(); ++operand) {
    if (specs[operand].direction != Direction::kIn) continue;
    AlignedArray<char> made(instance.bytes(operand));
    fill(instance, operand, values, set, made.data());
    const char* now = operands_now.in<char>(operand);
    const char* changed = std::mismatch(now, now + made.count(), made.data()).first;
    if (changed == now + made.count()) continue;
    check.worst_row = (changed - now) / static_cast<std::int64_t>(bytes_of(specs[operand].type));
    check.worst_col = static_cast<std::int64_t>(operand);
    check.verdict = Verdict::kIncorrect;
    break;
  }
  return check;
}

std::optional<Instance> Operation::part(const Instance&, double) const {
  return {};
}

}  // namespace gemmlab
