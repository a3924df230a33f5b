#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <filesystem>
#include <mutex>
#include <optional>
#include <random>
#include <thread>

#include "core/machine.h"
#include "core/write_file.h"
#include "cpu/table.h"
#include "experiments/runner/commands.h"
#include "experiments/runner/provenance.h"
#include "experiments/runner/python_step.h"
#include "experiments/runner/rule_reader.h"
#include "experiments/runner/submit_files.h"
#include "experiments/runner/submit_text.h"
#include "experiments/runner/supervisor.h"
#include "experiments/runner/usage_error.h"
#include "submissions/judge/judge.h"
#include "submissions/judge/judgement_json.h"

namespace gemmlab::runner {
namespace {

namespace fs = std::filesystem;
using submissions::Judgement;
using submissions::Submission;

/// "9.0" -> "90a", whose instructions go beyond 90's; "8.6" -> "86".
std::string architecture(const std::string& compute_capability) {
  std::string digits;
  for (const char c : compute_capability) {
    if (c != '.') digits += c;
  }
  return digits == "90" ? "90a" : digits;
}

constexpr auto kQuiet = std::chrono::seconds(2);
constexpr auto kBetweenLines = std::chrono::seconds(20);

class Submit {
 public:
  Submit(const Catalogue& catalogue, const SubmitOptions& options)
      : catalogue_(catalogue),
        options_(options),
        rule_file_(options.rule.empty() ? default_rule() : options.rule) {}

  int execute() {
    rule_ = read_rule(rule_file_, catalogue_);
    files_ = submission_files(options_.paths);
    if (options_.json && (files_.size() != 1 || options_.ranking))
      throw UsageError(
          "--json prints the verdict of one file; for several, read verdict.json in their folders");
    // every file is looked at before any is judged: a mistake in the last must not show after an hour
    for (const std::string& file : files_) submissions_.push_back(read(file));
    output_ = options_.output.empty() ? "judged" : options_.output;
    make_folder(output_);
    seed_ = options_.seed ? *options_.seed : seed_for_all();
    // the marks' part is Python's: a mistake in it must show before an hour of judging
    if (run_report_step({"submission", "--rule", rule_file_}, true) == kExitUsage) return kExitUsage;
    catch_interrupts();  // so that scratch folders go; what is judged is kept
    submissions::set_on_look(throw_if_interrupted);
    prepare();
    const int correct = judge_all();
    if (not_judged_ == submissions_.size()) return kExitUsage;
    const int pages = make_pages();
    if (pages == kExitUsage || not_judged_ > 0) return kExitUsage;
    return correct == static_cast<int>(submissions_.size()) ? kExitDone : kExitWrong;
  }

 private:
  static std::string default_rule() { return source_root() + "/submissions/rules/default.toml"; }

  static Submission read(const std::string& file) {
    try {
      return submissions::read_submission(file);
    } catch (const std::invalid_argument& error) {
      throw UsageError(error.what());
    }
  }

  /// All of a folder get the same shapes and inputs, also those judged on another day into the same folder.
  std::uint64_t seed_for_all() const {
    if (submissions_.size() > 1) {
      for (const Submission& submission : submissions_) {
        const Json json = recorded(submission);
        if (json.is_object() && json.contains("seed") && json.at("seed").is_number_unsigned())
          return json.at("seed");
      }
    }
    constexpr std::uint64_t kSeeds = 1'000'000'000;  // short enough to be typed
    return std::random_device()() % kSeeds;
  }

  fs::path folder_of(const Submission& submission) const { return fs::path(output_) / submission.name; }

  void prepare() {
    supervisor_ = std::make_unique<Supervisor>();
    worker_ = supervisor_->facts();
    const Json& gpus = worker_.at("gpus");
    surroundings_.program = {work_.program(), "callee"};
    surroundings_.work = work_.path();
    if (!gpus.empty()) surroundings_.cuda_arch = architecture(gpus.at(0).at("compute_capability"));
    surroundings_.no_gpu = worker_.at("gpu_unavailable");
    surroundings_.product = cpu::double_product();
    surroundings_.least_time = [this](Device device, const Shape& shape) {
      return least_time(device, shape);
    };
    surroundings_.unavailable = [this](const std::string& id) { return unavailable(id); };
    surroundings_.summary = [this](const std::string& id) {
      const Implementation* implementation = catalogue_.find(id);
      return implementation == nullptr ? std::string() : implementation->description().summary;
    };
    surroundings_.progress = [this](const std::string& doing) { progress(doing); };
  }

  /// Those that shares are formed with: arithmetic and memory of the whole device. Empty where nothing was
  /// timed.
  Json ceilings(Device device) const {
    Json all = Json::array();
    if (!limits_) return all;
    for (const Ceiling& ceiling : limits_->ceilings) {
      const bool memory = ceiling.what == "memory_read" && ceiling.level == "dram";
      if (ceiling.device != to_string(device) || !(memory || ceiling.what == "fma")) continue;
      if (device == Device::kCpu && ceiling.threads != cpu_info().cores) continue;
      all.push_back({{"device", ceiling.device},
                     {"what", ceiling.what},
                     {"level", ceiling.level},
                     {"value", ceiling.value},
                     {"unit", ceiling.unit}});
    }
    return all;
  }

  std::string unavailable(const std::string& id) const {
    if (catalogue_.find(id) == nullptr) return "this program was built without it";
    const Json& reasons = worker_.at("unavailable");
    return reasons.contains(id) ? reasons.at(id).get<std::string>() : std::string();
  }

  /// By the ceilings of this machine, measured at the first need.
  submissions::LeastTime least_time(Device device, const Shape& shape) {
    if (!limits_) limits_ = supervisor_->limits(!worker_.at("gpus").empty());
    Point point;
    point.implementation = device == Device::kGpu ? "gpu.submission" : "cpu.submission";
    if (device == Device::kCpu) point.parameters["threads"] = std::int64_t{cpu_info().cores};
    point.device = device;
    point.instance = gemm_at(shape);
    const Floor floor = floor_of(point, limits_->ceilings, {});
    return {floor.seconds, floor.bound_by};
  }

  /// In place on a terminal; elsewhere a line now and then, and none in the first seconds.
  void progress(const std::string& doing) {
    const auto now = std::chrono::steady_clock::now();
    if (::isatty(STDERR_FILENO) != 0) {
      fmt::print(stderr, "\r\033[K{}: {} ...", now_, doing);
    } else if (now >= next_line_) {
      fmt::print(stderr, "gemmlab: {}: {} ...\n", now_, doing);
      next_line_ = now + kBetweenLines;
    }
  }
  static void end_progress() {
    if (::isatty(STDERR_FILENO) != 0) fmt::print(stderr, "\r\033[K");
  }

  /// What a verdict depends on besides the program's own folder: the same again need not be judged again.
  Json circumstances(const Submission& submission) const {
    const Json facts = program_facts();
    const Json& gpus = worker_.at("gpus");
    const int random = options_.random_shapes >= 0 ? options_.random_shapes : rule_.random_shapes;
    return {{"sha256", submission.sha256},
            {"program", facts.at("program")},
            {"machine",
             {{"cpu", cpu_info().model},
              {"cores", cpu_info().cores},
              {"gpu", gpus.empty() ? Json() : gpus.at(0).at("name")}}},
            {"rule",
             {{"file", fs::path(rule_file_).filename().string()}, {"sha256", sha256(text_of(rule_file_))}}},
            {"seed", seed_},
            {"options",
             {{"random_shapes", random},
              {"timing", !options_.no_timing},
              {"sanitize", options_.sanitize},
              {"counters", options_.counters}}}};
  }

  static bool same(const Json& verdict, const Json& circumstances) {
    if (!verdict.is_object()) return false;
    for (const auto& [key, value] : circumstances.items()) {
      if (!verdict.contains(key) || verdict.at(key) != value) return false;
    }
    return true;
  }

  /// Some at a time: compiled side by side, while nothing is timed, then judged one after the other.
  int judge_all() {
    constexpr std::size_t kAtATime = 32;
    int correct = 0;
    for (std::size_t first = 0; first < submissions_.size(); first += kAtATime) {
      const std::size_t last = std::min(first + kAtATime, submissions_.size());
      std::vector<Compiled> built = compile(first, last);
      for (std::size_t i = first; i < last; ++i) {
        throw_if_interrupted();
        correct += judged_correct(submissions_[i], built[i - first]) ? 1 : 0;
        built[i - first].built.reset();
      }
    }
    return correct;
  }

  struct Compiled {
    std::optional<submissions::Built> built;  ///< empty: judged before, under the same circumstances
    std::exception_ptr failed;                ///< could not be compiled, through no fault of its own
  };

  std::vector<Compiled> compile(std::size_t first, std::size_t last) {
    std::vector<Compiled> built(last - first);
    std::atomic<std::size_t> next{first};
    std::mutex one_at_a_time;
    std::exception_ptr failed;
    now_ = fmt::format("{} of {}", first + 1, submissions_.size());
    progress("compiling");
    const auto work = [&] {
      for (std::size_t i = next++; i < last; i = next++) {
        try {
          if (!options_.fresh && same(recorded(submissions_[i]), circumstances(submissions_[i]))) continue;
          built[i - first].built.emplace(submissions::compile(submissions_[i], rule_, surroundings_));
        } catch (const submissions::CannotBeJudged&) {
          built[i - first].failed = std::current_exception();
        } catch (...) {
          const std::lock_guard<std::mutex> lock(one_at_a_time);
          failed = std::current_exception();
        }
      }
    };
    std::vector<std::thread> threads;
    const std::size_t count = std::min<std::size_t>(static_cast<std::size_t>(cpu_info().cores), last - first);
    for (std::size_t i = 1; i < count; ++i) threads.emplace_back(work);
    work();
    for (std::thread& thread : threads) thread.join();
    if (failed) std::rethrow_exception(failed);
    return built;
  }

  Json recorded(const Submission& submission) const {
    return Json::parse(text_of(folder_of(submission) / "verdict.json"), nullptr, false);
  }

  /// What cannot be judged on this machine is said in a line, and the others go on.
  bool judged_correct(const Submission& submission, const Compiled& compiled) {
    try {
      if (compiled.failed) std::rethrow_exception(compiled.failed);
      return judge_one(submission, compiled.built) == "correct";
    } catch (const submissions::CannotBeJudged& reason) {
      end_progress();
      fmt::print(stderr, "gemmlab: {}\n", reason.what());
      ++not_judged_;
      return false;
    }
  }

  std::string judge_one(const Submission& submission, const std::optional<submissions::Built>& built) {
    now_ = submissions_.size() == 1
               ? submission.name
               : fmt::format("{} ({} of {})", submission.name, ++judged_, submissions_.size());
    Json verdict = recorded(submission);
    if (built) {
      submissions::Options options;
      options.seed = seed_;
      options.random_shapes = options_.random_shapes;
      options.timing = !options_.no_timing;
      options.sanitize = options_.sanitize;
      options.counters = options_.counters;
      const Judgement judgement = submissions::judge(*built, rule_, options, surroundings_);
      verdict = submissions::to_json(judgement, rule_, surroundings_);
      verdict["ceilings"] = ceilings(submission.device);
      verdict.update(circumstances(submission));
      make_folder(folder_of(submission));
      write_in_one_step(folder_of(submission) / "verdict.json", to_text(verdict, 1) + "\n");
    }
    end_progress();
    if (options_.json) {
      fmt::print("{}\n", to_text(verdict, 1));
    } else {
      print_verdict(verdict, !built, submissions_.size() > 1);
    }
    std::fflush(stdout);
    return verdict.at("verdict");
  }

  int make_pages() {
    std::vector<std::string> arguments{"submission", output_, "--rule", rule_file_};
    if (submissions_.size() == 1 && !options_.ranking)
      arguments[1] = folder_of(submissions_.front()).string();
    if (options_.ranking) arguments.push_back("--ranking");
    const int status = run_report_step(arguments, options_.json);
    if (status < 0)
      fmt::print(stderr, "No page was made: the Python packages are missing. Verdicts are in {}.\n",
                 arguments[1]);
    return status;
  }

  const Catalogue& catalogue_;
  const SubmitOptions& options_;
  std::string rule_file_;
  submissions::Rule rule_;
  std::vector<std::string> files_;
  std::vector<Submission> submissions_;
  std::size_t judged_ = 0;
  std::size_t not_judged_ = 0;
  std::string output_;
  std::uint64_t seed_ = 0;
  WorkFolder work_;
  std::unique_ptr<Supervisor> supervisor_;
  Json worker_;
  std::optional<Limits> limits_;
  submissions::Surroundings surroundings_;
  std::string now_;
  std::chrono::steady_clock::time_point next_line_ = std::chrono::steady_clock::now() + kQuiet;
};

}  // namespace

int command_submit(const Catalogue& catalogue, const SubmitOptions& options) {
  return Submit(catalogue, options).execute();
}

}  // namespace gemmlab::runner
