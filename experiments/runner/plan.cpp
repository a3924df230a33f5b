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

std::vector<Planned> plan_experiments(const std::vector<std::string>& names, const std::string& folder,
                                      const Catalogue& catalogue) {
  std::vector<Planned> plan;
  for (const std::string& name : names) {
    Planned planned{load_definition(find_definition(name), catalogue), nullptr};
    planned.store =
        std::make_unique<Store>((fs::path(folder) / (planned.definition.name + ".jsonl")).string());
    plan.push_back(std::move(planned));
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

void print_plan(const std::vector<Planned>& plan, const std::string& folder) {
  const Estimator estimator = make_estimator(plan);
  double total_s = 0;
  for (const Planned& planned : plan) {
    const Definition& definition = planned.definition;
    fmt::print("{}: {}\n", definition.name, definition.title);
    double seconds = 0;
    double bytes = 0;
    for (const Group& group : definition.groups) {
      seconds += Estimator::group_s(group.shape);
      bytes = std::max(bytes, group_bytes(group));
      for (const Point& point : group.points) {
        const double point_s = estimator.point_s(point, group.settings);
        seconds += point_s;
        fmt::print("  {:<14} {:<34} {:<24} about {}\n", group.name,
                   point.implementation.substr(0, 4) + point.label, shape_text(point.shape),
                   duration_text(point_s));
      }
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
