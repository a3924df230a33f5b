#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "gpu/table.h"
#include "runner/commands/check_lines.h"
#include "runner/commands/commands.h"
#include "runner/commands/emulated.h"
#include "runner/definition/aliases.h"
#include "runner/execution/gpu_choice.h"
#include "runner/message_text.h"
#include "runner/usage_error.h"

namespace gemmlab::runner {
namespace {

/// What is asked for by id, whether or not this build has it.
struct Wanted {
  std::string id;
  const Implementation* here = nullptr;      ///< in the program's own tables
  const Implementation* emulated = nullptr;  ///< on the CPU, by emulation
  std::string why_not;                       ///< neither can be done
};

const Implementation* find(const std::vector<const Implementation*>& rows, const std::string& id) {
  const auto found = std::find_if(rows.begin(), rows.end(),
                                  [&](const Implementation* row) { return row->description().id == id; });
  return found == rows.end() ? nullptr : *found;
}

/// The program's own, and without CUDA also the GPU's; whatever the library of emulated rows has besides.
std::vector<std::string> all_ids(const Catalogue& catalogue) {
  std::vector<std::string> ids;
  const auto add = [&](const std::string& id) {
    if (std::find(ids.begin(), ids.end(), id) == ids.end()) ids.push_back(id);
  };
  for (const Implementation* one : catalogue.all()) add(one->description().id);
  for (const gpu::KnownRow& row : gpu::known_rows()) add(row.id);
  for (const Implementation* one : emulation::emulated_rows()) add(one->description().id);
  return ids;
}

/// Throws UsageError for a pattern that nothing matches.
std::vector<std::string> ids_for(const Catalogue& catalogue, const std::vector<std::string>& patterns) {
  const std::vector<std::string> all = all_ids(catalogue);
  if (patterns.empty()) return all;
  std::vector<std::string> ids;
  for (const std::string& pattern : patterns) {
    bool any = false;
    for (const std::string& id : all) {
      if (!id_matches(pattern, id)) continue;
      any = true;
      if (std::find(ids.begin(), ids.end(), id) == ids.end()) ids.push_back(id);
    }
    if (!any) throw UsageError(near_names(catalogue, pattern));
  }
  return ids;
}

/// Where it is to be checked, or why it cannot be.
Wanted wanted(const Catalogue& catalogue, const std::string& id, const Json& facts, bool emulate) {
  Wanted one;
  one.id = id;
  const Implementation* here = catalogue.find(id);
  const bool cuda = here == nullptr || here->description().device.cuda;
  one.why_not = facts.at("unavailable").value(id, "");
  if (here == nullptr) one.why_not = facts.at("gpu_unavailable");
  if (one.why_not.empty() && !(cuda && emulate)) {
    one.here = here;
    return one;
  }
  if (!cuda) return one;
  one.emulated = find(emulation::emulated_rows(), id);
  const auto reason = emulation::left_out().find(id);
  const std::string cannot = reason == emulation::left_out().end()
                                 ? emulation::unavailable()
                                 : "it cannot be emulated: " + reason->second;
  one.why_not += (one.why_not.empty() ? "" : "; ") + cannot;
  return one;
}

void check_here(Supervisor& supervisor, std::vector<Line>& lines) {
  std::vector<Line*> all;
  for (Line& line : lines) all.push_back(&line);
  for (const Operation* operation : operations()) {
    for (const Instance& instance : odd_instances(*operation)) check_instance(supervisor, instance, all);
  }
}

/// One line per reason.
void print_unchecked(const std::vector<Wanted>& rows) {
  std::map<std::string, std::vector<std::string>> ids;
  for (const Wanted& one : rows) {
    if (one.here == nullptr && one.emulated == nullptr) ids[one.why_not].push_back(one.id);
  }
  for (const auto& [reason, all] : ids) fmt::print("not checked: {}\n    {}\n", reason, fmt::join(all, ", "));
}

bool all_checked(const std::vector<std::string>& patterns, const std::vector<Wanted>& rows) {
  return std::all_of(patterns.begin(), patterns.end(), [&](const std::string& pattern) {
    return std::any_of(rows.begin(), rows.end(), [&](const Wanted& one) {
      return id_matches(pattern, one.id) && (one.here != nullptr || one.emulated != nullptr);
    });
  });
}

}  // namespace

int command_check(const Catalogue& catalogue, const std::vector<std::string>& asked, bool emulate,
                  const std::string& gpu) {
  catch_interrupts();
  std::vector<std::string> patterns;
  for (const std::string& one : asked) patterns.push_back(id_meant(one));
  const std::vector<std::string> ids = ids_for(catalogue, patterns);
  Supervisor supervisor;
  const Json facts = facts_of_one_gpu(supervisor, gpu);
  if (const std::string text = choice_text(facts); !text.empty()) fmt::print("{}\n", text);
  std::vector<Wanted> rows;
  std::vector<Line> here;
  std::vector<Line> emulated;
  for (const std::string& id : ids) {
    rows.push_back(wanted(catalogue, id, facts, emulate));
    const Wanted& one = rows.back();
    if (one.here == nullptr && one.emulated == nullptr) continue;
    if (one.here != nullptr) {
      for (Line& line : lines_of(*one.here, all_choices(one.here->description())))
        here.push_back(std::move(line));
    } else {
      const std::vector<Parameters> choices = emulation::choices_to_emulate(one.emulated->description());
      for (Line& line : lines_of(*one.emulated, choices)) emulated.push_back(std::move(line));
    }
  }
  check_here(supervisor, here);
  supervisor.stop();
  check_by_emulation(emulated);
  const std::size_t on_device = here.size();
  here.insert(here.end(), emulated.begin(), emulated.end());
  const bool good = here.empty() || print_verdicts(here);
  if (here.size() > on_device) {
    fmt::print(
        "GPU rows: checked by emulation on the CPU, every access of every thread; shapes of over {:g} "
        "operations "
        "are left to a GPU, and nothing is timed\n",
        kMostEmulatedOperations);
  }
  print_unchecked(rows);
  if (!good) return kExitWrong;
  return all_checked(patterns, rows) ? kExitDone : kExitUsage;
}

}  // namespace gemmlab::runner
