#include "submissions/judge/failures/failure.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstring>
#include <set>

#include "submissions/judge/failures/crash_words.h"
#include "submissions/judge/failures/memory_failure.h"
#include "submissions/solve_shape.h"

namespace gemmlab::submissions {
namespace {

// The numbers of cudaError_t, which do not change between releases; named here because the judge has no CUDA.
constexpr int kCudaMemoryAllocation = 2;
constexpr int kCudaIllegalAddress = 700;
constexpr int kCudaLaunchTimeout = 702;
constexpr int kCudaAssert = 710;
constexpr int kCudaMisalignedAddress = 716;

constexpr const char* kFewerThreads =
    "Start as many threads as there are processors (the default of OpenMP), once; the rule says how many are "
    "allowed.";

bool no_more_threads(const std::string& printed) {
  return printed.find("Resource temporarily unavailable") != std::string::npos ||
         printed.find("Thread creation failed") != std::string::npos;
}

/// What it printed last, for a sentence: on one line, without control characters.
std::string quoted(const std::string& printed) {
  constexpr std::size_t kMost = 300;
  std::string text = printed.size() > kMost ? printed.substr(printed.size() - kMost) : printed;
  for (char& letter : text) letter = static_cast<unsigned char>(letter) < ' ' ? ' ' : letter;
  while (!text.empty() && text.back() == ' ') text.pop_back();
  return text.empty() ? std::string() : fmt::format(" It printed: \"{}\"", text);
}

std::string when(Phase phase, const Shape& shape) {
  return phase == Phase::kLoading ? "while the library was loaded, before any call of solve"
                                  : "at " + in_students_words(shape);
}

Failure of_word(const LibraryWord& word, const std::string& where, const std::string& printed) {
  return failure(Judged::kCrashed, word.pattern,
                 fmt::format("{}, {}.{}", word.explanation, where, quoted(printed)), word.hint);
}

Failure illegal_instruction(const Reply& reply, const std::string& where) {
  const std::string kind = illegal_kind(code_of(reply), this_processor());
  if (kind == "trap")
    return failure(Judged::kCrashed, "signal",
                   fmt::format("It ran into a place that must not be reached, {}.", where),
                   "The compiler puts a trap where a function that returns a value ends without return, and "
                   "where __builtin_trap or __builtin_unreachable stands.");
  const std::string lacks = kind.empty() ? "does not know this instruction" : fmt::format("lacks {}", kind);
  return failure(
      Judged::kCrashed, "illegal-instruction",
      fmt::format("Illegal instruction, {}: this CPU {}.", where, lacks),
      "The file is compiled for the CPU of this machine; __attribute__((target(...))), a #pragma GCC target "
      "or asm can ask for more than it has. Ask __builtin_cpu_supports before such a function is called.");
}

Failure of_signal(const CallEnd& end, const std::string& where, const std::string& printed) {
  const Reply& reply = end.reply;
  const int number = reply.number;
  if (reply.refused_bytes != 0) return refused_memory(reply, end.memory_limit_bytes, where);
  if (number == SIGSYS)
    return failure(
        Judged::kCrashed, "started-process",
        fmt::format("It tried to start a process (system call {}), {}.", reply.distance_bytes, where),
        "A submission may start threads (OpenMP, std::thread) but no processes: no fork, system or popen.");
  if (number == SIGSEGV || number == SIGBUS) return of_memory_fault(reply, where);
  if (number == SIGILL) return illegal_instruction(reply, where);
  if (const auto word = said_by_library(printed); word && number == SIGABRT)
    return of_word(*word, where, printed);
  if (const auto word = said_of_cuda(printed); word && number == SIGABRT)
    return of_word(*word, where, printed);
  const bool terminated = printed.find("terminate called") != std::string::npos;
  if (number == SIGABRT && terminated)
    return failure(
        Judged::kCrashed, "exception",
        fmt::format("An exception was not caught, {}: {}", where, printed.substr(0, printed.find("\n\n"))),
        no_more_threads(printed) ? kFewerThreads
                                 : "Find what throws; solve itself must not end by an exception.");
  return failure(Judged::kCrashed, "signal",
                 fmt::format("{} (signal {}), {}.{}", strsignal(number), number, where, quoted(printed)),
                 number == SIGFPE
                     ? "A division of integers by zero, as a dimension divided by a tile of size 0."
                 : number == SIGABRT ? "abort() or a failed assertion."
                                     : "Run it under a debugger at this shape.");
}

Failure of_death(const CallEnd& end, const std::string& where, const std::string& printed) {
  const int status = end.wait_status;
  const int signal_number = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  if (signal_number != 0)
    return failure(
        Judged::kCrashed, "signal",
        fmt::format("The process was ended by signal {} ({}), {}.{}", signal_number, strsignal(signal_number),
                    where, quoted(printed)),
        "Run it under a debugger at this shape. A large array on the stack of a thread ends so, too.");
  if (no_more_threads(printed))
    return failure(Judged::kCrashed, "exit",
                   fmt::format("The limit on threads was reached, {}.{}", where, quoted(printed)),
                   kFewerThreads);
  if (const auto word = said_of_cuda(printed)) return of_word(*word, where, printed);
  return failure(Judged::kCrashed, "exit",
                 fmt::format("It ended the process with exit status {}, {}.{}", WEXITSTATUS(status), where,
                             quoted(printed)),
                 "solve must return: no exit(), not even after an error.");
}

Failure of_device_error(const Reply& reply, const std::string& where) {
  const std::string said = fmt::format("CUDA error {} ({}), {}.", reply.number, reply.text, where);
  switch (reply.number) {
    case 0:  // the card has forgotten the error, and everything else with it
      return failure(Judged::kCrashed, "device-error", fmt::format("The GPU's context was lost, {}.", where),
                     "cudaDeviceReset and the like take everybody's memory away: solve frees what it asked "
                     "for, and nothing else.");
    case kCudaMemoryAllocation:
      return refused_memory(reply, 0, where);
    case kCudaIllegalAddress:
      if (reply.refused_bytes != 0) return refused_memory(reply, 0, where);
      return failure(Judged::kOutOfBounds, "illegal-address", said,
                     "A thread reads or writes outside every allocation: guard row < M and column < K, and "
                     "the inner index < N. `--sanitize` names the line.");
    case kCudaLaunchTimeout:
      return failure(Judged::kTimeout, "too-slow", said,
                     "The kernel does not end: look at the loop's condition.");
    case kCudaAssert:
      return failure(Judged::kCrashed, "signal", said, "An assert in the kernel failed.");
    case kCudaMisalignedAddress:
      return failure(Judged::kCrashed, "misaligned-address", said,
                     "A float4 is read from an address that is not a multiple of 16 bytes: rows begin at "
                     "multiples of 16 bytes only where their length is a multiple of 4.");
    default:
      return failure(
          Judged::kCrashed, "device-error", said,
          "The GPU, or its context, could not be used after this call. `--sanitize` may name the line.");
  }
}

}  // namespace

const char* to_string(Judged judged) {
  return kVerdictWords[static_cast<int>(judged)];
}

namespace {

/// What is seen of many causes: an access beyond an array, a number of CUDA's.
bool is_general(const Failure& failure) {
  static const std::set<std::string> kGeneral = {"read-past-end",      "write-past-end",  "read-before-start",
                                                 "write-before-start", "illegal-address", "device-error",
                                                 "index-beyond-array"};
  return kGeneral.count(failure.pattern) > 0;
}

/// What explains such accesses, and errors.
bool is_cause(const Failure& failure) {
  static const std::set<std::string> kCauses = {
      "barrier-divergence",  "too-much-shared", "launch-refused",      "elements-for-bytes",
      "same-shared-address", "wrong-dimension", "transposed-operands", "transposed-a",
      "transposed-b",        "column-major"};
  return kCauses.count(failure.pattern) > 0;
}

}  // namespace

void most_telling_first(std::vector<Failure>& failures) {
  std::stable_sort(failures.begin(), failures.end(),
                   [](const Failure& one, const Failure& other) { return one.verdict > other.verdict; });
  if (failures.empty() || !is_general(failures.front())) return;
  const auto cause = std::find_if(failures.begin(), failures.end(), is_cause);
  if (cause != failures.end()) std::rotate(failures.begin(), cause, cause + 1);
}

Judged worst_of(const std::vector<Failure>& failures) {
  Judged worst = Judged::kCorrect;
  for (const Failure& one : failures) worst = std::max(worst, one.verdict);
  return worst;
}

std::optional<Failure> failure_of(const CallEnd& end, Phase phase, const Shape& shape, double limit_s,
                                  const std::string& printed) {
  const std::string where = when(phase, shape);
  const Reply& reply = end.reply;
  std::optional<Failure> found;
  switch (end.how) {
    case CallEnd::How::kLate:
      found = failure(
          Judged::kTimeout, "too-slow", fmt::format("No end after {:g} s, {}.", limit_s, where),
          "A loop that does not end, threads that wait for each other, or far too much work for this size.");
      break;
    case CallEnd::How::kTooMuchMemory:
      found = over_memory_limit(end.memory_limit_bytes, where);
      break;
    case CallEnd::How::kTooMuchDisk:
      found = failure(Judged::kCrashed, "too-many-files",
                      fmt::format("Its files took more room than all may take together, {}.", where),
                      "solve has no need of files: A, B and C are in memory.");
      break;
    case CallEnd::How::kUnasked:
      found = failure(Judged::kDishonest, "forged-time",
                      fmt::format("It answered in the place of the judge's own code, {}.", where),
                      "Only C and the time count.");
      break;
    case CallEnd::How::kWorkedInTurnOfOthers:
      found = failure(Judged::kDishonest, "forged-time",
                      fmt::format("It worked while it was not its turn, {}.", where),
                      "Only what happens between the call of solve and its return is solve's time.");
      break;
    case CallEnd::How::kDied:
      found = of_death(end, where, printed);
      break;
    case CallEnd::How::kAnswered:
      if (reply.said == Said::kFault) found = of_signal(end, where, printed);
      if (reply.said == Said::kDeviceError) found = of_device_error(reply, where);
      if (reply.said == Said::kRefused)
        found = failure(Judged::kBuildFailed, "not-loaded",
                        fmt::format("The library cannot be loaded: {}.", reply.text),
                        "A name that nothing defines, or no function solve.");
      if (reply.said == Said::kException)
        found =
            reply.refused_bytes != 0
                ? refused_memory(reply, end.memory_limit_bytes, where)
                : failure(
                      Judged::kCrashed, "exception",
                      fmt::format("solve threw an exception, {}: {}.", where, reply.text),
                      std::strstr(reply.text, "Resource temporarily unavailable") != nullptr
                          ? "The limit on threads was reached: start as many as there are processors, once."
                          : "Find what throws; solve itself must not end by an exception.");
      if (reply.said == Said::kReturned && reply.side != Side::kNone) found = out_of_bounds(reply, where);
      if (reply.said == Said::kReturned && reply.changed_later != 0 && !found) found = unfinished(shape);
      break;
  }
  if (found && phase != Phase::kLoading && !found->shape) found->shape = shape;
  return found;
}

std::optional<Failure> failure_of(const std::vector<MappedCode>& foreign) {
  if (foreign.empty()) return {};
  const MappedCode& first = foreign.front();
  if (first.file.empty())
    return failure(Judged::kDishonest, "made-code", "It made memory executable at run time.",
                   "What runs has to be what was handed in and compiled.");
  return failure(Judged::kDishonest, "opened-library",
                 fmt::format("It opened a file with code at run time: {}.", first.name),
                 "The product has to be computed by the submitted code.");
}

Failure left_work_on_card(const Shape& shape) {
  Failure result = failure(
      Judged::kDishonest, "forged-time",
      fmt::format("It kept the GPU at work while it was not its turn, at {}.", in_students_words(shape)),
      "No kernel may run on once solve's work is done: the times of others would suffer.");
  result.shape = shape;
  return result;
}

Failure unfinished(const Shape& shape) {
  Failure result =
      failure(Judged::kDishonest, "unfinished-work",
              fmt::format("C went on changing after solve had returned, at {}.", in_students_words(shape)),
              "Wait for what you start: join threads{gpu:; cudaStreamSynchronize for every stream but the "
              "default one, whose work is waited for}.");
  result.shape = shape;
  return result;
}

}  // namespace gemmlab::submissions
