#include "submissions/judge/processes/waits.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <vector>

#include "submissions/judge/processes/process_state.h"

namespace gemmlab::submissions {
namespace {

/// Text of a thread's schedstat: nanoseconds that it ran, and waited. Nothing where it is gone.
std::optional<Turns> turns_in(const std::string& file) {
  std::ifstream text(file);
  double ran_ns = 0, waited_ns = 0;
  if (!(text >> ran_ns >> waited_ns)) return {};
  return Turns{1e-9 * ran_ns, 1e-9 * waited_ns};
}

std::map<int, Turns> turns_of(pid_t process, const std::string& proc) {
  std::map<int, Turns> turns;
  const std::string tasks = proc + "/" + std::to_string(process) + "/task/";
  for (const pid_t thread : threads_of(process, proc)) {
    if (const auto its = turns_in(tasks + std::to_string(thread) + "/schedstat")) turns[thread] = *its;
  }
  return turns;
}

/// The first number behind "some ... total=" of the pressure on processors is in microseconds.
std::optional<double> anybody_waited_s(const std::string& proc) {
  std::ifstream text(proc + "/pressure/cpu");
  std::string line;
  if (!std::getline(text, line) || line.rfind("some", 0) != 0) return {};
  const std::size_t total = line.find("total=");
  if (total == std::string::npos) return {};
  return 1e-6 * std::atof(line.c_str() + total + std::string("total=").size());
}

/// The eighth number of the first line of /proc/stat counts for all processors together; a line for each of them follows.
double stolen_s(const std::string& proc) {
  constexpr int kSteal = 7;
  std::ifstream text(proc + "/stat");
  std::string line, name;
  std::getline(text, line);
  std::istringstream words(line);
  words >> name;
  double ticks = 0;
  for (int i = 0; i <= kSteal; ++i) words >> ticks;
  if (!words || name != "cpu") return 0;
  int processors = 0;
  while (std::getline(text, line) && line.rfind("cpu", 0) == 0) ++processors;
  return ticks / static_cast<double>(sysconf(_SC_CLK_TCK)) / std::max(processors, 1);
}

}  // namespace

SchedulerLook look_at_scheduler(pid_t process, const std::string& proc) {
  SchedulerLook look;
  look.threads = turns_of(process, proc);
  look.cpu_s = cpu_s(process);
  look.judge_waited_s = turns_in(proc + "/thread-self/schedstat").value_or(Turns{}).waited_s;
  look.stolen_s = stolen_s(proc);
  look.anybody_waited_s = anybody_waited_s(proc);
  return look;
}

double waited_s(const SchedulerLook& before, const SchedulerLook& after, double wall_s, unsigned processors) {
  // idle threads of a pool wake only to be stopped; beside one that works they are ready for a short time
  constexpr double kTakesPart = 0.1;  // of the time that the busiest one was ready or ran
  // what no living thread has run, and clocks that are read one after another
  constexpr double kUnseen_s = 50e-6, kUnseenShare = 0.02;
  std::vector<Turns> during;
  double seen_s = 0, busiest_s = 0;
  for (const auto& [id, now] : after.threads) {
    const auto known = before.threads.find(id);
    const bool same =
        known != before.threads.end() && known->second.ran_s <= now.ran_s;  // else a new one of that number
    const Turns then = same ? known->second : Turns{};
    during.push_back({now.ran_s - then.ran_s, now.waited_s - then.waited_s});
    seen_s += during.back().ran_s;
    busiest_s = std::max(busiest_s, during.back().ran_s + during.back().waited_s);
  }
  double sum_s = 0;
  for (const Turns& turns : during) {
    if (turns.ran_s + turns.waited_s >= kTakesPart * busiest_s) sum_s += turns.waited_s;
  }
  const double ran_s = after.cpu_s - before.cpu_s;
  const bool unseen = ran_s - seen_s > std::max(kUnseen_s, kUnseenShare * ran_s);
  if (unseen && before.anybody_waited_s && after.anybody_waited_s)
    sum_s = std::max(sum_s, *after.anybody_waited_s - *before.anybody_waited_s);
  sum_s += after.judge_waited_s - before.judge_waited_s + after.stolen_s - before.stolen_s;
  return std::clamp(sum_s, 0.0, std::max(processors * wall_s - ran_s, 0.0));
}

}  // namespace gemmlab::submissions
