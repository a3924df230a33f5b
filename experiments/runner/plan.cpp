#include "experiments/runner/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "core/machine.h"
#include "experiments/runner/progress.h"
#include "experiments/runner/provenance.h"

namespace fs = std::filesystem;

namespace gemmlab::runner {

std::string results_folder(const std::string& output, const std::string& machine) {
  if (!output.empty()) return output;
  return (fs::path(source_root()) / "data" / "results" / machine).string();
}

std::vector<Definition> load_definitions(const std::vector<std::string>& names, const Catalogue& catalogue) {
  std::vector<Definition> definitions;
  for (const std::string& name : names)
    definitions.push_back(load_definition(find_definition(name), catalogue));
  return definitions;
}

std::vector<Planned> plan_experiments(std::vector<Definition> definitions, const std::string& folder) {
  std::vector<Planned> plan;
  for (Definition& definition : definitions) {
    const fs::path file = fs::path(folder) / (definition.name + ".jsonl");
    plan.push_back({std::move(definition), std::make_unique<Store>(file.string())});
  }
  return plan;
}

std::vector<Point> points_left(const Group& group, const Store& store, const std::string& fingerprint,
                               bool fresh) {
  std::vector<Point> left;
  for (const Point& point : group.points) {
    if (fresh || !store.recorded(point.case_id(), fingerprint)) left.push_back(point);
  }
  return left;
}

Estimator make_estimator(const std::vector<Planned>& plan) {
  Estimator estimator;
  std::ifstream pointer(fs::path(source_root()) / "data" / "reference.json");
  const Json reference = pointer ? Json::parse(pointer, nullptr, false) : Json();
  for (const Planned& planned : plan) {
    estimator.learn(planned.store->measured());
    if (!reference.is_object() || !planned.store->measured().empty()) continue;
    const fs::path file = fs::path(source_root()) / "data" / "results" / reference.value("machine", "") /
                          (planned.definition.name + ".jsonl");
    if (fs::exists(file)) estimator.learn(Store(file.string()).measured());
  }
  return estimator;
}

void print_plan(const std::vector<Planned>& plan, const std::string& folder,
                const std::function<std::string(const Definition&)>& fingerprint_of) {
  const Estimator estimator = make_estimator(plan);
  double total_s = 0;
  for (const Planned& planned : plan) {
    const Definition& definition = planned.definition;
    fmt::print("{}: {}\n", definition.name, definition.title);
    double seconds = 0;
    double bytes = 0;
    const std::string mark = planned.store->empty() ? "" : fingerprint_of(definition);
    for (const Group& group : definition.groups) {
      bytes = std::max(bytes, group_bytes(group));
      bool all_recorded = true;
      for (const Point& point : group.points) {
        const bool recorded = !mark.empty() && planned.store->recorded(point.case_id(), mark);
        const double point_s = recorded ? 0 : estimator.point_s(point, group.settings);
        all_recorded = all_recorded && recorded;
        seconds += point_s;
        fmt::print("  {:<14} {:<34} {:<24} {}\n", group.name, point.implementation.substr(0, 4) + point.label,
                   shape_text(point.shape),
                   recorded ? "recorded already" : "about " + duration_text(point_s));
      }
      if (!all_recorded) seconds += Estimator::group_s(group.shape);
    }
    for (const Excluded& excluded : definition.excluded) {
      fmt::print("  {:<14} {:<34} {:<24} left out: {}\n", excluded.group,
                 excluded.point.implementation.substr(0, 4) + excluded.point.label,
                 shape_text(excluded.point.shape), excluded.reason);
    }
    for (const LeftOut& left : definition.left_out)
      fmt::print("  {:<49} left out: {}\n", left.implementation, left.reason);
    fmt::print("  {} points, up to {:.1f} GB of memory ({:.1f} GB free), about {}\n  records: {}\n",
               definition.point_count(), bytes / 1e9, static_cast<double>(available_memory_bytes()) / 1e9,
               duration_text(seconds), planned.store->file());
    total_s += seconds;
  }
  fmt::print("In all about {}. Results go to {}\n", duration_text(total_s), folder);
}

}  // namespace gemmlab::runner
