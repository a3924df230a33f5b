#include "submissions/build/build.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <stdexcept>
#include <thread>

#include "core/records/sha256.h"
#include "emulator/rewrite/rewrite.h"
#include "submissions/build/commands.h"
#include "submissions/build/emulate.h"
#include "submissions/build/files.h"
#include "submissions/build/kernels.h"
#include "submissions/build/messages.h"
#include "submissions/build/nvcc_errors.h"
#include "submissions/build/refusals.h"
#include "submissions/build/run.h"
#include "submissions/build/symbols.h"
#include "submissions/build/thread_program.h"

namespace fs = std::filesystem;

namespace gemmlab::submissions {
namespace {

constexpr std::int64_t kMiB = 1 << 20;
// What a compiler needs whatever solve itself may use.
constexpr std::int64_t kLeastBuildMiB = 4096;
constexpr std::int64_t kLeastFileMiB = 64;
constexpr int kLeastBuildThreads = 64;

Confinement confinement_for(const Limits& limits, const Toolchain& tools, const std::string& scratch) {
  Confinement confinement;
  confinement.scratch = scratch;
  confinement.memory_bytes = std::max(limits.memory_mib, kLeastBuildMiB) * kMiB;
  confinement.file_bytes = std::max(limits.file_mib, kLeastFileMiB) * kMiB;
  const int processors = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  confinement.threads =
      std::max(limits.threads > 0 ? limits.threads : 4 * processors + 16, kLeastBuildThreads);
  confinement.processes = true;
  for (const std::string& program : {tools.cxx, tools.nvcc, tools.cuobjdump}) {
    std::error_code error;
    const fs::path root = fs::canonical(program, error).parent_path().parent_path();
    if (!error && root != root.root_path() && root != "/usr") confinement.readable.push_back(root.string());
  }
  return confinement;
}

/// One build, step by step; a step that fails has named the reason.
class Builder {
 public:
  Builder(const Submission& submission, const Rule& rule, const std::string& scratch, const GpuTarget& target)
      : submission_(submission),
        rule_(rule),
        scratch_(fs::canonical(scratch).string()),
        target_(target),
        gpu_(submission.device.cuda),
        wanted_(signature(rule.solve, gpu_)),
        emulated_(gpu_ && target.emulated),
        native_(!gpu_ || target.device) {}

  Build run() {
    const auto begin = start();
    if (!submission_.refused.empty()) {
      refuse(result_, submission_.refused, "hand in the text of your kernel, as one file");
      return std::move(result_);
    }
    find_tools();
    result_.ok = copied() && (!native_ || native()) && (native_ || tools_.nvcc.empty() || heard_nvcc()) &&
                 (!emulated_ || emulated());
    result_.command = native_ || heard_ ? shown_command(submission_, target_.cuda_arch, separately_)
                                        : shown_emulation_command(submission_);
    result_.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    return std::move(result_);
  }

  /// What the kernels are on the target's card, where everything that it takes is here.
  CardCode card_code() {
    start();
    find_tools();
    if (tools_.nvcc.empty() || tools_.cuobjdump.empty() || !copied()) return {};
    const std::string cubin = scratch_ + "/card.cubin";
    const Finished made = compiled(cubin_command(tools_, files_, target_.cuda_arch, cubin));
    const Finished listed = made.ok() ? confined({tools_.cuobjdump, "-sass", cubin}) : made;
    std::error_code ignored;
    fs::remove(cubin, ignored);
    if (!listed.ok() || listed.output.size() >= kMostOutput) return {};
    return {parse_kernels(made.output), listed.output};
  }

 private:
  std::chrono::steady_clock::time_point start() {
    const auto begin = std::chrono::steady_clock::now();
    deadline_ = begin + std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                            std::chrono::duration<double>(rule_.limits.build_s));
    return begin;
  }

  void find_tools() {
    tools_ = find_toolchain(submission_.device);
    if (gpu_ && native_ && tools_.nvcc.empty()) {
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
    text_ = read_regular(submission_.path, kLargestSource);
    if (text_.empty() || sha256(text_) != submission_.sha256) {
      refuse(result_, "the file changed or went away while it was judged", "hand it in again");
      return false;
    }
    files_ = lay_out(submission_, text_, scratch_, rule_.solve);
    confinement_ = confinement_for(rule_.limits, tools_, scratch_);
    return true;
  }

  Finished confined(const std::vector<std::string>& command) {
    return run_confined(command, build_environment(tools_, scratch_), confinement_, deadline_);
  }

  /// Once more as code of its own parts where nvcc asks for that: kernels that launch kernels need it.
  Finished compiled(std::vector<std::string> command) {
    Finished finished = confined(command);
    if (finished.output.find("requires separate compilation mode") == std::string::npos) return finished;
    separately_ = true;
    command.insert(command.begin() + 1, kSeparately);
    return confined(command);
  }

  bool in_time(const Finished& finished) {
    if (finished.timed_out) {
      refuse(result_, fmt::format("the compiler took over {:g} s", rule_.limits.build_s),
             "does a template or a constexpr function never end? Else: fewer and smaller templates and "
             "unrolled loops");
    }
    return !finished.timed_out;
  }

  bool shim_compiled(bool emulated) {
    const Finished shim = confined(shim_command(tools_, files_, submission_.device, emulated));
    if (!in_time(shim)) return false;
    if (!shim.ok()) {  // nothing that a student wrote was read so far
      throw std::runtime_error(
          fmt::format("{}: our own few lines do not compile: {}", tools_.cxx, last_line(shim.output)));
    }
    return true;
  }

  /// As it runs on the submission's own device.
  bool native() {
    if (!shim_compiled(false) ||
        !accepted(compiled(build_command(tools_, files_, submission_.device, target_.cuda_arch))) ||
        !exports_solve(files_.library))
      return false;
    heard_ = gpu_;
    result_.library = files_.library;
    const bool threads = text_.find("omp ") != std::string::npos || text_.find("thread") != std::string::npos;
    const std::string plain = scratch_ + "/plain.so";
    // what g++ refuses without optimisation, some intrinsics, is no fault
    if (!gpu_ && threads && confined(plain_command(tools_, files_, plain)).ok()) {
      result_.plain_library = plain;
      watch_threads();
    }
    return true;
  }

  void watch_threads() {
    if (!thread_order_is_seen(text_)) return;
    const std::string hand_in = scratch_ + "/" + kWatchedName, source = scratch_ + "/threads.cpp",
                      program = scratch_ + "/threads";
    write_readable(hand_in, text_);
    write_readable(source, thread_program());
    const auto commands = thread_program_commands(tools_, files_, hand_in, source, program);
    if (std::all_of(commands.begin(), commands.end(), [&](const auto& one) { return confined(one).ok(); }))
      result_.thread_program = program;
  }

  /// What nvcc says of code that it need not link. One that does not work here is not heard: g++ does the rest.
  bool heard_nvcc() {
    files_.emulated_object = scratch_ + "/heard.o";
    const Finished finished = compiled(nvcc_check_command(tools_, files_, target_.cuda_arch));
    const auto messages = parse_messages(
        without_scratch(finished.output, scratch_, files_.source, submission_.name), submission_.name);
    heard_ = finished.ok() || finished.timed_out ||
             std::any_of(messages.begin(), messages.end(),
                         [](const CompilerMessage& message) { return message.line > 0; });
    return !heard_ || accepted(finished);
  }

  bool accepted(const Finished& finished) {
    const std::string output = without_scratch(finished.output, scratch_, files_.source, submission_.name);
    if (output.find(fmt::format("gemmlab_signature.h:3:2: error: #error {}", kNoFloat16)) !=
        std::string::npos)
      throw CannotBeJudged(fmt::format("{} cannot be compiled here: {}; g++ has it from version 12 on",
                                       submission_.name, kNoFloat16));
    result_.messages = parse_messages(output, submission_.name);
    name_signature_conflicts(result_.messages);
    result_.kernels = parse_kernels(output);
    note_unset(result_.messages);
    if (!in_time(finished) || refuses_included(result_.messages)) return false;
    if (refuse_by_message(result_, said_by(finished, output), wanted_)) return false;
    return output.find("Compiling entry function 'solve'") == std::string::npos || refuse_kernel();
  }

  void note_unset(const std::vector<CompilerMessage>& messages) {
    for (const CompilerMessage& one : messages) {
      const bool unset = one.text.find("used uninitialized") != std::string::npos ||
                         one.text.find("used before its value is set") != std::string::npos;
      if (unset && one.line > 0) result_.unset.push_back(one);
    }
  }

  bool refuses_included(const std::vector<CompilerMessage>& messages) {
    std::vector<std::string> own = toolchain_folders();
    own.insert(own.end(), confinement_.readable.begin(), confinement_.readable.end());
    own.push_back(scratch_);
    return refuse_headers(result_, messages, rule_, files_, scratch_) ||
           refuse_foreign_files(result_, files_, own, scratch_);
  }

  /// What a compiler that failed said last.
  static std::string said_by(const Finished& finished, const std::string& output) {
    const std::string said = last_line(output);
    return finished.ok() ? "" : "the compiler failed" + (said.empty() ? "" : ": " + said);
  }

  bool refuse_kernel() {
    refuse(result_, "solve is a kernel (__global__)",
           fmt::format("solve runs on the CPU and launches kernels: write {} without __global__, and a "
                       "kernel under another name",
                       wanted_));
    return false;
  }

  /// As the emulator runs it. What g++ refuses although nvcc takes it is no fault of the student's.
  bool emulated() {
    if (solve_is_a_kernel(text_)) return refuse_kernel();
    if (!heard_) {
      if (const auto error = nvcc_error(text_)) {
        result_.messages.push_back({"error", error->line, 0, error->text});
        return !refuse_by_message(result_, "", wanted_);
      }
    }
    const std::string rewritten = emulation::rewrite(text_).text;
    lay_out_emulation(files_, rewritten, scratch_);
    if (!shim_compiled(true)) return false;
    Finished finished = confined(emulation_compile_command(tools_, files_));
    const bool is_compiled = finished.ok();
    const std::string compiler_said = finished.output;
    if (is_compiled) finished = confined(emulation_link_command(tools_, files_));
    clear_emulation(files_);
    if (!in_time(finished)) return false;
    const std::string output = without_scratch(compiler_said + (is_compiled ? finished.output : ""), scratch_,
                                               files_.emulated_source, submission_.name);
    std::vector<CompilerMessage> messages = parse_messages(output, submission_.name);
    if (refuses_included(messages)) return false;
    result_.not_emulated = cannot_be_emulated(messages, rewritten);
    if (!result_.not_emulated.empty()) return true;
    note_unset(messages);
    name_signature_conflicts(messages);
    put_in_cuda_words(messages);
    if (const CompilerMessage* error = first_error(messages); error != nullptr && heard_ && !is_compiled) {
      result_.not_emulated =
          fmt::format("line {}: nvcc takes it, the emulator does not: {}", error->line, error->text);
      return true;
    }
    if (!heard_ || !finished.ok()) result_.messages = messages;
    if (refuse_by_message(result_, said_by(finished, output), wanted_)) return false;
    if (!exports_solve(files_.emulated_library)) return false;
    result_.emulated_library = files_.emulated_library;
    result_.emulated_source = fs::path(files_.emulated_source).filename();
    return true;
  }

  bool exports_solve(const std::string& library) {
    const Finished finished = confined({tools_.nm, "-D", "--defined-only", library});
    if (!in_time(finished)) return false;
    const SymbolFault fault = finished.ok()
                                  ? check_symbols(finished.output, wanted_)
                                  : SymbolFault{"the library cannot be read", last_line(finished.output)};
    if (!fault.reason.empty()) refuse(result_, fault.reason, fault.hint);
    return fault.reason.empty();
  }

  const Submission& submission_;
  const Rule& rule_;
  const std::string scratch_;
  const GpuTarget& target_;
  const bool gpu_;
  const std::string wanted_;  ///< solve's signature
  const bool emulated_;       ///< for the emulator ...
  const bool native_;         ///< ... or for the submission's own device, or both
  bool heard_ = false;        ///< has nvcc taken it?
  bool separately_ = false;   ///< with kSeparately
  std::chrono::steady_clock::time_point deadline_;
  Toolchain tools_;
  std::string text_;
  BuildFiles files_;
  Confinement confinement_;
  Build result_;
};

}  // namespace

Build build(const Submission& submission, const Rule& rule, const std::string& scratch,
            const GpuTarget& target) {
  return Builder(submission, rule, scratch, target).run();
}

CardCode card_code(const Submission& submission, const Rule& rule, const std::string& scratch,
                   const std::string& cuda_arch) {
  return Builder(submission, rule, scratch, {cuda_arch, false, false}).card_code();
}

}  // namespace gemmlab::submissions
