#include "runner/planning/plan.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>

#include "core/machine/machine.h"
#include "core/machine/own_files.h"
#include "core/records/read_json.h"
#include "runner/execution/progress.h"
#include "runner/planning/shard.h"
#include "runner/planning/too_long.h"
#include "runner/regular_file.h"
#include "runner/usage_error.h"

namespace fs = std::filesystem;

namespace gemmlab::runner {

std::string results_folder(const std::string& output, const std::string& machine) {
  if (!output.empty()) return output;
  return (fs::path(work_root()) / "data" / "results" / machine).string();
}

namespace {

/// Where nodes cut one definition differently, some groups would be measured by two shards and some by none.
void require_one_plan(const Definition& definition, const Store& store) {
  if (!definition.part) return;
  const auto& [shard, plan, points] = *definition.part;
  std::set<std::string> others = store.plans(definition.sha256, shard.count);
  others.erase(plan);
  if (others.empty()) return;
  throw UsageError(fmt::format(
      "{}: another of the {} shards was cut from another plan of '{}': what the definition makes of "
      "a machine (\"cores\", GPUs) differs between the nodes; run all shards on nodes of one kind, "
      "or give --output another folder",
      store.file(), shard.count, definition.name));
}

}  // namespace

std::vector<Planned> plan_experiments(std::vector<Definition> definitions, const std::string& folder) {
  std::vector<Planned> plan;
  for (Definition& definition : definitions) {
    const fs::path file = fs::path(folder) / results_file_name(definition);
    require_regular_if_there(file.string());
    auto store = std::make_unique<Store>(file.string(), other_results_files(definition, folder));
    require_one_plan(definition, *store);
    plan.push_back({std::move(definition), std::move(store)});
  }
  return plan;
}

namespace {

constexpr std::uintmax_t kMostToLearnFrom = 64e6;  // bytes of a file: what is longer is none of ours

/// The committed reference machine's name; empty where there is none.
std::string reference_machine() {
  std::ifstream pointer(fs::path(source_root()) / "data" / "reference.json");
  const Json reference = read_json(std::string(std::istreambuf_iterator<char>(pointer), {}));
  return reference.is_object() ? reference.value("machine", "") : "";
}

std::string range_text(const TimeRange& range) {
  const std::string likely = "about " + duration_text(range.likely_s);
  const std::string least = duration_text(range.least_s);
  const std::string most = duration_text(range.most_s);
  return least == most ? likely : fmt::format("{} ({} to {})", likely, least, most);
}

/// The points of what is to be run, counted by where their estimate comes from.
using Sources = std::map<Estimator::Source, std::size_t>;

TimeRange print_group(const Group& group, const std::vector<Point>& still, const Estimator& estimator,
                      Sources& sources) {
  TimeRange total;
  const bool all = still.size() == group.points.size();
  auto next = still.begin();  // in the group's order
  std::vector<Point> left;
  std::vector<Estimator::PointEstimate> estimates;
  for (const Point& point : group.points) {
    std::string text = "recorded already";
    if (all || (next != still.end() && point.case_id() == next->case_id())) {
      if (!all) ++next;
      left.push_back(point);
      estimates.push_back(estimator.point(point, group.settings));
      total += estimates.back().time;
      ++sources[estimates.back().source];
      const Estimator::PointEstimate& estimate = estimates.back();
      text = estimate.skipped ? "skipped: " + too_long_text(estimate.call_s, "", group.settings)
                              : range_text(estimate.time);
    }
    fmt::print("  {:<14} {:<34} {:<24} {}\n", group.name, name_of(point), to_string(point.instance), text);
  }
  if (!left.empty()) total += estimator.besides(group, left, estimates);
  return total;
}

void print_left_out(const Definition& definition) {
  for (const Excluded& excluded : definition.excluded) {
    fmt::print("  {:<14} {:<34} {:<24} left out: {}\n", excluded.group, name_of(excluded.point),
               to_string(excluded.point.instance), excluded.reason);
  }
  for (const std::string& note : definition.notes) fmt::print("  {}\n", note);
  for (const auto& [reason, names] : definition.left_out_by_reason())
    fmt::print("  left out: {} ({})\n", fmt::join(names, ", "), reason);
}

void print_total(const TimeRange& total, const Sources& sources, const std::string& folder) {
  fmt::print("In all {}. Results go to {}\n", range_text(total), folder);
  const auto count = [&](Estimator::Source source) {
    const auto found = sources.find(source);
    return found == sources.end() ? 0 : found->second;
  };
  if (sources.empty()) return;
  fmt::print(
      "The range goes from every point reaching its precision at once to none reaching it before its "
      "limit.\n");
  const std::size_t elsewhere = count(Estimator::Source::kElsewhere);
  const std::size_t guessed = count(Estimator::Source::kGuess);
  const std::size_t all = count(Estimator::Source::kHere) + elsewhere + guessed;
  if (elsewhere > 0)
    fmt::print("Not measured in this folder yet, with times of another machine ({}): {} of {} points.\n",
               reference_machine(), elsewhere, all);
  if (guessed > 0) fmt::print("Measured nowhere yet, with guessed times: {} of {} points.\n", guessed, all);
}

}  // namespace

Estimator make_estimator(const std::vector<Planned>& plan, const std::string& folder) {
  Estimator estimator;
  const auto learn = [&](const Store& store, Estimator::Source source) {
    estimator.learn(store.measured(), source);
    estimator.learn_ceilings(store.ceilings_s(), source);
  };
  const fs::path reference = fs::path(source_root()) / "data" / "results" / reference_machine();
  std::error_code none;
  bool all_begun = true;
  for (const Planned& planned : plan) {
    if (!planned.store->measured().empty()) continue;
    all_begun = false;
    const fs::path file = reference / (planned.definition.name + ".jsonl");
    if (fs::is_regular_file(file, none)) learn(Store(file.string()), Estimator::Source::kElsewhere);
  }
  // What other experiments tell of this machine, then what these tell.
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, none)) {
    if (all_begun || entry.path().extension() != ".jsonl" || entry.file_size(none) > kMostToLearnFrom)
      continue;
    learn(Store(entry.path().string()), Estimator::Source::kHere);
  }
  for (const Planned& planned : plan) learn(*planned.store, Estimator::Source::kHere);
  return estimator;
}

void print_plan(const std::vector<Planned>& plan, const std::string& folder, bool fresh,
                const std::function<std::string(const Definition&)>& fingerprint_of) {
  const Estimator estimator = make_estimator(plan, folder);
  TimeRange total;
  Sources sources;
  for (const Planned& planned : plan) {
    const Definition& definition = planned.definition;
    fmt::print("{}: {}\n", definition.name, definition.title);
    TimeRange range;
    double bytes = 0;
    const std::string mark = fresh || planned.store->empty() ? "" : fingerprint_of(definition);
    for (const Group& group : definition.groups) {
      bytes = std::max(bytes, group_bytes(group));
      range += print_group(
          group, fresh ? group.points : planned.store->left(group.points, mark, definition.part.has_value()),
          estimator, sources);
    }
    print_left_out(definition);
    fmt::print("  {} points, up to {:.1f} GB of memory ({:.1f} GB free), {}\n  records: {}\n",
               definition.point_count(), bytes / 1e9, static_cast<double>(available_memory_bytes()) / 1e9,
               range_text(range), planned.store->file());
    total += range;
  }
  if (!sources.empty()) total += estimator.ceilings();
  print_total(total, sources, folder);
}

}  // namespace gemmlab::runner
