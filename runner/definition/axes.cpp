#include "runner/definition/axes.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>

#include "core/machine/machine.h"
#include "runner/definition/other_machines.h"
#include "runner/message_text.h"

namespace gemmlab::runner {
namespace {

constexpr std::size_t kMostValues = 100000;

/// "cores", "cores*2" or "cores/2" on this machine; empty for any other text.
std::optional<std::int64_t> machine_number(const std::string& word) {
  const std::int64_t cores = cpu_info().cores;
  if (word == "cores") return cores;
  if (word.size() < 7 || word.compare(0, 5, "cores") != 0) return {};
  const std::string digits = word.substr(6);
  if (digits.size() > 4 || digits.find_first_not_of("0123456789") != std::string::npos) return {};
  const std::int64_t number = std::stoll(digits);
  if (number < 1) return {};
  if (word[5] == '*') return cores * number;
  if (word[5] == '/') return std::max<std::int64_t>(1, cores / number);
  return {};
}

/// Whole numbers from `least` to `most`; `text` says in messages what is allowed.
struct Bounds {
  std::int64_t least;
  std::int64_t most;
  std::string text;
};

Bounds whole_numbers(std::int64_t least, std::int64_t most) {
  return {least, most, fmt::format("whole numbers from {} to {}", least, most)};
}

/// Of a parameter with a range, that range; of one with choices, from the least to the greatest of them.
Bounds bounds_of(const ParameterSpec& spec) {
  if (spec.choices.empty()) return whole_numbers(spec.minimum, spec.maximum);
  Bounds bounds = {std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::min(),
                   spec.allowed()};
  for (const ParameterValue& choice : spec.choices) {
    const auto* number = std::get_if<std::int64_t>(&choice);
    if (number == nullptr) continue;
    bounds.least = std::min(bounds.least, *number);
    bounds.most = std::max(bounds.most, *number);
  }
  return bounds;
}

class IntegerAxis {
 public:
  IntegerAxis(const TomlReader& reader, const std::string& key, Bounds bounds)
      : reader_(reader), key_(key), bounds_(std::move(bounds)) {}

  /// As written.
  std::vector<std::int64_t> list() {
    for (const toml::node* item : reader_.items(key_)) add(*item);
    if (values_.empty())
      reader_.fail(reader_.node(key_),
                   fmt::format("'{}' is an empty sweep; at least one value is expected", key_));
    return values_;
  }

  /// In order and without repeats.
  std::vector<std::int64_t> sweep() {
    std::vector<std::int64_t> values = list();
    if (computed_) std::sort(values.begin(), values.end());
    std::set<std::int64_t> seen;
    values.erase(std::remove_if(values.begin(), values.end(),
                                [&](std::int64_t value) { return !seen.insert(value).second; }),
                 values.end());
    return values;
  }

 private:
  std::int64_t number(const toml::node& node) {
    std::optional<std::int64_t> value;
    if (node.is_integer()) value = node.value<std::int64_t>();
    if (node.is_string()) {
      value = machine_number(node.value<std::string>().value());
      computed_ = true;
    }
    if (!value || *value < bounds_.least || *value > bounds_.most) {
      reader_.fail(node, fmt::format("'{}' has the value {}; allowed: {}, a range "
                                     "{{ from, to, factor or step }}, \"cores\", \"cores*2\", \"cores/2\"",
                                     key_, shown(node), bounds_.text));
    }
    return *value;
  }

  void add(const toml::node& node) {
    const toml::table* range = node.as_table();
    if (range == nullptr) {
      values_.push_back(number(node));
      return;
    }
    computed_ = true;
    const TomlReader part = reader_.inner(*range, fmt::format("range '{}'", key_));
    part.only({"from", "to", "factor", "step"});
    const std::int64_t from = number(part.node("from"));
    const std::int64_t to = number(part.node("to"));
    if (part.has("factor") == part.has("step")) part.fail("one of 'factor' and 'step' is expected");
    const bool geometric = part.has("factor");
    const std::int64_t by =
        geometric ? part.integer_or("factor", 2, 2, 1 << 20) : part.integer_or("step", 1, 1, 1 << 30);
    for (std::int64_t value = from; value <= to; value = geometric ? value * by : value + by) {
      values_.push_back(value);
      if (values_.size() > kMostValues) part.fail(fmt::format("the range has over {} values", kMostValues));
    }
  }

  const TomlReader& reader_;
  const std::string& key_;
  Bounds bounds_;
  bool computed_ = false;
  std::vector<std::int64_t> values_;
};

std::vector<ParameterValue> words(const TomlReader& reader, const std::string& key) {
  std::vector<ParameterValue> values;
  for (const toml::node* item : reader.items(key)) {
    if (!item->is_string())
      reader.fail(*item,
                  fmt::format("'{}' has the value {}; a word in quotes is expected", key, shown(*item)));
    values.emplace_back(item->value<std::string>().value());
  }
  return values;
}

/// threads = "cores" or [1, "cores"]: lines that every machine has, whatever its number of cores. Nothing for
/// any other axis.
std::vector<SweptValue> by_cores(const TomlReader& reader, const std::string& key) {
  bool one = false;
  bool all = false;
  for (const toml::node* item : reader.items(key)) {
    one = one || item->value_exact<std::int64_t>() == 1;
    all = all || item->value_exact<std::string>() == "cores";
  }
  const std::size_t found = std::size_t{one} + std::size_t{all};
  if (key != "threads" || !all || found != reader.items(key).size()) return {};
  std::vector<SweptValue> axis;
  if (one) axis.push_back({std::int64_t{1}, "one core"});
  axis.push_back({std::int64_t{cpu_info().cores}, "all cores"});
  return axis;
}

}  // namespace

std::string told_value(const std::string& name, const ParameterValue& value) {
  const std::string text = to_string(value);
  return name != "threads" ? name + " " + text : text + (text == "1" ? " thread" : " threads");
}

std::vector<std::int64_t> integer_axis(const TomlReader& reader, const std::string& key, std::int64_t least,
                                       std::int64_t most) {
  return IntegerAxis(reader, key, whole_numbers(least, most)).sweep();
}

std::vector<std::int64_t> integer_list(const TomlReader& reader, const std::string& key, std::int64_t least,
                                       std::int64_t most) {
  return IntegerAxis(reader, key, whole_numbers(least, most)).list();
}

std::vector<SweptValue> parameter_axis(const TomlReader& reader, const Description& description,
                                       const ParameterSpec& spec) {
  const toml::node& node = reader.node(spec.name);
  std::vector<ParameterValue> values;
  if (node.is_string() && node.value<std::string>() == "all") {
    values = spec.choices.empty() ? std::vector<ParameterValue>{spec.default_value} : spec.choices;
  } else if (std::holds_alternative<std::string>(spec.default_value)) {
    values = words(reader, spec.name);
  } else {
    for (std::int64_t value : IntegerAxis(reader, spec.name, bounds_of(spec)).sweep())
      values.emplace_back(value);
  }
  std::vector<SweptValue> axis;
  for (const ParameterValue& value : values) {
    if (!spec.allows(value) && !is_of_another_machine(spec, value)) {
      reader.fail(node, fmt::format("parameter '{}' of {} is {}; allowed: {}", spec.name, description.id,
                                    clipped(to_string(value)), allowed_anywhere(spec)));
    }
    axis.push_back({value, values.size() > 1 ? told_value(spec.name, value) : ""});
  }
  const std::vector<SweptValue> cores = by_cores(reader, spec.name);
  return cores.empty() ? axis : cores;
}

}  // namespace gemmlab::runner
