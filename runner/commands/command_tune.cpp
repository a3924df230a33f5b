#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "core/machine/machine.h"
#include "operations/tuned.h"
#include "runner/commands/commands.h"
#include "runner/execution/gpu_choice.h"
#include "runner/execution/supervisor.h"
#include "runner/usage_error.h"

namespace gemmlab::runner {
namespace {

constexpr const char* kAutomatic = "auto";
constexpr double kPrecision = 0.005;  ///< the best of ten differ by a few per cent

/// Squares with and without rows at multiples of 16 bytes, and what is flat, deep or narrow.
std::vector<Shape> shapes_to_tune() {
  std::vector<Shape> shapes;
  for (std::int64_t size : {128, 256, 512, 1000, 1023, 1024, 1536, 2048, 3072, 4096, 4097, 8192})
    shapes.push_back({size, size, size});
  shapes.insert(shapes.end(), {{8192, 4096, 6144},
                               {16, 4096, 4096},
                               {64, 4096, 4096},
                               {4096, 16, 4096},
                               {4096, 64, 4096},
                               {4096, 4096, 16},
                               {128, 128, 65536},
                               {512, 512, 8192}});
  return shapes;
}

/// The parameter whose "auto" lets an implementation choose for itself; nullptr where there is none.
const ParameterSpec* automatic_parameter(const Description& description) {
  for (const ParameterSpec& parameter : description.parameters) {
    if (parameter.allows(ParameterValue(std::string(kAutomatic)))) return &parameter;
  }
  return nullptr;
}

/// Those of our own that choose for themselves and can run here.
std::vector<const Implementation*> tunable(const Catalogue& catalogue, const Json& unavailable) {
  std::vector<const Implementation*> found;
  for (const Implementation* one : catalogue.all()) {
    const Description& description = one->description();
    if (description.operation == gemm().name() && !description.reference &&
        automatic_parameter(description) != nullptr && !unavailable.contains(description.id))
      found.push_back(one);
  }
  return found;
}

class Tune {
 public:
  Tune(const Catalogue& catalogue, const TuneOptions& options) : catalogue_(catalogue), options_(options) {}

  int execute() {
    // "auto" is to be the estimate, not what was tuned before: the worker finds no file of choices
    supervisor_.set_environment({{"XDG_DATA_HOME", "/dev/null"}});
    const Json facts = facts_of_one_gpu(supervisor_, options_.gpu);
    if (const std::string text = choice_text(facts); !text.empty()) fmt::print("{}\n", text);
    const auto chosen = tunable(catalogue_, facts.at("unavailable"));
    if (chosen.empty())
      throw UsageError("there is nothing to tune here: " + facts.at("gpu_unavailable").get<std::string>());
    const std::string file = tuned_file();
    if (file.empty())
      throw UsageError("there is no HOME to keep the choices in; set XDG_DATA_HOME to a folder");
    catch_interrupts();
    for (const Implementation* one : chosen) {
      const std::string id = one->description().id;
      const std::string card = one->description().device.own_memory
                                   ? facts.at("gpus").at(0).at("name").get<std::string>()
                                   : cpu_info().model;
      if (options_.forget) {
        write_tuned(file, card, id, {});
        fmt::print("{} on {}: forgotten\n", id, card);
        continue;
      }
      fmt::print("{} on {}\n{:>20} {:>12} {:>10} {:>10}\n", id, card, "M×N×K", "fastest", "GFLOP/s",
                 "over auto");
      std::fflush(stdout);
      std::vector<Tuned> found;
      bool interrupted = false;
      try {
        tune(*one, found);
      } catch (const Interrupted&) {
        interrupted = true;
      }
      if (!found.empty()) write_tuned(file, card, id, found);
      if (interrupted) {
        fmt::print("\nInterrupted. {} {}.\n",
                   found.empty() ? std::string("No shape was done, so nothing changes in")
                                 : fmt::format("The choices for {} shapes are kept in", found.size()),
                   file);
        return exit_interrupted();
      }
    }
    fmt::print("Choices: {}\n", file);
    return wrong_ ? kExitWrong : kExitDone;
  }

 private:
  /// Fills `found` shape by shape.
  void tune(const Implementation& implementation, std::vector<Tuned>& found) {
    for (const Shape& shape : options_.shapes.empty() ? shapes_to_tune() : options_.shapes) {
      if (const auto best = fastest(implementation, shape)) {
        fmt::print("{:>20} {:>12} {:>10.0f} {:>10.3f}\n", fmt::format("{}×{}×{}", shape.m, shape.n, shape.k),
                   best->choice, best->gflop_per_s, best->over_automatic);
        std::fflush(stdout);
        found.push_back(*best);
      }
    }
  }

  /// All choices at one shape, in turn, each verified.
  std::optional<Tuned> fastest(const Implementation& implementation, const Shape& shape) {
    const Description& description = implementation.description();
    const ParameterSpec& parameter = *automatic_parameter(description);
    Group group{"tune", gemm_at(shape), {}, {}};
    group.settings.precision = kPrecision;
    group.settings.max_time_s = options_.seconds;
    group.settings.min_time_s = std::min(group.settings.min_time_s, options_.seconds);
    group.settings.twins = false;
    for (const ParameterValue& choice : parameter.choices) {
      Point point;
      point.implementation = description.id;
      point.parameters = complete(description, {{parameter.name, choice}});
      static_cast<Identity&>(point) = identity_of(description, point.parameters);
      point.instance = gemm_at(shape);
      point.label = to_string(choice);
      group.points.push_back(point);
    }
    std::map<std::string, double> median_s;
    supervisor_.measure(
        {"tune", "tune", &group, group.points, {}, {}},
        [&](const Point& point, const Json& record) {
          if (record.at("status") == to_string(Status::kOk)) {
            median_s[point.label] = record.at("median_s");
          } else if (record.at("status") != to_string(Status::kUnsupported)) {
            wrong_ = true;
            fmt::print("  {} at {}: {}\n", point.label, to_string(point.instance),
                       record.at("status").get<std::string>());
          }
        },
        [](const Point*, const char*) {});
    std::optional<Tuned> best;
    double best_s = 0;
    for (const auto& [choice, seconds] : median_s) {
      if (choice == kAutomatic || (best && seconds >= best_s)) continue;
      best_s = seconds;
      best = Tuned{shape, choice, shape.flop() / seconds * 1e-9, 0};
    }
    if (best && median_s.count(kAutomatic) > 0) best->over_automatic = median_s.at(kAutomatic) / best_s;
    return best;
  }

  const Catalogue& catalogue_;
  const TuneOptions& options_;
  Supervisor supervisor_;
  bool wrong_ = false;
};

}  // namespace

int command_tune(const Catalogue& catalogue, const TuneOptions& options) {
  return Tune(catalogue, options).execute();
}

}  // namespace gemmlab::runner
