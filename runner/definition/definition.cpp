#include "runner/definition/definition.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <span>

#include "core/machine/own_files.h"
#include "core/records/sha256.h"
#include "gpu/table.h"
#include "kinds.h"
#include "runner/definition/baseline.h"
#include "runner/definition/expand.h"
#include "runner/definition/toml_reader.h"
#include "runner/message_text.h"
#include "runner/name_suggestion.h"

namespace fs = std::filesystem;

namespace gemmlab::runner {
namespace {

/// The kind of that name; none where there is no such kind.
const kinds::Kind* find_kind(std::span<const kinds::Kind> known, const std::string& name) {
  const auto found =
      std::find_if(known.begin(), known.end(), [&](const kinds::Kind& kind) { return name == kind.name; });
  return found == known.end() ? nullptr : &*found;
}

std::vector<std::string> names_of(std::span<const kinds::Kind> known) {
  std::vector<std::string> names;
  for (const kinds::Kind& kind : known) names.emplace_back(kind.name);
  return names;
}

/// The labels that a table or figure keeps to. Where GPU lines are left out, theirs cannot be known.
Json read_labels(const TomlReader& item, const std::vector<std::string>& lines, bool some_left_out) {
  const toml::node& node = item.node("labels");
  const toml::array* list = node.as_array();
  if (list == nullptr || list->empty())
    item.fail(node, "'labels' must be a list of labels such as [\"naive\", \"cuBLAS\"]");
  Json labels = Json::array();
  for (const toml::node& entry : *list) {
    const std::string label = entry.value<std::string>().value_or("");
    if (std::find(lines.begin(), lines.end(), label) == lines.end() && !some_left_out) {
      item.fail(entry, fmt::format("unknown label {}; allowed: {}", shown(entry), listed(lines, "; ")));
    }
    labels.push_back(label);
  }
  return labels;
}

/// The [[table]]s or [[figure]]s wanted of what the definition measures.
Json read_wanted(const TomlReader& root, const std::string& key, std::span<const kinds::Kind> known,
                 const Catalogue& catalogue, const std::vector<std::string>& groups, Definition& definition) {
  Json wanted = Json::array();
  for (const TomlReader& item : root.tables(key, key)) {
    item.only({"kind", "title", "baseline", "group", "labels"}, places_of_keys());
    const std::string kind = item.text("kind");
    const kinds::Kind* found = find_kind(known, kind);
    if (found == nullptr) {
      item.fail(item.node("kind"), fmt::format("'kind' is {}; allowed: {}", shown(item.node("kind")),
                                               fmt::join(names_of(known), ", ")));
    }
    Json json{{"kind", kind}};
    if (item.has("title")) json["title"] = item.line("title");
    if (item.has("group")) {
      const std::string group = item.text("group");
      if (std::find(groups.begin(), groups.end(), group) == groups.end()) {
        item.fail(item.node("group"),
                  fmt::format("unknown group '{}'; allowed: {}", clipped(group), listed(groups)));
      }
      json["group"] = group;
    }
    if (item.has("labels"))
      json["labels"] = read_labels(item, definition.lines, !definition.left_out.empty());
    if (item.has("baseline")) json["baseline"] = read_baseline(item, catalogue, definition);
    if (found->needs_baseline && !item.has("baseline")) item.fail("the key 'baseline' is missing");
    wanted.push_back(std::move(json));
  }
  return wanted;
}

}  // namespace

std::size_t Definition::point_count() const {
  std::size_t count = excluded.size();
  for (const Group& group : groups) count += group.points.size();
  return count;
}

std::map<std::string, std::set<std::string>> Definition::left_out_by_reason() const {
  std::map<std::string, std::set<std::string>> by_reason;
  for (const LeftOut& left : left_out) by_reason[left.reason].insert(left.implementation);
  return by_reason;
}

Json Definition::operations_json() const {
  Json list = Json::array();
  for (const Operation* operation : operations) list.push_back(operation_json(*operation));
  return list;
}

Json Definition::presentation() const {
  Json missing = Json::array();
  for (const LeftOut& left : left_out)
    missing.push_back({{"implementation", left.implementation}, {"reason", left.reason}});
  return {{"name", name},     {"title", title},     {"question", question}, {"source", source},
          {"tables", tables}, {"figures", figures}, {"lines", lines},       {"left_out", missing}};
}

Definition load_definition(const std::string& file, const Catalogue& catalogue) {
  return make_definition(read_toml(file), file, fs::path(file).stem().string(), catalogue);
}

Definition make_definition(const TomlFile& read, const std::string& file, const std::string& name,
                           const Catalogue& catalogue) {
  const TomlReader root(read.table, file, "");
  root.only({"title", "question", "source", "operation", "settings", "group", "table", "figure"},
            places_of_keys());

  Definition definition;
  definition.file = file;
  definition.name = name;
  definition.sha256 = sha256(read.text);
  definition.title = root.line("title");
  definition.question = root.text("question");
  definition.source = root.text_or("source", "");

  GroupDefaults defaults;
  defaults.operation = root.text_or("operation", kDefaultOperation);
  if (root.has("settings")) {
    const toml::table* settings = root.node("settings").as_table();
    if (settings == nullptr) root.fail(root.node("settings"), "'settings' must be written as [settings]");
    const TomlReader reader(*settings, file, "settings");
    reader.only(group_setting_keys(), places_of_keys());
    defaults = read_settings(reader, defaults);
  }
  std::vector<std::string> names;
  std::set<std::string> known;
  Expander expander(catalogue, definition);
  for (const TomlReader& group : root.tables("group", "group")) {
    names.push_back(group.line("name"));
    if (!known.insert(names.back()).second) {
      group.fail(group.node("name"), fmt::format("two groups are called '{}'", clipped(names.back())));
    }
    expander.add(group, defaults);
  }
  if (names.empty()) root.fail("an empty sweep: at least one [[group]] is expected");
  definition.tables = read_wanted(root, "table", kinds::kTables, catalogue, names, definition);
  definition.figures = read_wanted(root, "figure", kinds::kFigures, catalogue, names, definition);
  return definition;
}

std::vector<std::string> shipped_definitions() {
  std::vector<std::string> files;
  const fs::path folder = fs::path(source_root()) / "experiments";
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    if (entry.path().extension() == ".toml") files.push_back(entry.path().string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::string find_definition(const std::string& name_or_file) {
  std::error_code error;
  if (fs::path(name_or_file).extension() == ".toml") {
    // what is there and cannot be read is told of when it is read
    const bool missing = fs::status(name_or_file, error).type() == fs::file_type::not_found;
    if (missing) throw UsageError(fmt::format("{}: there is no such file", name_or_file));
    return name_or_file;
  }
  std::vector<std::string> names;
  for (const std::string& file : shipped_definitions()) {
    names.push_back(fs::path(file).stem().string());
    if (names.back() == name_or_file) return file;
  }
  const std::string file = name_or_file + ".toml";
  const std::string meant =
      fs::exists(file, error) ? fmt::format(" (did you mean '{}'?)", file) : guess(name_or_file, names);
  throw UsageError(
      one_line(fmt::format("unknown experiment '{}'{}; allowed: {}, or a file that ends in .toml",
                           clipped(name_or_file), meant, fmt::join(names, ", "))));
}

}  // namespace gemmlab::runner
