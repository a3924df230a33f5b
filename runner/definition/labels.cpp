#include "runner/definition/labels.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

#include "core/records/attributes.h"

namespace gemmlab::runner {
namespace {

constexpr const char* kPattern = "{name}, {varied}";

std::string method_of(const Description& description) {
  return description.id.substr(description.id.find('.') + 1);
}

bool holds(const std::string& text, const std::string& hole) {
  return text.find("{" + hole + "}") != std::string::npos;
}

/// Does the display name tell the parameter's value?
bool name_tells(const Description& description, const std::string& parameter) {
  const ParameterSpec* spec = description.find(parameter);
  if (spec == nullptr) return false;
  std::string parts = spec->told;
  for (const std::string& part : name_parts(description, {})) parts += part;
  return holds(parts, parameter);
}

/// "end to end, pinned": what the rest of the label leaves untold.
std::string told_of(const std::string& pattern, const Description& description,
                    const std::vector<Varied>& varied) {
  std::string all;
  for (const auto& [key, told] : varied) {
    const bool elsewhere = holds(pattern, key) || (holds(pattern, "name") && name_tells(description, key));
    if (told.empty() || elsewhere) continue;
    all += (all.empty() ? "" : ", ") + told;
  }
  return all;
}

/// What a hole stands for; none where it stands for nothing.
std::optional<std::string> filling(const std::string& hole, const std::string& pattern,
                                   const Description& description, const VariedPoint& line) {
  const Parameters& parameters = line.point.parameters;
  if (hole == "name") return display_name(description, parameters);
  if (hole == "method") return method_of(description);
  if (hole == "varied") return told_of(pattern, description, line.varied);
  if (const auto found = parameters.find(hole); found != parameters.end()) return to_string(found->second);
  for (const Attribute& attribute : attributes()) {
    if (attribute.name == hole && attribute.place == Place::kRun)
      return attribute.get(line.point).get<std::string>();
  }
  return {};
}

[[noreturn]] void refuse_hole(const TomlReader& run, const Description& description) {
  std::vector<std::string> holes{"name", "method", "varied"};
  for (const ParameterSpec& spec : description.parameters) holes.push_back(spec.name);
  holes.insert(holes.end(), run_keys().begin(), run_keys().end());
  const toml::node& label = run.node("label");
  run.fail(label, fmt::format("'label' is {}; in braces may stand, of {}: {}", shown(label), description.id,
                              fmt::join(holes, ", ")));
}

/// Adds the filling of a hole; an empty one takes the comma before it along.
void fill(std::string& label, const std::string& filling) {
  if (filling.empty() && label.size() >= 2 && label.compare(label.size() - 2, 2, ", ") == 0)
    label.resize(label.size() - 2);
  label += filling;
}

}  // namespace

std::string label_of(const TomlReader& run, const Description& description, const VariedPoint& line) {
  const std::string pattern = run.has("label") ? run.line("label") : kPattern;
  std::string label;
  std::size_t at = 0;
  for (std::size_t open = pattern.find('{'); open != std::string::npos; open = pattern.find('{', at)) {
    label += pattern.substr(at, open - at);
    const std::size_t close = std::min(pattern.find('}', open), pattern.size());
    const auto told = filling(pattern.substr(open + 1, close - open - 1), pattern, description, line);
    if (!told || close == pattern.size()) refuse_hole(run, description);
    fill(label, *told);
    at = close + 1;
  }
  label += pattern.substr(at);
  if (label.empty())
    run.fail(run.node("label"), fmt::format("'label' is {}, which leaves a line of {} without a name",
                                            shown(run.node("label")), description.id));
  return label;
}

}  // namespace gemmlab::runner
