#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>

#include "gpu/table.h"
#include "runner/commands/commands.h"
#include "runner/commands/emulated.h"
#include "runner/definition/aliases.h"
#include "runner/definition/definition.h"
#include "runner/execution/supervisor.h"
#include "runner/usage_error.h"

namespace gemmlab::runner {
namespace {

/// Can `check` run it on the CPU? Empty for what is not a kernel of the GPU's table.
Json emulation_json(const Description& description) {
  if (!description.device.cuda) return {};
  const auto left_out = emulation::left_out().find(description.id);
  const std::string reason = left_out == emulation::left_out().end() ? "" : left_out->second;
  return {{"possible", reason.empty()}, {"why_not", reason}};
}

Json implementation_json(const Description& description, const Json& unavailable) {
  Json parameters = Json::array();
  for (const ParameterSpec& spec : description.parameters) {
    Json choices = Json::array();
    for (const ParameterValue& value : spec.choices) {
      std::visit([&](const auto& plain) { choices.push_back(plain); }, value);
    }
    Json json{{"name", spec.name},
              {"summary", spec.summary},
              {"default", to_string(spec.default_value)},
              {"told", spec.told}};
    if (choices.empty()) {
      json["minimum"] = spec.minimum;
      json["maximum"] = spec.maximum;
    } else {
      json["values"] = choices;
    }
    parameters.push_back(json);
  }
  const std::string reason = unavailable.value(description.id, "");
  return {{"id", description.id},
          {"operation", description.operation},
          {"name", description.name},
          {"device", description.device.name},
          {"family", description.family},
          {"variant_of", description.variant_of},
          {"summary", description.summary},
          {"source", description.source},
          {"also_called", also_called(description.id)},
          {"counterpart", description.counterpart},
          {"precision", to_string(description.precision)},
          {"reference", description.reference},
          {"parameters", parameters},
          {"available", reason.empty()},
          {"why_not", reason},
          {"emulation", emulation_json(description)}};
}

/// What the program has; without CUDA also the GPU's rows that can be emulated.
Json implementations_json(const Catalogue& catalogue, const Json& facts) {
  Json implementations = Json::array();
  for (const Implementation* implementation : catalogue.all())
    implementations.push_back(implementation_json(implementation->description(), facts.at("unavailable")));
  if (gpu::built_with_cuda()) return implementations;
  for (const Implementation* implementation : emulation::emulated_rows()) {
    Description description = implementation->description();
    description.device = Device::kGpu;
    implementations.push_back(
        implementation_json(description, {{description.id, facts.at("gpu_unavailable")}}));
  }
  return implementations;
}

Json experiments_json(const Catalogue& catalogue) {
  Json experiments = Json::array();
  for (const std::string& file : shipped_definitions()) {
    const Definition definition = load_definition(file, catalogue);
    experiments.push_back({{"name", definition.name},
                           {"title", definition.title},
                           {"question", definition.question},
                           {"points", definition.point_count()}});
  }
  return experiments;
}

void print_implementation(const Json& implementation) {
  const bool available = implementation.at("available");
  fmt::print("  {:<24} {}\n", implementation.at("id").get<std::string>(),
             implementation.at("summary").get<std::string>());
  for (const Json& parameter : implementation.at("parameters")) {
    std::string values;
    if (parameter.contains("values")) {
      for (const Json& value : parameter.at("values")) {
        values +=
            (values.empty() ? "" : ", ") + (value.is_string() ? value.get<std::string>() : value.dump());
      }
    } else {
      values = fmt::format("{} to {}", parameter.at("minimum").dump(), parameter.at("maximum").dump());
    }
    fmt::print("  {:<24}   {}: {} (default {})\n", "", parameter.at("name").get<std::string>(), values,
               parameter.at("default").get<std::string>());
  }
  const std::string others = implementation.at("also_called");
  if (!others.empty()) fmt::print("  {:<24}   also called: {}\n", "", others);
  const std::string counterpart = implementation.at("counterpart");
  if (!counterpart.empty()) fmt::print("  {:<24}   counterpart: {}\n", "", counterpart);
  if (!available)
    fmt::print("  {:<24}   not available here: {}\n", "", implementation.at("why_not").get<std::string>());
  const Json& emulation = implementation.at("emulation");
  if (available || emulation.is_null()) return;
  const std::string reason = emulation.at("why_not");
  fmt::print("  {:<24}   {}\n", "",
             reason.empty() ? "gemmlab check emulates it on the CPU" : "nor can it be emulated: " + reason);
}

/// A kernel of the GPU's that this build does not have: what is known of it all the same.
Json absent_json(const std::string& id, const Json& facts) {
  return {{"id", id},
          {"summary", "a kernel of the GPU's"},
          {"parameters", Json::array()},
          {"also_called", also_called(id)},
          {"counterpart", ""},
          {"available", false},
          {"why_not", facts.at("gpu_unavailable")},
          {"emulation", nullptr}};
}

/// The one that is asked for by its id or by a name of others. Throws UsageError where there is none.
Json implementation_meant(const Json& implementations, const Catalogue& catalogue, const std::string& name,
                          const Json& facts) {
  const std::string id = id_meant(name);
  for (const Json& one : implementations) {
    if (one.at("id") == id) return one;
  }
  if (missing_in_this_build(id, "")) return absent_json(id, facts);
  throw UsageError(near_names(catalogue, name));
}

int print_one(const Json& implementation, bool json) {
  if (json)
    fmt::print("{}\n", implementation.dump(2));
  else
    print_implementation(implementation);
  return kExitDone;
}

/// The launcher knows the packages; it hands over their names and the command that installs them.
void print_missing_packages() {
  const char* missing = std::getenv("GEMMLAB_MISSING_PACKAGES");
  const char* add = std::getenv("GEMMLAB_ADD_PACKAGES");
  if (missing == nullptr) return;
  fmt::print("\nOptional packages that are missing: {}\n", missing);
  if (add != nullptr) fmt::print("  to add them: {}\n", add);
}

}  // namespace

int command_list(const Catalogue& catalogue, const std::string& name, bool json) {
  Supervisor supervisor;
  const Json facts = supervisor.facts();
  const Json implementations = implementations_json(catalogue, facts);
  if (!name.empty()) return print_one(implementation_meant(implementations, catalogue, name, facts), json);
  const Json experiments = experiments_json(catalogue);
  if (json) {
    Json known = Json::array();
    for (const Operation* operation : operations()) known.push_back(operation_json(*operation));
    fmt::print(
        "{}\n",
        Json{{"operations", known}, {"implementations", implementations}, {"experiments", experiments}}.dump(
            2));
    return kExitDone;
  }
  for (const Operation* operation : operations()) {
    fmt::print("Implementations of {} ({})\n", operation->name(), operation->title());
    for (const Json& implementation : implementations) {
      if (implementation.at("operation") == operation->name()) print_implementation(implementation);
    }
  }
  const std::string no_gpu = facts.at("gpu_unavailable");
  if (!no_gpu.empty())
    fmt::print("  GPU: {}; the committed reference results stand in for it in reports\n", no_gpu);
  fmt::print("\nExperiments (gemmlab run NAME)\n");
  for (const Json& experiment : experiments) {
    fmt::print("  {:<16} {:>4} points  {}\n", experiment.at("name").get<std::string>(),
               experiment.at("points").get<std::size_t>(), experiment.at("question").get<std::string>());
  }
  print_missing_packages();
  return kExitDone;
}

}  // namespace gemmlab::runner
