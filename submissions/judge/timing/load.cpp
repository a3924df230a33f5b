#include "submissions/judge/timing/load.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <iterator>
#include <sstream>

namespace gemmlab::submissions {
namespace {

std::string text_of(const std::string& file) {
  std::ifstream stream(file);
  return {std::istreambuf_iterator<char>(stream), {}};
}

double now_s() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// Of everybody but us, since the system started.
double others_s(const std::vector<int>& ours) {
  const auto ticks_per_s = static_cast<double>(sysconf(_SC_CLK_TCK));
  double taken = taken_s(text_of("/proc/self/stat"), ticks_per_s);
  for (const int pid : ours) taken += taken_s(text_of("/proc/" + std::to_string(pid) + "/stat"), ticks_per_s);
  return worked_s(text_of("/proc/stat"), ticks_per_s) - taken;
}

}  // namespace

double worked_s(const std::string& proc_stat, double ticks_per_s) {
  // cpu user nice system idle iowait irq softirq steal, of which idle and iowait are no work; guests are in user
  constexpr int kIdle = 3, kIoWait = 4, kSteal = 7;
  std::istringstream words(proc_stat);
  std::string name;
  words >> name;
  if (name != "cpu") return 0;
  double ticks = 0, sum = 0;
  for (int i = 0; i <= kSteal && words >> ticks; ++i) sum += i == kIdle || i == kIoWait ? 0 : ticks;
  return sum / ticks_per_s;
}

double taken_s(const std::string& pid_stat, double ticks_per_s) {
  constexpr int kUserTime = 11;  // words behind the name's closing bracket; the system's time is the next one
  const std::size_t name_end = pid_stat.rfind(')');
  if (name_end == std::string::npos) return 0;
  std::istringstream words(pid_stat.substr(name_end + 1));
  std::string skipped;
  for (int i = 0; i < kUserTime; ++i) words >> skipped;
  double user = 0, system = 0;
  words >> user >> system;
  return words ? (user + system) / ticks_per_s : 0;
}

void OthersLoad::begin(const std::vector<int>& ours) {
  began_s_ = now_s();
  before_s_ = others_s(ours);
}

void OthersLoad::end(const std::vector<int>& ours) {
  // the two files count in different steps, so that the difference of a quiet moment may be below nothing
  others_s_ += std::max(others_s(ours) - before_s_, 0.0);
  wall_s_ += now_s() - began_s_;
}

}  // namespace gemmlab::submissions
