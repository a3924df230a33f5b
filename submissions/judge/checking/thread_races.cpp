#include "submissions/judge/checking/thread_races.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <sstream>
#include <thread>

#include "submissions/build/run.h"
#include "submissions/build/thread_program.h"
#include "submissions/judge/judge.h"

namespace fs = std::filesystem;

namespace gemmlab::submissions {
namespace {

constexpr double kLongest_s = 20;
constexpr std::int64_t kMebi = 1 << 20;
constexpr std::int64_t kSanitizerMiB = 1024;  // that the sanitizer needs beside the hand-in
constexpr int kThreadsOfSanitizer = 2;
constexpr int kFewestThreads = 64;
const std::vector<std::string> kShapes = {"64", "64", "64", "129", "65", "127", "40", "200", "33"};

/// One of the two accesses: "Previous write of size 4 at 0x7b by thread T1:", and the line of the hand-in below it.
struct Access {
  bool write = false;
  int line = 0;
};

/// The line of the hand-in that a frame names: "    #0 solve /tmp/x/handed_in.cpp:8 (prog+0xc0)"; 0: none of it.
int line_of(const std::string& frame) {
  const std::string name = "/" + std::string(kWatchedName) + ":";
  const std::size_t at = frame.find(name);
  return at == std::string::npos ? 0 : std::atoi(frame.c_str() + at + name.size());
}

std::vector<Access> accesses_of(const std::string& output) {
  std::vector<Access> found;
  std::istringstream lines(output);
  for (std::string line; std::getline(lines, line);) {
    const bool access = line.find(" of size ") != std::string::npos &&
                        line.find(" at 0x") != std::string::npos && line.find(" by ") != std::string::npos;
    if (access) {
      found.push_back({line.find("rite") != std::string::npos, 0});
    } else if (line.find("Location is") != std::string::npos ||
               line.find("created by") != std::string::npos) {
      break;
    } else if (!found.empty() && found.back().line == 0) {
      found.back().line = line_of(line);
    }
  }
  return found;
}

}  // namespace

std::optional<Failure> race_told(const std::string& output, const std::string& shared) {
  if (output.find("ThreadSanitizer: data race") == std::string::npos) return {};
  const std::vector<Access> found = accesses_of(output);
  if (found.size() < 2 || found[0].line == 0 || found[1].line == 0) return {};
  const Access &one = found[0], &other = found[1];
  const std::string what =
      one.line == other.line
          ? fmt::format("At line {} two threads use one place in memory, and one writes to it", one.line)
          : fmt::format("At line {} a thread {} a place in memory that another {} at line {}", one.line,
                        one.write ? "writes to" : "reads", other.write ? "writes to" : "reads", other.line);
  Failure failure;
  failure.pattern = "race";
  failure.explanation = fmt::format(
      "{}, and nothing says which comes first: so says ThreadSanitizer of the code compiled without "
      "optimisation "
      "(-O0){}. That C is right is luck: it can change with the machine, the compiler and the number of "
      "threads.",
      what, shared.empty() ? "" : "; " + shared);
  failure.hint =
      "Declare what a thread computes with inside of the parallel loop or the thread's function, or name it "
      "in private(...); "
      "what threads share takes reduction(+:...), an atomic or a mutex.";
  return failure;
}

std::optional<Failure> race_of_threads(const std::string& program, const std::string& work,
                                       const Limits& limits, const std::string& shared) {
  // a folder of its own: the program can write where it runs, and the libraries that are judged lie elsewhere
  const ScratchFolder folder(work);
  const std::string here = fs::canonical(folder.path()).string();
  const std::string copy = here + "/program";
  fs::copy_file(program, copy);
  Confinement confinement;
  confinement.scratch = here;
  confinement.file_bytes = kMebi;
  confinement.threads =
      kThreadsOfSanitizer +
      std::max({limits.threads, kFewestThreads, 4 * static_cast<int>(std::thread::hardware_concurrency())});
  confinement.processes = true;
  std::vector<std::string> command{copy};
  command.insert(command.end(), kShapes.begin(), kShapes.end());
  // no limit on memory: the sanitizer reserves terabytes
  const std::map<std::string, std::string> environment{
      {"LC_ALL", "C"},
      {"TSAN_OPTIONS", fmt::format("halt_on_error=1 report_thread_leaks=0 suppress_equal_stacks=0 "
                                   "suppress_equal_addresses=0 report_signal_unsafe=0 hard_rss_limit_mb={}",
                                   limits.memory_mib + kSanitizerMiB)}};
  const auto deadline =
      std::chrono::steady_clock::now() + std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                                             std::chrono::duration<double>(kLongest_s));
  return race_told(run_confined(command, environment, confinement, deadline).output, shared);
}

}  // namespace gemmlab::submissions
