#include "submissions/program/rule_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <stdexcept>

#include "core/machine/own_files.h"
#include "runner/definition/toml_reader.h"
#include "submissions/program/grading_reader.h"
#include "submissions/program/shape_text.h"

namespace gemmlab::submissions {
namespace {

using runner::Catalogue;
using runner::shown;
using runner::TomlReader;

/// The table called `key`; nothing where it is missing.
std::optional<TomlReader> section(const TomlReader& root, const std::string& key) {
  if (!root.has(key)) return {};
  const toml::table* table = root.node(key).as_table();
  if (table == nullptr) root.fail(root.node(key), fmt::format("'{}' must be written as [{}]", key, key));
  return TomlReader(*table, root.file(), key);
}

struct Entry {
  const toml::node& node;  ///< for messages
  std::string text;
};

/// A list of texts, none of them empty or repeated; no texts where the key is missing.
std::vector<Entry> texts(const TomlReader& reader, const std::string& key, const std::string& example) {
  std::vector<Entry> found;
  if (!reader.has(key)) return found;
  const auto expected = [&] { return fmt::format("a list such as [{}] is expected", example); };
  const toml::array* list = reader.node(key).as_array();
  if (list == nullptr) {
    reader.fail(reader.node(key), fmt::format("'{}' is {}; {}", key, shown(reader.node(key)), expected()));
  }
  for (const toml::node& item : *list) {
    const std::string text = item.value<std::string>().value_or("");
    if (!item.is_string() || text.empty())
      reader.fail(item, fmt::format("'{}' holds {}; {}", key, shown(item), expected()));
    for (const Entry& other : found) {
      if (other.text == text) reader.fail(item, fmt::format("'{}' names '{}' twice", key, text));
    }
    found.push_back({item, text});
  }
  return found;
}

/// "block=32" as a parameter: a whole number where it is one.
void read_parameter(const TomlReader& reader, const Entry& entry, const std::string& word, Rung& rung) {
  const std::size_t equals = word.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == word.size()) {
    reader.fail(entry.node, fmt::format("'{}' in '{}'; parameters are written as in \"gpu.tiled block=32\"",
                                        word, entry.text));
  }
  const std::string name = word.substr(0, equals);
  const std::string value = word.substr(equals + 1);
  if (rung.parameters.count(name) > 0)
    reader.fail(entry.node, fmt::format("'{}' names '{}' twice", entry.text, name));
  const std::int64_t number = whole_number(value, std::int64_t{1} << 40);
  rung.parameters[name] = number > 0 ? ParameterValue(number) : ParameterValue(value);
  rung.label += fmt::format(", {} {}", name, value);
}

/// An entry such as "gpu.tiled block=32".
Rung read_rung(const TomlReader& reader, const Entry& entry, const std::string& device,
               const Catalogue& catalogue) {
  std::istringstream words(entry.text);
  Rung rung;
  words >> rung.id;
  const Implementation* found = catalogue.find(rung.id);
  // A wildcard would be missing in this build as a whole; a rung is one.
  const bool missing =
      found == nullptr && rung.id.find('*') == std::string::npos && runner::missing_in_this_build(rung.id);
  if (found == nullptr && !missing) {
    reader.fail(entry.node, catalogue.unknown(rung.id));
  }
  if (rung.id.rfind(device + ".", 0) != 0) {
    reader.fail(entry.node, fmt::format("'{}' stands in [{}]; allowed there: {}.*", rung.id, device, device));
  }
  rung.name = entry.text;
  rung.label = rung.id.substr(device.size() + 1);
  for (std::string word; words >> word;) read_parameter(reader, entry, word, rung);
  if (found != nullptr) {
    try {
      rung.parameters = complete(found->description(), rung.parameters);
    } catch (const std::invalid_argument& error) {
      reader.fail(entry.node, error.what());
    }
  }
  return rung;
}

DeviceRule read_device(const TomlReader& root, const std::string& device, const Catalogue& catalogue) {
  DeviceRule rule;
  const auto reader = section(root, device);
  if (!reader) return rule;
  reader->only({"timed", "timed_alone", "ladder", "library"});
  for (const std::string key : {"timed", "timed_alone"}) {
    std::vector<Shape>& shapes = key == "timed" ? rule.timed : rule.timed_alone;
    for (const Entry& entry : texts(*reader, key, "\"512x512x512\"")) {
      const Shape shape = read_shape(*reader, entry.node, key, entry.text);
      // "512x..." and "0512x..." are one shape.
      for (const std::vector<Shape>* known : {&rule.timed, &rule.timed_alone}) {
        if (std::find(known->begin(), known->end(), shape) != known->end())
          reader->fail(entry.node, fmt::format("'{}' names '{}' twice", key, entry.text));
      }
      shapes.push_back(shape);
    }
  }
  const std::string example = device == "gpu" ? "\"gpu.tiled block=32\"" : "\"cpu.ikj\"";
  for (const Entry& entry : texts(*reader, "ladder", example))
    rule.ladder.push_back(read_rung(*reader, entry, device, catalogue));
  for (const Entry& entry : texts(*reader, "library", example))
    rule.library.push_back(read_rung(*reader, entry, device, catalogue));
  return rule;
}

Limits read_limits(const TomlReader& root) {
  Limits limits;
  const auto reader = section(root, "limits");
  if (!reader) return limits;
  reader->only({"build_s", "call_s", "submission_s", "memory_mib", "threads", "file_mib"});
  limits.build_s = reader->number_or("build_s", limits.build_s, 1, 3600);
  limits.call_s = reader->number_or("call_s", limits.call_s, 0.1, 3600);
  limits.submission_s = reader->number_or("submission_s", limits.submission_s, 1, 86400);
  limits.memory_mib = reader->integer_or("memory_mib", limits.memory_mib, 16, 1 << 24);
  limits.threads = static_cast<int>(reader->integer_or("threads", limits.threads, 0, 65536));
  limits.file_mib = reader->integer_or("file_mib", limits.file_mib, 1, 1 << 20);
  return limits;
}

/// What solve takes. What products there are is the suite's to say, in gemm's own options.
SolveForm read_solve(const TomlReader& root) {
  SolveForm form;
  const auto type_of = [](const std::string& name) { return element_type_from(name); };
  form.types.type =
      root.one_of("type", ElementType::kFloat32, {"float32", "float16", "bfloat16", "int8"}, type_of);
  const bool whole = is_integer(form.types.type);
  form.types.result = whole ? ElementType::kInt32 : form.types.type;
  const std::string own = to_string(form.types.result);
  const std::vector<std::string> results =
      whole || form.types.plain() ? std::vector<std::string>{own} : std::vector<std::string>{own, "float32"};
  form.types.result = root.one_of("result", form.types.result, results, type_of);
  form.inner_k = root.one_of("inner", false, {"N", "K"}, [](const std::string& name) { return name == "K"; });
  form.alpha_beta = root.boolean_or("alpha_beta", false);
  if (form.alpha_beta && whole)
    root.fail(root.node("alpha_beta"),
              "'alpha_beta' is true with type = \"int8\", whose products are not scaled; allowed: false");
  return form;
}

}  // namespace

std::string default_rule() {
  return source_root() + "/submissions/rules/default.toml";
}

Rule read_rule(const std::string& file, const Catalogue& catalogue) {
  const toml::table table = runner::read_toml(file).table;
  const TomlReader root(table, file, "");
  // 'assignment' is for whoever hands files to this program: submissions/assignments/.
  root.only({"random_shapes", "rounds", "shape_s", "settled", "again", "busy", "priority", "forbid_libraries",
             "forbidden_headers", "type", "result", "inner", "alpha_beta", "limits", "cpu", "gpu", "grading",
             "assignment"});
  Rule rule;
  rule.file = file;
  rule.solve = read_solve(root);
  rule.limits = read_limits(root);
  rule.random_shapes = static_cast<int>(root.integer_or("random_shapes", rule.random_shapes, 0, 10000));
  rule.rounds = static_cast<int>(root.integer_or("rounds", rule.rounds, 1, 1000));
  rule.shape_s = root.number_or("shape_s", rule.shape_s, 0.1, 3600);
  rule.settled = root.number_or("settled", rule.settled, 0.001, 1);
  rule.again = static_cast<int>(root.integer_or("again", rule.again, 0, 100));
  rule.busy = root.number_or("busy", rule.busy, 0, 1);
  rule.priority = root.boolean_or("priority", rule.priority);
  rule.forbid_libraries = root.boolean_or("forbid_libraries", rule.forbid_libraries);
  for (const Entry& entry : texts(root, "forbidden_headers", "\"Eigen/\", \"cblas.h\""))
    rule.forbidden_headers.push_back(entry.text);
  rule.cpu = read_device(root, "cpu", catalogue);
  rule.gpu = read_device(root, "gpu", catalogue);
  if (const auto grading = section(root, "grading")) {
    const toml::table defaults = runner::read_toml(default_rule()).table;
    const TomlReader shipped(defaults, default_rule(), "");
    rule.grading = read_grading(*grading, *section(shipped, "grading"));
    if (!rule.solve.usual() && !rule.grading->shares.empty())
      grading->fail(
          grading->node("share"),
          "'share' gives points for speed, which only the usual solve is timed for; allowed without "
          "'type', 'inner' and 'alpha_beta'");
  }
  return rule;
}

void add_rung(Rule& rule, const std::string& entry, const Catalogue& catalogue) {
  if (entry.empty()) return;
  const std::string device = entry.substr(0, entry.find('.'));
  const toml::table root{{device, toml::table{{"ladder", toml::array{entry}}}}};
  const DeviceRule more = read_device(TomlReader(root, "--like", ""), device, catalogue);
  std::vector<Rung>& ladder = (device == "gpu" ? rule.gpu : rule.cpu).ladder;
  for (const Rung& rung : more.ladder) {
    const bool there = std::any_of(ladder.begin(), ladder.end(), [&](const Rung& other) {
      return other.id == rung.id && other.parameters == rung.parameters;
    });
    if (!there) ladder.push_back(rung);
  }
}

}  // namespace gemmlab::submissions
