#include "experiments/runner/supervisor.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "experiments/runner/worker.h"

namespace gemmlab::runner {
namespace {

volatile sig_atomic_t interrupted = 0;
constexpr int kLook_ms = 50;
constexpr int kMostIdleDeaths = 3;
constexpr int kRoundsAnAttempt = 1000000;

Json settings_json(const MeasureSettings& settings) {
  return {{"precision", settings.precision},
          {"min_time_s", settings.min_time_s},
          {"max_time_s", settings.max_time_s},
          {"timeout_s", settings.timeout_s},
          {"shuffle_seed", settings.shuffle_seed},
          {"verify_only", settings.verify_only},
          {"twins", settings.twins},
          {"first_round", settings.first_round}};
}

/// In the child, between fork and exec: only what is safe there.
[[noreturn]] void become_worker(int in, int out, int page, int log, char* const* environment) {
  ::setpgid(0, 0);  // Ctrl-C is for the parent, which decides what is kept
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  ::dup2(log, STDOUT_FILENO);
  ::dup2(log, STDERR_FILENO);
  for (int fd : {in, out, page}) ::fcntl(fd, F_SETFD, 0);
  char in_text[16], out_text[16], page_text[16];
  std::snprintf(in_text, sizeof in_text, "%d", in);
  std::snprintf(out_text, sizeof out_text, "%d", out);
  std::snprintf(page_text, sizeof page_text, "%d", page);
  const char* arguments[] = {"gemmlab", "worker", in_text, out_text, page_text, nullptr};
  ::execve("/proc/self/exe", const_cast<char**>(arguments), environment);
  ::_exit(127);
}

/// This process's variables with `changes` over them, as NAME=VALUE.
std::vector<std::string> environment_with(const std::map<std::string, std::string>& changes) {
  std::vector<std::string> entries;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string text(*entry);
    if (changes.count(text.substr(0, text.find('='))) == 0) entries.push_back(text);
  }
  for (const auto& [name, value] : changes) entries.push_back(name + "=" + value);
  return entries;
}

Status status_from(const std::string& name) {
  return name == to_string(Status::kOutOfMemory) ? Status::kOutOfMemory : Status::kFailed;
}

}  // namespace

void catch_interrupts() {
  struct sigaction action {};
  action.sa_handler = [](int) { interrupted = 1; };
  ::sigaction(SIGINT, &action, nullptr);
  ::sigaction(SIGTERM, &action, nullptr);
  ::signal(SIGPIPE, SIG_IGN);
}

Supervisor::~Supervisor() {
  stop();
}

void Supervisor::start() {
  if (pid_ > 0) return;
  int down[2], up[2];
  fds_[2] = ::memfd_create("gemmlab-status", MFD_CLOEXEC);
  log_ = ::memfd_create("gemmlab-worker-log", MFD_CLOEXEC);
  if (::pipe2(down, O_CLOEXEC) != 0 || ::pipe2(up, O_CLOEXEC) != 0 || fds_[2] < 0 || log_ < 0 ||
      ::ftruncate(fds_[2], sizeof(StatusPage)) != 0) {
    throw std::runtime_error(fmt::format("a worker process could not be started: {}", std::strerror(errno)));
  }
  void* memory = ::mmap(nullptr, sizeof(StatusPage), PROT_READ | PROT_WRITE, MAP_SHARED, fds_[2], 0);
  if (memory == MAP_FAILED)
    throw std::runtime_error("a worker process could not be started: no shared memory");
  page_ = new (memory) StatusPage;
  std::vector<std::string> variables = environment_with(environment_);
  std::vector<char*> environment;
  for (std::string& variable : variables) environment.push_back(variable.data());
  environment.push_back(nullptr);
  pid_ = ::fork();
  if (pid_ < 0)
    throw std::runtime_error(fmt::format("a worker process could not be started: {}", std::strerror(errno)));
  if (pid_ == 0) become_worker(down[0], up[1], fds_[2], log_, environment.data());
  ::close(down[0]);
  ::close(up[1]);
  fds_[0] = up[0];
  fds_[1] = down[1];
  channel_ = std::make_unique<Channel>(fds_[0], fds_[1]);
}

/// Keeps the worker's exit status.
void Supervisor::stop() {
  if (pid_ <= 0) return;
  if (!channel_->closed())
    ::kill(pid_, SIGKILL);  // a closed pipe means that it is dying by itself: its own status counts
  while (::waitpid(pid_, &wait_status_, 0) < 0 && errno == EINTR) {
  }
  pid_ = -1;
  channel_.reset();
  ::munmap(page_, sizeof(StatusPage));
  page_ = nullptr;
  for (int& fd : fds_) ::close(fd);
  ::close(log_);
}

/// The last line that the worker printed: what the C++ runtime or a library said as it died.
std::string Supervisor::last_words() const {
  char text[2048];
  const off_t size = ::lseek(log_, 0, SEEK_END);
  const off_t from = size > static_cast<off_t>(sizeof text) ? size - static_cast<off_t>(sizeof text) : 0;
  const ssize_t count = ::pread(log_, text, sizeof text, from);
  std::string words(text, count > 0 ? static_cast<std::size_t>(count) : 0);
  while (!words.empty() && words.back() == '\n') words.pop_back();
  const std::size_t line = words.rfind('\n');
  return line == std::string::npos ? words : words.substr(line + 1);
}

Json Supervisor::ask(const Json& request, double limit_s) {
  start();
  channel_->send(request);
  const std::int64_t deadline = steady_ns() + static_cast<std::int64_t>(limit_s * 1e9);
  while (steady_ns() < deadline) {
    if (interrupted) throw Interrupted();
    if (auto answer = channel_->receive(kLook_ms)) return *answer;
    if (channel_->closed()) break;
  }
  const bool late = !channel_->closed();
  const std::string words = last_words();
  stop();
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
  const Json answer = ask({{"do", "limits"}, {"cpu", true}, {"gpu", gpu}}, 300);
  if (answer.contains("failed")) throw std::runtime_error(answer.at("failed").get<std::string>());
  Limits limits;
  for (const Json& ceiling : answer.at("ceilings")) limits.ceilings.push_back(ceiling_from(ceiling));
  for (const Json& cost : answer.at("costs")) limits.costs.push_back(cost_from(cost));
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
  settings.first_round = attempt * kRoundsAnAttempt;
  Json points = Json::array();
  for (const auto& [entry, point] : pending) {
    const Floor floor = floor_of(point, request.ceilings, request.caches);
    points.push_back({{"entry", entry},
                      {"point", to_wire(point)},
                      {"floor_s", floor.seconds},
                      {"bound_by", floor.bound_by}});
  }
  channel_->send({{"do", "group"},
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
  for (;;) {
    if (interrupted) throw Interrupted();
    if (auto message = channel_->receive(kLook_ms)) {
      if (message->contains("done")) {
        cost_.inputs_s += message->at("inputs_s").get<double>();
        cost_.reference_s += message->at("reference_s").get<double>();
        return End::kDone;
      }
      if (message->contains("failed")) {
        refusal_ = message->at("failed");
        refusal_status_ = message->at("status");
        return End::kDone;
      }
      const int entry = message->at("entry");
      const Json& record = message->at("case");
      // A twin may end after the point that it is the twin of.
      on_case(request.points[static_cast<std::size_t>(entry)], record);
      if (record.at("twin_of").is_null()) pending.erase(entry);
      continue;
    }
    if (channel_->closed()) return End::kDied;
    const auto at = pending.find(page_->entry.load());
    on_tick(at == pending.end() ? nullptr : &at->second, page_->phase);
    const std::int64_t deadline = page_->deadline_ns.load();
    if (deadline > 0 && steady_ns() > deadline) return End::kLate;
  }
}

/// Turns a death or a hang into the record of the one point that was at work.
void Supervisor::blame(const GroupRequest& request, std::map<int, Point>& pending, End end,
                       const OnCase& on_case) {
  const auto guilty = pending.find(page_->entry.load());
  const std::string phase = page_->phase;
  const std::string words = last_words();
  stop();
  const int status = wait_status_;
  if (end == End::kDied && WIFEXITED(status) && WEXITSTATUS(status) == kReplaceMe) return;
  const bool killed = end == End::kDied && WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
  if (guilty == pending.end()) {
    if (++idle_deaths_ >= kMostIdleDeaths)
      throw std::runtime_error("the worker process dies again and again: " + words);
    return;
  }
  // SIGKILL comes from outside: a person, or a system short of memory. Once may be chance, twice is the
  // point's own.
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

GroupCost Supervisor::measure(const GroupRequest& request, const OnCase& on_case, const OnTick& on_tick) {
  cost_ = {};
  std::map<int, Point> pending;
  for (std::size_t i = 0; i < request.points.size(); ++i) pending[static_cast<int>(i)] = request.points[i];
  killed_.clear();
  idle_deaths_ = 0;
  for (int attempt = 0; !pending.empty(); ++attempt) {
    start();
    send_group(request, pending, attempt);
    const End end = follow(request, pending, on_case, on_tick);
    if (end != End::kDone) {
      blame(request, pending, end, on_case);
      continue;
    }
    // The worker says that it is done: what has no record by now failed with the group as a whole.
    for (const auto& [entry, point] : pending) {
      Outcome outcome;
      outcome.status = status_from(refusal_status_);
      outcome.reason = refusal_.empty() ? "the worker gave no record" : refusal_;
      on_case(point, case_record(request.run_id, request.experiment, point, outcome, 0, ""));
    }
    pending.clear();
  }
  return cost_;
}

}  // namespace gemmlab::runner
