#include "submissions/build/build.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <sstream>
#include <stdexcept>
#include <thread>

#include "core/point.h"
#include "submissions/build/commands.h"
#include "submissions/build/files.h"
#include "submissions/build/headers.h"
#include "submissions/build/kernels.h"
#include "submissions/build/messages.h"
#include "submissions/build/run.h"
#include "submissions/build/symbols.h"

namespace fs = std::filesystem;

namespace gemmlab::submissions {
namespace {

constexpr std::uintmax_t kLargestDependencies = 16 << 20;
constexpr std::int64_t kMiB = 1 << 20;
// What a compiler needs whatever solve itself may use.
constexpr std::int64_t kLeastBuildMiB = 4096;
constexpr std::int64_t kLeastFileMiB = 64;
constexpr int kLeastBuildThreads = 64;

constexpr const char* kSignatureText = "solve has another signature than the one asked for";

Confinement confinement_for(const Limits& limits, const Toolchain& tools, const std::string& scratch) {
  Confinement confinement;
  confinement.scratch = scratch;
  confinement.memory_bytes = std::max(limits.memory_mib, kLeastBuildMiB) * kMiB;
  confinement.file_bytes = std::max(limits.file_mib, kLeastFileMiB) * kMiB;
  const int processors = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  confinement.threads =
      std::max(limits.threads > 0 ? limits.threads : 4 * processors + 16, kLeastBuildThreads);
  confinement.processes = true;
  for (const std::string& program : {tools.cxx, tools.nvcc}) {
    std::error_code error;
    const fs::path root = fs::canonical(program, error).parent_path().parent_path();
    if (!error && root != root.root_path() && root != "/usr") confinement.readable.push_back(root.string());
  }
  return confinement;
}

/// A solve that our own declaration contradicts is an error in our words.
void name_signature_conflicts(std::vector<CompilerMessage>& messages) {
  std::vector<CompilerMessage> kept;
  for (CompilerMessage& message : messages) {
    const bool gcc = message.text.find("conflicting C language linkage") != std::string::npos &&
                     message.text.find("solve(") != std::string::npos;
    const bool nvcc = message.text.find("\"gemmlab_expected::solve\" has \"C\" linkage") != std::string::npos;
    if (gcc || nvcc) {
      message.kind = "error";
      message.text = kSignatureText;
      const bool known = std::any_of(kept.begin(), kept.end(), [&](const CompilerMessage& other) {
        return other.text == message.text && other.line == message.line;
      });
      if (known) continue;
    }
    kept.push_back(std::move(message));
  }
  messages = std::move(kept);
}

std::string last_line(const std::string& output) {
  std::istringstream lines(output);
  std::string last;
  for (std::string line; std::getline(lines, line);) {
    if (line.find_first_not_of(" \t\r") != std::string::npos) last = line.substr(0, 300);
  }
  return last;
}

void refuse(Build& result, const std::string& reason, const std::string& hint) {
  result.ok = false;
  result.reason = reason;
  result.hint = hint;
}

/// The first error becomes the reason; without one, `otherwise` does. True where there is a reason now.
bool refuse_by_message(Build& result, const std::string& otherwise) {
  if (const CompilerMessage* error = first_error(result.messages)) {
    const std::string text = error->text;
    const std::string hint = text == kSignatureText
                                 ? fmt::format("write {}, with just these types", wanted_signature())
                                 : hint_for(text);
    refuse(result, error->line > 0 ? fmt::format("line {}: {}", error->line, text) : text, hint);
    return true;
  }
  if (otherwise.empty()) return false;
  refuse(result, otherwise, hint_for(otherwise));
  return true;
}

/// Headers that the rule forbids, whether this machine has them or not.
bool refuse_headers(Build& result, const Rule& rule, const BuildFiles& files, const std::string& scratch) {
  std::string header =
      forbidden_header(parse_dependencies(read_regular(files.dependencies, kLargestDependencies)),
                       rule.forbidden_headers, scratch);
  for (const CompilerMessage& message : result.messages) {
    if (header.empty()) header = forbidden_header({header_not_found(message)}, rule.forbidden_headers, "");
  }
  if (header.empty()) return false;
  refuse(result, fmt::format("it includes {}, which the rule forbids", header),
         "write the multiplication yourself, without a library that does it");
  return true;
}

/// One build, step by step; a step that fails has named the reason.
class Builder {
 public:
  Builder(const Submission& submission, const Rule& rule, const std::string& scratch,
          const std::string& cuda_arch)
      : submission_(submission),
        rule_(rule),
        scratch_(fs::canonical(scratch).string()),
        cuda_arch_(cuda_arch) {}

  Build run() {
    const auto begin = std::chrono::steady_clock::now();
    deadline_ = begin + std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                            std::chrono::duration<double>(rule_.limits.build_s));
    result_.command = shown_command(submission_, cuda_arch_);
    find_tools();
    result_.ok = copied() && compiled() && exports_solve();
    if (result_.ok) result_.library = files_.library;
    result_.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    return std::move(result_);
  }

 private:
  void find_tools() {
    tools_ = find_toolchain(submission_.device);
    if (submission_.device == Device::kGpu && tools_.nvcc.empty()) {
      throw CannotBeJudged(submission_.name +
                           " cannot be compiled here, nvcc was not found: install the CUDA toolkit, or put "
                           "its folder bin on PATH; a .cpp file for the CPU needs none");
    }
    if (tools_.cxx.empty() || tools_.nm.empty()) {
      throw CannotBeJudged(
          fmt::format("{} cannot be compiled here, {} was not found: install a compiler (Debian, Ubuntu: apt "
                      "install g++)",
                      submission_.name, tools_.cxx.empty() ? "g++" : "nm"));
    }
  }

  bool copied() {
    const std::string text = read_regular(fs::weakly_canonical(submission_.path).string(), kLargestSource);
    if (text.empty() || sha256(text) != submission_.sha256) {
      refuse(result_, "the file changed or went away while it was judged", "hand it in again");
      return false;
    }
    files_ = lay_out(submission_, text, scratch_);
    confinement_ = confinement_for(rule_.limits, tools_, scratch_);
    return true;
  }

  Finished confined(const std::vector<std::string>& command) {
    return run_confined(command, build_environment(tools_, scratch_), confinement_, deadline_);
  }

  bool in_time(const Finished& finished) {
    if (finished.timed_out) {
      refuse(
          result_, fmt::format("the compiler took over {:g} s", rule_.limits.build_s),
          "does a template or a constexpr function never end? Else: fewer and smaller templates and unrolled "
          "loops");
    }
    return !finished.timed_out;
  }

  bool compiled() {
    const Finished shim = confined(shim_command(tools_, files_, submission_.device));
    if (!in_time(shim)) return false;
    if (!shim.ok()) {  // nothing that a student wrote was read so far
      throw std::runtime_error(
          fmt::format("{}: our own few lines do not compile: {}", tools_.cxx, last_line(shim.output)));
    }
    const Finished finished = confined(build_command(tools_, files_, submission_.device, cuda_arch_));
    const std::string output = without_scratch(finished.output, scratch_, files_.source, submission_.name);
    result_.messages = parse_messages(output, submission_.name);
    name_signature_conflicts(result_.messages);
    result_.kernels = parse_kernels(output);
    if (!in_time(finished) || refuse_headers(result_, rule_, files_, scratch_)) return false;
    const std::string said = last_line(output);
    const std::string otherwise =
        finished.ok() ? "" : "the compiler failed" + (said.empty() ? "" : ": " + said);
    if (refuse_by_message(result_, otherwise)) return false;
    if (output.find("Compiling entry function 'solve'") == std::string::npos) return true;
    refuse(
        result_, "solve is a kernel (__global__)",
        fmt::format("solve runs on the CPU and launches kernels: write {} without __global__, and a kernel "
                    "under another name",
                    wanted_signature()));
    return false;
  }

  bool exports_solve() {
    const Finished finished = confined({tools_.nm, "-D", "--defined-only", files_.library});
    if (!in_time(finished)) return false;
    const SymbolFault fault = finished.ok()
                                  ? check_symbols(finished.output)
                                  : SymbolFault{"the library cannot be read", last_line(finished.output)};
    if (!fault.reason.empty()) refuse(result_, fault.reason, fault.hint);
    return fault.reason.empty();
  }

  const Submission& submission_;
  const Rule& rule_;
  const std::string scratch_;
  const std::string& cuda_arch_;
  std::chrono::steady_clock::time_point deadline_;
  Toolchain tools_;
  BuildFiles files_;
  Confinement confinement_;
  Build result_;
};

}  // namespace

Build build(const Submission& submission, const Rule& rule, const std::string& scratch,
            const std::string& cuda_arch) {
  return Builder(submission, rule, scratch, cuda_arch).run();
}

}  // namespace gemmlab::submissions
