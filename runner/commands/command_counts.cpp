#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/operations.h"
#include "core/records/point.h"
#include "runner/commands/asked_call.h"
#include "runner/commands/commands.h"
#include "runner/commands/emulated.h"
#include "runner/definition/aliases.h"
#include "runner/execution/channel.h"
#include "runner/usage_error.h"

namespace gemmlab::runner {
namespace {

/// The row of the library of emulated kernels. Throws UsageError where there is none, with the reason.
const Implementation& emulated(const Catalogue& catalogue, const std::string& id) {
  const auto& rows = emulation::emulated_rows();
  const auto row = std::find_if(rows.begin(), rows.end(),
                                [&](const Implementation* one) { return one->description().id == id; });
  if (row != rows.end()) return **row;
  const auto left_out = emulation::left_out().find(id);
  if (left_out != emulation::left_out().end())
    throw UsageError(id + " cannot be run without a GPU: " + left_out->second);
  if (const Implementation* on_cpu = catalogue.find(id);
      on_cpu != nullptr && !on_cpu->description().device.cuda) {
    const std::string& counterpart = on_cpu->description().counterpart;
    throw UsageError(fmt::format(
        "{} runs on the CPU, and explain explains GPU kernels{}", id,
        counterpart.empty() ? "; gemmlab list names them" : ", such as its counterpart " + counterpart));
  }
  if (rows.empty()) throw UsageError(emulation::unavailable());
  throw UsageError(near_names(Catalogue::of_rows(rows), id));
}

}  // namespace

int command_counts(const Catalogue& catalogue, const CountsOptions& options) {
  const std::string& asked = options.call.implementation;
  const std::optional<Alias> alias = alias_called(asked, "gpu");
  const Implementation& row = emulated(catalogue, alias ? alias->id : asked);
  const Description& description = row.description();
  const Instance instance = asked_instance(options.call.instance, *find_operation(description.operation));
  Parameters given = parameters_given(options.call.parameters);
  if (alias) given.insert(alias->parameters.begin(), alias->parameters.end());
  const Parameters parameters = completed(description, given);
  const std::string refusal = row.why_not(instance, parameters);
  if (!refusal.empty()) throw UsageError(description.id + ": " + refusal);
  Json counts = Json::parse(emulation::counted(row, instance, parameters, options.blocks));
  counts["implementation"] = description.id;
  counts["meaning"] = alias ? told_meaning(asked, alias->id, given) : "";
  counts["name_parts"] = name_parts(description, parameters);
  counts["parameters"] = gemmlab::to_json(parameters);
  fmt::print("{}\n", counts.dump());
  return kExitDone;
}

}  // namespace gemmlab::runner
