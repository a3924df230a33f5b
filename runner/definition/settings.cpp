#include "runner/definition/settings.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/records/attributes.h"

namespace gemmlab::runner {

namespace {

constexpr double kLeastSustained_s = 5;  // by then a card's clock is what its power and heat allow

std::vector<std::string> names_of_attributes(std::initializer_list<Place> places) {
  std::vector<std::string> names;
  for (const Attribute& attribute : attributes()) {
    if (std::find(places.begin(), places.end(), attribute.place) != places.end())
      names.emplace_back(attribute.name);
  }
  return names;
}

void read_attribute(const TomlReader& reader, const Attribute& attribute, Regime& regime) {
  if (!reader.has(attribute.name)) return;
  if (attribute.place == Place::kRun && reader.node(attribute.name).is_array())
    reader.fail(reader.node(attribute.name),
                fmt::format("'{}' is a list, which stands in a [[group.run]]; allowed here: {}",
                            attribute.name, fmt::join(attribute.words, ", ")));
  if (attribute.words.empty()) {
    attribute.set(regime, reader.integer_or(attribute.name, 0, 0, std::int64_t{1} << 62));
  } else {
    attribute.set(regime, reader.one_of<Json>(attribute.name, Json(), attribute.words,
                                              [](const std::string& word) { return word; }));
  }
}

/// The words that a run gives an attribute, each once.
std::vector<std::string> words_of(const TomlReader& run, const Attribute& attribute) {
  std::vector<std::string> words;
  for (const toml::node* item : run.items(attribute.name)) {
    std::string word = run.word(attribute.name, *item, attribute.words);
    if (std::find(words.begin(), words.end(), word) == words.end()) words.push_back(std::move(word));
  }
  return words;
}

std::vector<VariedPoint> under_each(const VariedPoint& start, const Attribute& attribute,
                                    const std::vector<std::string>& words) {
  std::vector<VariedPoint> all;
  for (const std::string& word : words) {
    all.push_back(start);
    attribute.set(all.back().point, word);
    const auto place = std::find(attribute.words.begin(), attribute.words.end(), word);
    if (words.size() > 1)
      all.back().varied.push_back({attribute.name, attribute.told[place - attribute.words.begin()]});
  }
  const bool matters = std::any_of(all.begin(), all.end(),
                                   [&](const VariedPoint& one) { return attribute.concerns(one.point); });
  return words.size() == 1 || matters ? all : std::vector<VariedPoint>{start};
}

}  // namespace

const std::vector<std::string>& run_keys() {
  static const std::vector<std::string> keys = names_of_attributes({Place::kRun});
  return keys;
}

std::vector<VariedPoint> read_run(const TomlReader& run, const Point& line) {
  std::vector<VariedPoint> all{{line, {}}};
  for (const Attribute& attribute : attributes()) {
    if (attribute.place != Place::kRun || !run.has(attribute.name)) continue;
    const std::vector<std::string> words = words_of(run, attribute);
    std::vector<VariedPoint> next;
    for (const VariedPoint& one : all) {
      for (VariedPoint& varied : under_each(one, attribute, words)) next.push_back(std::move(varied));
    }
    all = std::move(next);
  }
  return all;
}

const std::vector<std::string>& group_setting_keys() {
  static const std::vector<std::string> keys = [] {
    std::vector<std::string> all{"precision", "min_time_s",  "max_time_s", "timeout_s",
                                 "energy_s",  "sustained_s", "twins"};
    for (const std::string& name : names_of_attributes({Place::kGroup, Place::kRun})) all.push_back(name);
    return all;
  }();
  return keys;
}

const std::map<std::string, std::string>& places_of_keys() {
  static const std::map<std::string, std::string> places = [] {
    std::map<std::string, std::string> all{
        {"run", "is written as [[group.run]], under its [[group]]"},
        {"exclude", "is written as [[group.exclude]], under its [[group]]"},
        {"reason", "stands in a [[group.exclude]]"},
        {"report", "stands in gemmlab.toml, beside the records or where gemmlab is called"}};
    for (const char* key : {"name", "size", "combine"}) all[key] = "stands in a [[group]]";
    for (const Operation* operation : operations()) {
      for (const DimensionSpec& spec : operation->dimensions()) all[spec.name] = "stands in a [[group]]";
      for (const OptionSpec& spec : operation->options()) all[spec.name] = "stands in a [[group]]";
    }
    all["operation"] = "stands at the top of the file or in a [[group]]";
    for (const char* key : {"implementation", "label", "handicap"}) all[key] = "stands in a [[group.run]]";
    for (const char* key : {"title", "question", "source", "settings", "table", "figure"})
      all[key] = "stands at the top of the file";
    for (const char* key : {"kind", "labels", "baseline"}) all[key] = "stands in a [[table]] or [[figure]]";
    for (const std::string& key : group_setting_keys()) all[key] = "stands in [settings] or in a [[group]]";
    for (const std::string& key : run_keys())
      all[key] = "stands in [settings], in a [[group]] or in a [[group.run]]";
    return all;
  }();
  return places;
}

GroupDefaults read_settings(const TomlReader& reader, GroupDefaults otherwise) {
  GroupDefaults settings = std::move(otherwise);
  for (const Attribute& attribute : attributes()) read_attribute(reader, attribute, settings);
  MeasureSettings& measure = settings.measure;
  measure.precision = reader.number_or("precision", measure.precision, 1e-4, 1);
  measure.min_time_s = reader.number_or("min_time_s", measure.min_time_s, 0, 3600);
  measure.max_time_s = reader.number_or("max_time_s", measure.max_time_s, 1e-3, 86400);
  measure.timeout_s = reader.number_or("timeout_s", measure.timeout_s, 0.1, 86400);
  measure.energy_s = reader.number_or("energy_s", measure.energy_s, 0, 60);
  measure.sustained_s = reader.number_or("sustained_s", measure.sustained_s, kLeastSustained_s, 60);
  measure.twins = reader.boolean_or("twins", measure.twins);
  return settings;
}

}  // namespace gemmlab::runner
