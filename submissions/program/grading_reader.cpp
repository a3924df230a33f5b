#include "submissions/program/grading_reader.h"

#include <fmt/format.h>

#include <regex>

#include "submissions/program/shape_text.h"

namespace gemmlab::submissions {
namespace {

using runner::TomlReader;

constexpr double kMostPoints = 1e6;
constexpr double kLeast = 1e-3;  ///< of what must be more than nothing

/// The table `key` of `reader`, which may be missing.
std::optional<TomlReader> table_in(const TomlReader& reader, const std::string& key) {
  if (!reader.has(key)) return {};
  const toml::table* table = reader.node(key).as_table();
  if (table == nullptr)
    reader.fail(reader.node(key), fmt::format("'{}' is {}; it must be written as [grading.{}]", key,
                                              runner::shown(reader.node(key)), key));
  return reader.inner(*table, key);
}

/// A number that must be there: what stands in a share has no default.
double required(const TomlReader& reader, const std::string& key) {
  reader.node(key);
  return reader.number_or(key, 0, kLeast, kMostPoints);
}

GradedShare read_share(const TomlReader& reader) {
  static const std::regex rung("(cpu|gpu)\\.[a-z0-9_]+(,? [a-z_]+ ?= ?[A-Za-z0-9_.]+)*");
  reader.only({"shape", "device", "reference", "full", "points"});
  GradedShare share;
  share.shape = read_shape(reader, reader.node("shape"), "shape", reader.line("shape"));
  share.device = reader.one_of("device", std::string(), {"cpu", "gpu"},
                               [](const std::string& device) { return device; });
  share.reference = reader.line("reference");
  const bool library = share.reference == "library";
  const auto refuse = [&](const std::string& device, const std::string& example) {
    reader.fail(reader.node("reference"),
                fmt::format("'reference' is {}; allowed: library, or an entry of the ladder{} such as \"{}\"",
                            runner::shown(reader.node("reference")), device, example));
  };
  if (!library && !std::regex_match(share.reference, rung)) refuse("", "cpu.blocked");
  const std::string own = library ? "" : share.reference.substr(0, 3);
  if (!share.device.empty() && !own.empty() && own != share.device)
    refuse(fmt::format(" of device = \"{}\"", share.device), share.device + ".blocked");
  if (share.device.empty()) share.device = own;
  share.full = required(reader, "full");
  share.points = required(reader, "points");
  return share;
}

GradedGroup read_group(const TomlReader& reader) {
  reader.only({"name", "where", "points", "why"});
  GradedGroup group;
  group.name = reader.line("name");
  reader.node("where");
  group.where = reader.one_of("where", std::string(), {"square", "whole", "odd", "thin", "large"},
                              [](const std::string& where) { return where; });
  group.points = required(reader, "points");
  group.why = reader.line("why");
  return group;
}

/// Being wrong somewhere must not be worth more than being right.
void read_groups(const TomlReader& grading, Grading& made) {
  double together = 0;
  for (const TomlReader& reader : grading.tables("group", "grading.group")) {
    const GradedGroup group = read_group(reader);
    for (const GradedGroup& other : made.groups) {
      if (other.where == group.where)
        reader.fail(reader.node("where"), fmt::format("'where' is '{}' in another group, too", group.where));
    }
    together += group.points;
    if (together > made.correct)
      reader.fail(
          reader.node("points"),
          fmt::format("the points of all groups together are {}; at most the {} of 'correct' are allowed",
                      together, made.correct));
    made.groups.push_back(group);
  }
}

}  // namespace

Grading read_grading(const TomlReader& grading, const TomlReader& fallback) {
  grading.only({"most", "correct", "reduced-precision", "bands", "group", "share", "deductions"});
  const auto number = [](const TomlReader& own, const TomlReader& other, const std::string& key,
                         double least) {
    return own.number_or(key, other.number_or(key, 0, 0, kMostPoints), least, kMostPoints);
  };
  Grading made;
  made.most = number(grading, fallback, "most", kLeast);
  made.correct = number(grading, fallback, "correct", 0);
  made.reduced_precision = number(grading, fallback, "reduced-precision", 0);
  constexpr std::int64_t kMostBands = 100;
  made.bands = static_cast<int>(
      grading.integer_or("bands", fallback.integer_or("bands", 0, 0, kMostBands), 0, kMostBands));
  read_groups(grading, made);
  for (const TomlReader& share : grading.tables("share", "grading.share"))
    made.shares.push_back(read_share(share));
  static const toml::table nothing;
  const TomlReader empty(nothing, grading.file(), "grading");
  const TomlReader own = table_in(grading, "deductions").value_or(empty);
  const TomlReader other = table_in(fallback, "deductions").value_or(empty);
  own.only({"warnings", "warnings_at_most", "spills", "first-call"});
  made.warning = number(own, other, "warnings", 0);
  made.warnings_at_most = number(own, other, "warnings_at_most", 0);
  made.spills = number(own, other, "spills", 0);
  made.first_call = number(own, other, "first-call", 0);
  return made;
}

}  // namespace gemmlab::submissions
