#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <map>
#include <utility>

#include "core/machine/machine.h"
#include "runner/commands/commands.h"
#include "runner/commands/python_step.h"
#include "runner/definition/definition.h"
#include "runner/definition/other_machines.h"
#include "runner/definition/trace.h"
#include "runner/execution/disturbance.h"
#include "runner/execution/first_calls.h"
#include "runner/execution/gpu_choice.h"
#include "runner/execution/interrupt.h"
#include "runner/execution/progress.h"
#include "runner/execution/supervisor.h"
#include "runner/message_text.h"
#include "runner/planning/plan.h"
#include "runner/planning/shard.h"
#include "runner/planning/too_long.h"
#include "runner/recording/ledger.h"
#include "runner/recording/provenance.h"
#include "runner/usage_error.h"

namespace gemmlab::runner {
namespace {

constexpr std::size_t kCommitShown = 12;  // letters

bool is_wrong(const std::string& status) {
  for (Status bad : {Status::kIncorrect, Status::kCrashed, Status::kFailed, Status::kReducedPrecision}) {
    if (status == to_string(bad)) return true;
  }
  return false;
}

/// What is measured in one go is to be of one commit.
void refuse_changed_sources() {
  const Json program = program_facts().at("program");
  if (program.at("dirty").get<bool>())
    throw UsageError(fmt::format(
        "--all measures a commit, and the sources have changes beside {}: commit them, or name experiments",
        program.at("commit").get<std::string>().substr(0, kCommitShown)));
}

/// Every definition, and every trace as one; with --all the others behind them. Throws UsageError before anything is measured.
std::vector<Definition> load_definitions(const RunOptions& options, const Catalogue& catalogue) {
  if (options.experiments.empty() && options.traces.empty() && !options.all)
    throw UsageError("nothing to run: name an experiment (see gemmlab list), --all or --from-trace FILE");
  std::vector<Definition> definitions;
  std::vector<std::string> named;
  for (const std::string& name : options.experiments) {
    named.push_back(find_definition(name));
    definitions.push_back(load_definition(named.back(), catalogue));
  }
  for (const std::string& file : options.traces) definitions.push_back(load_trace(file, catalogue));
  if (options.all) {
    if (!options.dry_run) refuse_changed_sources();
    for (const std::string& file : shipped_definitions()) {
      if (std::find(named.begin(), named.end(), file) == named.end())
        definitions.push_back(load_definition(file, catalogue));
    }
  }
  std::map<std::string, std::string> files;
  for (const Definition& definition : definitions) {
    const auto [other, alone] = files.emplace(definition.name, definition.file);
    if (!alone)
      throw UsageError(fmt::format("{} and {} are both called '{}', and would be recorded in one file",
                                   other->second, definition.file, other->first));
  }
  return definitions;
}

/// One invocation of `run`, from the worker's first facts to the last record.
class Run {
 public:
  Run(const Catalogue& catalogue, const RunOptions& options) : catalogue_(catalogue), options_(options) {}

  int execute() {
    end_at_once_on_interrupt();
    // Definitions first: a mistake in one must not cost the start of a worker.
    std::vector<Definition> definitions = load_definitions(options_, catalogue_);
    if (options_.shard) {
      const Shard shard = shard_from(*options_.shard);
      for (Definition& definition : definitions) keep_shard(definition, shard);
    }
    const std::int64_t gpus = gpus_wanted(definitions);
    start_up_s_ = timed([&] { worker_ = facts_of_gpus(supervisor_, options_.gpu, gpus); });
    machine_ = machine_name(worker_);
    folder_ = results_folder(options_.output, machine_);
    plan_ = plan_experiments(std::move(definitions), folder_);
    if (options_.all) order_shortest_first();
    if (options_.dry_run) {
      print_plan(plan_, folder_, options_.fresh,
                 [&](const Definition& definition) { return fingerprint_now(definition); });
      return kExitDone;
    }
    for (Planned& planned : plan_) planned.store->open_for_writing();
    const std::vector<Work> work = work_left(make_estimator(plan_, folder_));
    catch_interrupts();
    try {
      measure_all(work);
    } catch (const Interrupted&) {
      tell_disturbance();
      fmt::print("\nInterrupted. All that was measured is kept in {}; the same command goes on from there.\n",
                 folder_);
      return exit_interrupted();
    }
    tell_disturbance();
    if (options_.no_report) return wrong_ > 0 ? kExitWrong : kExitDone;
    if (options_.shard) {
      fmt::print("\nRecords: {}\nWhen all shards are done: gemmlab merge {}, and gemmlab report {}\n",
                 folder_, folder_, folder_);
      return wrong_ > 0 ? kExitWrong : kExitDone;
    }
    try {
      const int reported = build_report();
      return wrong_ > 0 ? kExitWrong : reported;
    } catch (const Interrupted&) {
      fmt::print(stderr, "gemmlab: the records are complete; the report is built by gemmlab report {}\n",
                 folder_);
      return exit_interrupted();
    }
  }

 private:
  std::string machine_name(const Json& worker) const {
    if (!options_.machine.empty()) return options_.machine;
    const Json& gpus = worker.at("gpus");
    return machine_slug(cpu_info().model, gpus.empty() ? "" : gpus.at(0).at("name").get<std::string>());
  }

  std::string fingerprint_now(const Definition& definition) const {
    return fingerprint(run_record("", definition, machine_, {}, worker_, {}));
  }

  /// Of what was not named; without those of which nothing can be measured here.
  void order_shortest_first() {
    const auto others =
        plan_.begin() + static_cast<std::ptrdiff_t>(options_.experiments.size() + options_.traces.size());
    plan_.erase(
        std::remove_if(others, plan_.end(), [](const Planned& one) { return one.definition.groups.empty(); }),
        plan_.end());  // `others` is not behind what went, and stays good
    const Estimator estimator = make_estimator(plan_, folder_);
    std::map<std::string, double> likely_s;
    for (auto planned = others; planned != plan_.end(); ++planned) {
      for (const Group& group : planned->definition.groups)
        likely_s[planned->definition.name] += estimator.whole(group, group.points).likely_s;
    }
    std::stable_sort(others, plan_.end(), [&](const Planned& one, const Planned& other) {
      return likely_s[one.definition.name] < likely_s[other.definition.name];
    });
  }

  struct Work {
    Planned* planned;
    const Group* group;
    std::vector<Point> points;
    double expected_s;  ///< with the group's own costs
  };

  std::vector<Work> work_left(const Estimator& estimator) {
    std::vector<Work> work;
    for (Planned& planned : plan_) {
      const std::string mark = fingerprint_now(planned.definition);
      const bool none_counts = options_.fresh || planned.store->empty();
      for (const Group& group : planned.definition.groups) {
        std::vector<Point> points =
            options_.fresh ? group.points
                           : planned.store->left(group.points, mark, planned.definition.part.has_value());
        for (const Point& point : group.points) {
          if (!none_counts && is_wrong(planned.store->status(point.case_id(), mark))) ++wrong_;
        }
        if (points.empty()) continue;
        const double expected_s = estimator.whole(group, points).likely_s;
        work.push_back({&planned, &group, std::move(points), expected_s});
      }
    }
    return work;
  }

  void measure_all(const std::vector<Work>& work) {
    double estimated_s = 0;
    std::size_t points = 0;
    for (const Work& piece : work) {
      estimated_s += piece.expected_s;
      points += piece.points.size();
    }
    Progress progress(points, estimated_s, options_.verbose);
    std::size_t recorded = 0;
    for (const Planned& planned : plan_)
      recorded += planned.definition.point_count() - planned.definition.excluded.size();
    recorded -= points;
    if (recorded > 0)
      progress.note(fmt::format("{} of {} points are recorded already; --fresh measures them again.",
                                recorded, recorded + points));
    for (const Planned& planned : plan_) {
      if (const int torn = planned.store->torn_lines(); torn > 0)
        progress.note(fmt::format("{}: passed over {} line{} that cannot be read.", planned.store->file(),
                                  torn, torn == 1 ? "" : "s"));
    }
    record_what_needs_no_measuring(work, progress);
    if (points == 0) return;
    if (const std::string text = choice_text(worker_); !text.empty()) progress.note(text);
    progress.note("± is half the width of the 95 % interval of the median, as a share of it.");
    progress.note("Measuring the machine's ceilings (FMA rate, memory bandwidth) ...");
    double ceilings_s = timed([&] { limits_ = supervisor_.limits(!worker_.at("gpus").empty()); });
    if (!limits_.missing.empty())
      progress.note("Warning: this run measured no ceilings, so no point is compared with one: " +
                    limits_.missing);
    caches_ = caches();

    const Planned* begun = nullptr;
    const auto end_experiment = [&] {
      if (begun == nullptr) return;
      begun->store->append(ledger_.record(run_id_, begun->definition.name));
      begun->store->flush();
    };
    std::map<std::string, std::size_t> too_late;  // experiment -> points
    for (const Work& piece : work) {
      if (would_end_too_late(piece)) {
        too_late[piece.planned->definition.name] += piece.points.size();
        continue;
      }
      if (piece.planned != begun) {
        end_experiment();
        begin(*piece.planned, progress);
        begun = piece.planned;
        ledger_ = Ledger();
        ledger_.add_before(std::exchange(start_up_s_, 0), std::exchange(ceilings_s, 0));
      }
      progress.begin_group(piece.expected_s);
      measure_group(piece, progress);
      progress.end_group();
    }
    end_experiment();
    progress.end();
    if (too_late.empty()) return;
    std::vector<std::string> left;
    for (const auto& [name, count] : too_late) left.push_back(fmt::format("{} of {}", count, name));
    fmt::print(
        "\nNot begun, as they were likely to end after --hours {:g}: points {}. The same command goes on "
        "with them.\n",
        options_.hours, listed(left));
  }

  bool would_end_too_late(const Work& piece) const {
    if (options_.hours <= 0) return false;
    const std::chrono::duration<double> gone = std::chrono::steady_clock::now() - began_;
    return gone.count() + piece.expected_s > options_.hours * 3600;
  }

  template <typename Work>
  static double timed(const Work& work) {
    const auto start = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }

  CacheSizes caches() const {
    const CpuInfo& cpu = cpu_info();
    const Json& gpus = worker_.at("gpus");
    return {cpu.l1d_bytes, cpu.l2_bytes, cpu.l3_bytes,
            gpus.empty() ? 0 : gpus.at(0).at("l2").get<std::int64_t>()};
  }

  /// An experiment with nothing to measure here still gets its `run` record and those of the points that it
  /// leaves out, unless this very definition has them: the report reads from them what to show.
  void record_what_needs_no_measuring(const std::vector<Work>& work, Progress& progress) {
    for (Planned& planned : plan_) {
      const bool begun_later =
          std::any_of(work.begin(), work.end(), [&](const Work& piece) { return piece.planned == &planned; });
      if (begun_later || planned.store->begun(planned.definition.sha256, fingerprint_now(planned.definition)))
        continue;
      begin(planned, progress);
      planned.store->flush();
    }
  }

  /// The `run` record, and a `skipped` record for each point that the definition leaves out.
  void begin(Planned& planned, Progress& progress) {
    const Definition& definition = planned.definition;
    progress.begin_experiment(definition.title, definition.point_count());
    for (const std::string& note : definition.notes) progress.note(note);
    for (const auto& [reason, names] : definition.left_out_by_reason())
      progress.note(fmt::format("left out: {} ({})", fmt::join(names, ", "), reason));
    const std::string mark = fingerprint_now(definition);
    planned.store->append(run_record(run_id_, definition, machine_, options_.arguments, worker_, limits_));
    for (const Excluded& excluded : definition.excluded) {
      if (!options_.fresh && planned.store->recorded(excluded.point.case_id(), mark)) continue;
      Outcome outcome;
      outcome.status = Status::kSkipped;
      outcome.reason = excluded.reason;
      planned.store->append(case_record(run_id_, definition.name, excluded.point, outcome, 0, ""));
      progress.skipped(excluded.point, excluded.reason);
    }
  }

  /// Points that ask for another machine's values are recorded as unsupported, and those that would take far too long, by
  /// what was measured until now, as skipped.
  std::vector<Point> worth_beginning(const Work& piece, const Supervisor::OnCase& on_case) {
    for (const Planned& planned : plan_) too_long_.learn(*planned.store, fingerprint_now(planned.definition));
    std::vector<Point> points;
    for (const Point& point : piece.points) {
      Outcome outcome;
      outcome.status = Status::kUnsupported;
      outcome.reason =
          not_on_this_machine(catalogue_.find(point.implementation)->description(), point.parameters);
      if (outcome.reason.empty()) {
        outcome.status = Status::kSkipped;
        outcome.reason = too_long_.why(point, piece.group->settings);
      }
      if (outcome.reason.empty()) {
        points.push_back(point);
        continue;
      }
      on_case(point, case_record(run_id_, piece.planned->definition.name, point, outcome, 0, ""));
    }
    return points;
  }

  void measure_group(const Work& piece, Progress& progress) {
    const auto on_case = [&](const Point& point, const Json& record) {
      piece.planned->store->append(record);
      ledger_.add_case(record);
      if (is_wrong(record.at("status"))) ++wrong_;
      if (!record.at("twin_of").is_null()) return;  // no point of the experiment
      disturbance_.add(record);
      progress.finished(point, record);
    };
    const auto on_tick = [&](const Point* point, const char* phase) { progress.tick(point, phase); };
    GroupRequest request{run_id_, piece.planned->definition.name, piece.group, {}, limits_.ceilings, caches_};
    GroupRequest first_calls = request;
    for (const Point& point : worth_beginning(piece, on_case))
      (point.scope == Scope::kFirstCall ? first_calls : request).points.push_back(point);
    if (!request.points.empty()) ledger_.add_group(supervisor_.measure(request, on_case, on_tick));
    if (!first_calls.points.empty()) {
      supervisor_.stop();  // an idle worker's context would lie on the same card
      measure_first_calls(first_calls, worker_.at("unavailable"), on_case, on_tick);
    }
    piece.planned->store->flush();
  }

  void tell_disturbance() const {
    if (const std::string text = disturbance_.text(folder_); !text.empty()) fmt::print("\n{}\n", text);
  }

  int build_report() {
    fmt::print("\nRecords: {}\n", folder_);
    const std::string report = (std::filesystem::path(folder_) / "report").string();
    const int status = run_report_step({"build", folder_, "--output", report});
    if (status == kExitDone) return kExitDone;
    if (status < 0) {
      fmt::print(
          "The page with tables and figures is not made: the Python packages of requirements.txt are "
          "missing. "
          "Where they can be fetched: gemmlab report {}\n",
          folder_);
      return kExitDone;
    }
    fmt::print(stderr, "gemmlab: the records are complete, but the report could not be built\n");
    return status == kExitUsage ? kExitUsage : kExitWrong;
  }

  const Catalogue& catalogue_;
  const RunOptions& options_;
  const std::string run_id_ = new_run_id();
  const std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
  Supervisor supervisor_;
  Json worker_;
  std::string machine_;
  std::string folder_;
  std::vector<Planned> plan_;
  Limits limits_;
  CacheSizes caches_;
  Ledger ledger_;
  TooLong too_long_;
  Disturbance disturbance_{cpu_info().cores};
  double start_up_s_ = 0;
  int wrong_ = 0;
};

}  // namespace

int command_run(const Catalogue& catalogue, const RunOptions& options) {
  return Run(catalogue, options).execute();
}

}  // namespace gemmlab::runner
