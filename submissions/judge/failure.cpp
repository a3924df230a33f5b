#include "submissions/judge/failure.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <cstring>

#include "submissions/judge/crash_words.h"
#include "submissions/judge/shapes.h"

namespace gemmlab::submissions {
namespace {

// The numbers of cudaError_t, which do not change between releases; named here because the judge has no CUDA.
constexpr int kCudaMemoryAllocation = 2;
constexpr int kCudaIllegalAddress = 700;
constexpr int kCudaLaunchTimeout = 702;
constexpr int kCudaAssert = 710;
constexpr int kCudaMisalignedAddress = 716;

constexpr const char* kMatrix[] = {"A", "B", "C"};

Failure failure(Judged verdict, const char* pattern, std::string explanation, std::string hint) {
  Failure result;
  result.verdict = verdict;
  result.pattern = pattern;
  result.explanation = std::move(explanation);
  result.hint = std::move(hint);
  return result;
}

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

/// A size of over 2⁶³ bytes is a negative number that was taken for one.
std::string asked_for(std::uint64_t bytes) {
  if (bytes <= 1) return "";
  const auto signed_bytes = static_cast<std::int64_t>(bytes);
  if (signed_bytes < 0)
    return fmt::format(
        " ({} bytes asked for at once, which is {} taken for a number without sign: the size overflowed)",
        bytes, signed_bytes);
  return fmt::format(" ({} bytes asked for at once)", bytes);
}

Failure over_memory_limit(std::int64_t limit_bytes, const std::string& where) {
  return failure(Judged::kOutOfMemory, "allocation-failed",
                 fmt::format("It holds more than the {} MiB of memory that the rule allows, {}.",
                             limit_bytes >> 20, where),
                 "solve needs A, B and C and at most some copies of them. Memory that is asked for in each "
                 "call and never "
                 "given back adds up: delete, free, or std::vector.");
}

Failure refused_memory(const Reply& reply, const std::string& where) {
  const std::string asked = asked_for(reply.refused_bytes);
  return failure(
      Judged::kOutOfMemory, "allocation-failed",
      fmt::format("Memory that it asked for was refused{}, {}.", asked, where),
      "solve needs A, B and C and at most some copies of them. Look at the size that is computed for the "
      "allocation (bytes against elements, overflow of int), and check what the call returns.");
}

Instruction code_of(const Reply& reply) {
  Instruction instruction;
  std::memcpy(instruction.bytes, reply.code, sizeof instruction.bytes);
  return instruction;
}

/// A touch of memory round a matrix.
Failure out_of_bounds(const Reply& reply, const std::string& where) {
  const char* matrix = kMatrix[reply.matrix];
  const bool behind = reply.side == Side::kBehind;
  const bool writes = reply.writing == 1;
  const char* pattern = writes ? (behind ? "write-past-end" : "write-before-start")
                               : (behind ? "read-past-end" : "read-before-start");
  // behind: 0 is the first byte after the last element; before: 1 is the last byte in front of the first
  const std::int64_t elements =
      (reply.distance_bytes + (behind ? 0 : 3)) / static_cast<std::int64_t>(sizeof(float)) + (behind ? 1 : 0);
  return failure(Judged::kOutOfBounds, pattern,
                 fmt::format("It {} {} element{} {} {}, {}.",
                             writes               ? "writes"
                             : reply.writing == 0 ? "reads"
                                                  : "touches",
                             elements, elements == 1 ? "" : "s",
                             behind ? "past the end of" : "before the start of", matrix, where),
                 behind
                     ? "Which index is the largest that your loops, or your last thread, can form? Rows and "
                       "columns of the last tile need a guard where M, N or K is not a multiple of the tile."
                     : "Which index is the smallest? Look for a row or column minus one, or for an int that "
                       "overflowed.");
}

Failure of_memory_fault(const Reply& reply, const std::string& where) {
  if (reply.matrix >= 0 && reply.outside_call != 0)
    return failure(
        Judged::kDishonest, "unfinished-work",
        fmt::format("{} was touched while no call of solve was under way, {}.", kMatrix[reply.matrix], where),
        "Everything that solve starts must have ended when it returns: join threads.");
  if (reply.matrix >= 0 && reply.side == Side::kInside)
    return failure(Judged::kIncorrect, "inputs-modified",
                   fmt::format("It writes into {}, {} (element {} of its memory).", kMatrix[reply.matrix],
                               where, reply.distance_bytes / static_cast<std::int64_t>(sizeof(float))),
                   "A and B belong to the caller and are const: work on a copy, or leave the cast away and "
                   "let the compiler say where it happens.");
  if (reply.matrix >= 0) return out_of_bounds(reply, where);
  if (std::strcmp(reply.text, "stack") == 0)
    return failure(Judged::kCrashed, "signal", fmt::format("The stack overflowed, {}.", where),
                   "A large array as a local variable, or recursion without end: take the memory with "
                   "std::vector, or make the array static.");
  if (reply.general_protection != 0 && needs_alignment(code_of(reply)))
    return failure(
        Judged::kCrashed, "misaligned-vector",
        fmt::format("A vector was loaded or stored at an address that is not a multiple of its size, {}.",
                    where),
        "_mm256_load_ps, _mm256_store_ps and the like want addresses that are multiples of 32 bytes, "
        "_mm_load_ps of 16, "
        "_mm512_load_ps of 64. The first rows of A, B and C begin so, the others only where their length is "
        "a multiple, "
        "too: use _mm256_loadu_ps and _mm256_storeu_ps, which are as fast where the address fits.");
  const std::string address = reply.general_protection != 0
                                  ? "an address that no memory can have"
                                  : fmt::format("address {:#x}", reply.distance_bytes);
  return failure(
      Judged::kCrashed, "signal",
      fmt::format("Segmentation fault, {}: {}, far from A, B and C.", where, address),
      "A buffer of your own that is too small for this shape, a pointer that was never set, an index that "
      "overflowed, or memory that was given back.{gpu: Host code must not read device pointers.}");
}

Failure illegal_instruction(const Reply& reply, const std::string& where) {
  const std::string kind = illegal_kind(code_of(reply), this_processor());
  if (kind == "trap")
    return failure(
        Judged::kCrashed, "signal", fmt::format("It ran into a place that must not be reached, {}.", where),
        "The compiler puts a trap where a function that returns a value ends without return, and where "
        "__builtin_trap or __builtin_unreachable stands.");
  const std::string lacks = kind.empty() ? "does not know this instruction" : fmt::format("lacks {}", kind);
  return failure(
      Judged::kCrashed, "illegal-instruction",
      fmt::format("Illegal instruction, {}: this CPU {}.", where, lacks),
      "The file is compiled for the CPU of this machine; __attribute__((target(...))), a #pragma GCC target "
      "or "
      "asm can ask for more than it has. Ask __builtin_cpu_supports before such a function is called.");
}

Failure of_signal(int number, const Reply& reply, const std::string& where, const std::string& printed) {
  if (reply.refused_bytes != 0) return refused_memory(reply, where);
  if (number == SIGSYS)
    return failure(
        Judged::kCrashed, "started-process",
        fmt::format("It tried to start a process (system call {}), {}.", reply.distance_bytes, where),
        "A submission may start threads (OpenMP, std::thread) but no processes: no fork, system or popen.");
  if (number == SIGSEGV || number == SIGBUS) return of_memory_fault(reply, where);
  if (number == SIGILL) return illegal_instruction(reply, where);
  if (const auto word = said_by_library(printed); word && number == SIGABRT)
    return failure(Judged::kCrashed, word->pattern,
                   fmt::format("{}, {}.{}", word->explanation, where, quoted(printed)), word->hint);
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
  int signal_number = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  // a program in between reports its child's signal so
  if (WIFEXITED(status) && WEXITSTATUS(status) > 128) signal_number = WEXITSTATUS(status) - 128;
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
  return failure(Judged::kCrashed, "exit",
                 fmt::format("It ended the process with exit status {}, {}.{}", WEXITSTATUS(status), where,
                             quoted(printed)),
                 "solve must return: no exit(), not even after an error.");
}

Failure of_device_error(const Reply& reply, const std::string& where) {
  const std::string said = fmt::format("CUDA error {} ({}), {}.", reply.number, reply.text, where);
  switch (reply.number) {
    case kCudaMemoryAllocation:
      return refused_memory(reply, where);
    case kCudaIllegalAddress:
      if (reply.refused_bytes != 0) return refused_memory(reply, where);
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
      if (reply.said == Said::kFault) found = of_signal(reply.number, reply, where, printed);
      if (reply.said == Said::kDeviceError) found = of_device_error(reply, where);
      if (reply.said == Said::kRefused)
        found = failure(Judged::kBuildFailed, "not-loaded",
                        fmt::format("The library cannot be loaded: {}.", reply.text),
                        "A name that nothing defines, or no function solve.");
      if (reply.said == Said::kException)
        found =
            reply.refused_bytes != 0
                ? refused_memory(reply, where)
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

Failure unfinished(const Shape& shape) {
  Failure result =
      failure(Judged::kDishonest, "unfinished-work",
              fmt::format("C went on changing after solve had returned, at {}.", in_students_words(shape)),
              "Wait for what you start: join threads{gpu:; cudaStreamSynchronize for every stream but the "
              "default one, "
              "whose work is waited for}.");
  result.shape = shape;
  return result;
}

}  // namespace gemmlab::submissions
