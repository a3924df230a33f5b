#include "runner/execution/supervisor.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/wait.h>

#include <cstring>

#include "runner/execution/worker.h"
#include "runner/exit_codes.h"

namespace gemmlab::runner {
namespace {

volatile sig_atomic_t interrupted = 0;  // the signal that has come
constexpr int kLook_ms = 50;
constexpr int kMostIdleDeaths = 3;
constexpr int kRoundsPerAttempt = 1000000;

Json settings_json(const MeasureSettings& settings) {
  return {{"precision", settings.precision},
          {"min_time_s", settings.min_time_s},
          {"max_time_s", settings.max_time_s},
          {"timeout_s", settings.timeout_s},
          {"energy_s", settings.energy_s},
          {"sustained_s", settings.sustained_s},
          {"shuffle_seed", settings.shuffle_seed},
          {"verify_only", settings.verify_only},
          {"twins", settings.twins},
          {"first_round", settings.first_round}};
}

Status status_from(const std::string& name) {
  return name == to_string(Status::kOutOfMemory) ? Status::kOutOfMemory : Status::kFailed;
}

}  // namespace

void handle_interrupts(void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction before {};
    ::sigaction(signal, nullptr, &before);
    if (before.sa_handler != SIG_IGN) ::sigaction(signal, &action, nullptr);
  }
  ::signal(SIGPIPE, SIG_IGN);
}

void catch_interrupts() {
  handle_interrupts([](int signal) { interrupted = signal; });
}

int exit_interrupted() {
  return kExitBySignal + (interrupted != 0 ? interrupted : SIGINT);
}

bool interrupted_now() {
  return interrupted != 0;
}

void throw_if_interrupted() {
  if (interrupted) throw Interrupted();
}

Json Supervisor::ask(const Json& request, double limit_s) {
  worker_.start();
  worker_.channel().send(request);
  const std::int64_t deadline = steady_ns() + static_cast<std::int64_t>(limit_s * 1e9);
  while (steady_ns() < deadline) {
    throw_if_interrupted();
    if (auto answer = worker_.channel().receive(kLook_ms)) return *answer;
    if (worker_.channel().closed()) break;
  }
  const bool late = !worker_.channel().closed();
  const std::string words = worker_.last_words();
  worker_.stop();
  if (late) throw TimedOut(fmt::format("no answer within {:.0f} s", limit_s));
  throw std::runtime_error(words.empty() ? "the worker process gave no answer" : words);
}

Json Supervisor::facts() {
  try {
    return ask({{"do", "facts"}}, 120);
  } catch (const std::runtime_error& error) {
    return {{"gpus", Json::array()}, {"gpu_unavailable", error.what()}, {"unavailable", Json::object()}};
  }
}

Limits Supervisor::limits(bool gpu) {
  Limits limits;
  // killed from outside, say: once may be chance. A worker that hangs would hang again.
  for (int attempt = 0; attempt < 2; ++attempt) {
    limits.missing.clear();
    try {
      const Json answer = ask({{"do", "limits"}, {"cpu", true}, {"gpu", gpu}}, 300);
      if (answer.contains("failed")) throw std::runtime_error(answer.at("failed").get<std::string>());
      for (const Json& ceiling : answer.at("ceilings")) limits.ceilings.push_back(ceiling_from(ceiling));
      for (const Json& cost : answer.at("costs")) limits.costs.push_back(cost_from(cost));
      limits.cores.update(answer.at("cores"));
      return limits;
    } catch (const TimedOut& error) {
      limits.missing = error.what();
      return limits;
    } catch (const std::runtime_error& error) {
      limits.missing = error.what();
    }
  }
  return limits;
}

Outcome Supervisor::first_call(const Point& point, double timeout_s) {
  const Json answer = ask({{"do", "first_call"}, {"point", to_wire(point)}}, timeout_s);
  if (answer.contains("failed")) throw std::runtime_error(answer.at("failed").get<std::string>());
  return outcome_from_wire(answer.at("outcome"));
}

void Supervisor::send_group(const GroupRequest& request, const std::map<int, Point>& pending, int attempt) {
  // what was measured by a worker that died shares no round with what the next one measures
  MeasureSettings settings = request.group->settings;
  settings.first_round = attempt * kRoundsPerAttempt;
  Json points = Json::array();
  for (const auto& [entry, point] : pending) {
    const Floor floor = floor_of(point, request.ceilings, request.caches);
    points.push_back({{"entry", entry},
                      {"point", to_wire(point)},
                      {"floor_s", floor.seconds},
                      {"bound_by", floor.bound_by}});
  }
  worker_.channel().send({{"do", "group"},
                          {"run_id", request.run_id},
                          {"experiment", request.experiment},
                          {"group", request.group->name},
                          {"settings", settings_json(settings)},
                          {"points", points}});
}

/// Takes in records until the group is done, the worker is dead, or a deadline on its page has passed.
Supervisor::End Supervisor::follow(const GroupRequest& request, std::map<int, Point>& pending,
                                   const OnCase& on_case, const OnTick& on_tick) {
  refusal_.clear();
  refusal_status_ = Status::kFailed;
  for (;;) {
    throw_if_interrupted();
    if (auto message = worker_.channel().receive(kLook_ms)) {
      if (message->contains("done")) {
        cost_.inputs_s += message->at("inputs_s").get<double>();
        cost_.reference_s += message->at("reference_s").get<double>();
        return End::kDone;
      }
      if (message->contains("failed")) {
        refusal_ = message->at("failed");
        refusal_status_ = status_from(message->at("status"));
        return End::kDone;
      }
      const int entry = message->at("entry");
      const Json& record = message->at("case");
      // A twin may end after the point that it is the twin of.
      on_case(request.points[static_cast<std::size_t>(entry)], record);
      if (record.at("twin_of").is_null()) pending.erase(entry);
      continue;
    }
    if (worker_.channel().closed()) return End::kDied;
    const auto at = pending.find(worker_.page().entry.load());
    on_tick(at == pending.end() ? nullptr : &at->second, worker_.page().phase);
    const std::int64_t deadline = worker_.page().deadline_ns.load();
    if (deadline > 0 && steady_ns() > deadline) return End::kLate;
  }
}

/// Turns a death or a hang into the record of the one point that was at work.
void Supervisor::blame(const GroupRequest& request, std::map<int, Point>& pending, End end,
                       const OnCase& on_case) {
  const auto guilty = pending.find(worker_.page().entry.load());
  const std::string phase = worker_.page().phase;
  const std::string words = worker_.last_words();
  worker_.stop();
  const int status = worker_.wait_status();
  if (end == End::kDied && WIFEXITED(status) && WEXITSTATUS(status) == kReplaceMe) return;
  const bool killed = end == End::kDied && WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
  if (guilty == pending.end()) {
    if (++idle_deaths_ < kMostIdleDeaths) return;
    refusal_status_ = Status::kCrashed;
    refusal_ = fmt::format("the worker process died {} times before a point was at work ({}){}", idle_deaths_,
                           killed          ? "killed from outside; the system may be short of memory"
                           : phase.empty() ? "starting"
                                           : phase,
                           words.empty() ? "" : ": " + words);
    refuse_all(request, pending, on_case);
    return;
  }
  // SIGKILL comes from outside: from a person, or from a system short of memory. Once may be chance; twice,
  // the point is to blame.
  if (killed && ++killed_[guilty->first] < 2) return;
  Outcome outcome;
  if (end == End::kLate) {
    outcome.status = Status::kTimeout;
    outcome.reason = fmt::format("no answer within the time limit ({})", phase);
  } else if (killed) {
    outcome.status = Status::kCrashed;
    outcome.reason = fmt::format("killed twice from outside ({}); the system may be short of memory", phase);
  } else if (WIFSIGNALED(status)) {
    outcome.status = Status::kCrashed;
    outcome.reason =
        fmt::format("{} ({}){}", ::strsignal(WTERMSIG(status)), phase, words.empty() ? "" : ": " + words);
  } else {
    outcome.status = Status::kCrashed;
    outcome.reason = fmt::format("the process ended with exit status {} ({})", WEXITSTATUS(status), phase);
  }
  on_case(guilty->second, case_record(request.run_id, request.experiment, guilty->second, outcome, 0, ""));
  pending.erase(guilty);
}

/// Gives every pending point a record of why the group as a whole could not be measured.
void Supervisor::refuse_all(const GroupRequest& request, std::map<int, Point>& pending,
                            const OnCase& on_case) {
  for (const auto& [entry, point] : pending) {
    Outcome outcome;
    outcome.status = refusal_status_;
    outcome.reason = refusal_.empty() ? "the worker gave no record" : refusal_;
    on_case(point, case_record(request.run_id, request.experiment, point, outcome, 0, ""));
  }
  pending.clear();
}

GroupCost Supervisor::measure(const GroupRequest& request, const OnCase& on_case, const OnTick& on_tick) {
  cost_ = {};
  std::map<int, Point> pending;
  for (std::size_t i = 0; i < request.points.size(); ++i) pending[static_cast<int>(i)] = request.points[i];
  killed_.clear();
  idle_deaths_ = 0;
  for (int attempt = 0; !pending.empty(); ++attempt) {
    worker_.start();
    send_group(request, pending, attempt);
    const End end = follow(request, pending, on_case, on_tick);
    if (end != End::kDone) {
      blame(request, pending, end, on_case);
      continue;
    }
    // The worker says that it is done: what has no record by now failed with the group as a whole.
    refuse_all(request, pending, on_case);
  }
  return cost_;
}

}  // namespace gemmlab::runner
