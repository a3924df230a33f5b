#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <optional>

#include "core/gemm/implementation.h"
#include "core/machine.h"
#include "cpu/table.h"
#include "experiments/runner/commands.h"
#include "experiments/runner/supervisor.h"
#include "experiments/runner/usage_error.h"
#include "submissions/judge/judge.h"
#include "submissions/judge/judgement_json.h"
#include "submissions/program/answers.h"
#include "submissions/program/rule_reader.h"
#include "submissions/program/work_folder.h"

namespace gemmlab::submissions {
namespace {

/// "9.0" -> "90a", whose instructions go beyond 90's; "8.6" -> "86".
std::string architecture(const std::string& compute_capability) {
  std::string digits;
  for (const char c : compute_capability) {
    if (c != '.') digits += c;
  }
  return digits == "90" ? "90a" : digits;
}

/// Ends this program where the driver asks for it, or is gone.
void throw_if_unwanted() {
  runner::throw_if_interrupted();
  pollfd driver{STDIN_FILENO, 0, 0};
  if (::poll(&driver, 1, 0) > 0 && (driver.revents & (POLLHUP | POLLERR)) != 0) throw runner::Interrupted();
}

class HandIn {
 public:
  HandIn(const runner::Catalogue& catalogue, runner::Channel& channel, const Json& request)
      : catalogue_(catalogue),
        channel_(channel),
        worker_(request.at("worker")),
        rule_(read_rule(request.at("rule"), catalogue)),
        submission_(read_submission(request.at("file"))) {
    const Json& options = request.at("options");
    options_.seed = request.at("seed");
    options_.random_shapes = options.at("random_shapes");
    options_.timing = options.at("timing");
    options_.sanitize = options.at("sanitize");
    options_.counters = options.at("counters");
    options_.emulate = options.at("emulate");
    if (const auto key = request.find("inputs_key"); key != request.end() && key->is_string())
      options_.secret = Secret::from_hex(*key);
    leave_out_bubblewrap(request.at("without_isolation"));
    surround();
  }

  /// Compiles at once, so that several hand-ins compile side by side; judges when its turn comes: timing must
  /// run alone.
  void judge() {
    const Built built = compile(submission_, rule_, options_, surroundings_);
    channel_.send({{"built", built.build.ok}});
    const Json turn = next_request(channel_);
    if (!turn.at("limits").is_null()) limits_ = limits_from(turn.at("limits"));
    const Judgement judgement = submissions::judge(built, rule_, options_, surroundings_);
    Json verdict = to_json(judgement, surroundings_);
    verdict["ceilings"] = ceilings(submission_.device);
    channel_.send({{"verdict", verdict}, {"limits", limits_ ? limits_json(*limits_) : Json()}});
  }

 private:
  static Json limits_json(const runner::Limits& limits) {
    Json all = Json::array();
    for (const Ceiling& ceiling : limits.ceilings) all.push_back(runner::to_json(ceiling));
    return all;
  }
  static runner::Limits limits_from(const Json& ceilings) {
    runner::Limits limits;
    for (const Json& one : ceilings) limits.ceilings.push_back(runner::ceiling_from(one));
    return limits;
  }

  void tell(const std::string& doing) { channel_.send({{"doing", doing}}); }

  void surround() {
    const Json& gpus = worker_.at("gpus");
    surroundings_.program = {work_.program(), "callee"};
    surroundings_.callee = {work_.callee()};
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
    surroundings_.progress = [this](const std::string& doing) { tell(doing); };
  }

  /// Those that shares are computed from: arithmetic and memory of the whole device. Empty where nothing was
  /// timed.
  Json ceilings(Device device) const {
    Json all = Json::array();
    if (!limits_) return all;
    for (const Ceiling& ceiling : limits_->ceilings) {
      const bool memory = ceiling.what == "memory_read" && ceiling.level == "dram";
      if (ceiling.device != gemmlab::to_string(device) || !(memory || ceiling.what == "fma")) continue;
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

  /// By the ceilings of this machine. They are measured when first needed, once per class folder: the driver
  /// hands them on to the next hand-in.
  LeastTime least_time(Device device, const Shape& shape) {
    if (!limits_) limits_ = runner::Supervisor().limits(!worker_.at("gpus").empty());
    Point point;
    point.implementation = device == Device::kGpu ? "gpu.submission" : "cpu.submission";
    if (device == Device::kCpu) point.parameters["threads"] = std::int64_t{cpu_info().cores};
    point.device = device;
    point.instance = gemm_at(shape);
    const runner::Floor floor = runner::floor_of(point, limits_->ceilings, {});
    return {floor.seconds, floor.bound_by};
  }

  const runner::Catalogue& catalogue_;
  runner::Channel& channel_;
  Json worker_;
  Rule rule_;
  Submission submission_;
  Options options_;
  WorkFolder work_;
  Surroundings surroundings_;
  std::optional<runner::Limits> limits_;
};

}  // namespace

int answer_hand_in(const runner::Catalogue& catalogue, runner::Channel& channel) {
  set_on_look(throw_if_unwanted);
  try {
    HandIn(catalogue, channel, next_request(channel)).judge();
  } catch (const CannotBeJudged& reason) {
    channel.send({{"cannot", reason.what()}});
  }
  return runner::kExitDone;
}

}  // namespace gemmlab::submissions
