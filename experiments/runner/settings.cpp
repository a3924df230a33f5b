#include "experiments/runner/settings.h"

namespace gemmlab::runner {

const std::vector<std::string>& scope_keys() {
  static const std::vector<std::string> keys{"scope", "host_memory", "allocation", "module_loading"};
  return keys;
}

GroupDefaults read_scope(const TomlReader& reader, GroupDefaults settings) {
  settings.scope =
      reader.one_of("scope", settings.scope, {"kernel", "call", "end-to-end", "first-call"}, scope_from);
  settings.host_memory = reader.one_of(
      "host_memory", settings.host_memory, {"pageable", "pinned"},
      [](const std::string& word) { return word == "pinned" ? HostMemory::kPinned : HostMemory::kPageable; });
  settings.allocation = reader.one_of("allocation", settings.allocation,
                                      {"counted", "not counted", "host memory too"}, allocation_from);
  settings.module_loading = reader.one_of(
      "module_loading", settings.module_loading, {"lazy", "eager"},
      [](const std::string& word) { return word == "eager" ? ModuleLoading::kEager : ModuleLoading::kLazy; });
  return settings;
}

const std::vector<std::string>& group_setting_keys() {
  static const std::vector<std::string> keys = [] {
    std::vector<std::string> all{"distribution", "seed",      "cache",    "precision", "min_time_s",
                                 "max_time_s",   "timeout_s", "energy_s", "twins"};
    all.insert(all.end(), scope_keys().begin(), scope_keys().end());
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
    for (const char* key : {"name", "size", "m", "n", "k", "combine"}) all[key] = "stands in a [[group]]";
    for (const char* key : {"implementation", "label", "handicap"}) all[key] = "stands in a [[group.run]]";
    for (const char* key : {"title", "question", "source", "settings", "table", "figure"})
      all[key] = "stands at the top of the file";
    for (const char* key : {"kind", "labels", "baseline"}) all[key] = "stands in a [[table]] or [[figure]]";
    for (const std::string& key : group_setting_keys()) all[key] = "stands in [settings] or in a [[group]]";
    for (const std::string& key : scope_keys())
      all[key] = "stands in [settings], in a [[group]] or in a [[group.run]]";
    return all;
  }();
  return places;
}

GroupDefaults read_settings(const TomlReader& reader, GroupDefaults otherwise) {
  GroupDefaults settings = read_scope(reader, otherwise);
  settings.distribution =
      reader.one_of("distribution", otherwise.distribution, distribution_names(), distribution_from);
  settings.seed = static_cast<std::uint64_t>(
      reader.integer_or("seed", static_cast<std::int64_t>(otherwise.seed), 0, std::int64_t{1} << 62));
  settings.cold = reader.one_of("cache", otherwise.cold, {"cold", "warm"},
                                [](const std::string& word) { return word == "cold"; });
  MeasureSettings& measure = settings.measure;
  measure.precision = reader.number_or("precision", measure.precision, 1e-4, 1);
  measure.min_time_s = reader.number_or("min_time_s", measure.min_time_s, 0, 3600);
  measure.max_time_s = reader.number_or("max_time_s", measure.max_time_s, 1e-3, 86400);
  measure.timeout_s = reader.number_or("timeout_s", measure.timeout_s, 0.1, 86400);
  measure.energy_s = reader.number_or("energy_s", measure.energy_s, 0, 60);
  measure.twins = reader.boolean_or("twins", measure.twins);
  return settings;
}

}  // namespace gemmlab::runner
