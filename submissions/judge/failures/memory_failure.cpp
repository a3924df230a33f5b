#include "submissions/judge/failures/memory_failure.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace gemmlab::submissions {
namespace {

constexpr const char* kMatrix[] = {"A", "B", "C"};

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

}  // namespace

Failure failure(Judged verdict, const char* pattern, std::string explanation, std::string hint) {
  Failure result;
  result.verdict = verdict;
  result.pattern = pattern;
  result.explanation = std::move(explanation);
  result.hint = std::move(hint);
  return result;
}

Failure over_memory_limit(std::int64_t limit_bytes, const std::string& where) {
  return failure(Judged::kOutOfMemory, "allocation-failed",
                 fmt::format("It holds more than the {} MiB of memory that the rule allows, {}.",
                             limit_bytes >> 20, where),
                 "solve needs A, B and C and at most some copies of them. Memory that is asked for in each "
                 "call and never given back adds up: delete, free, or std::vector.");
}

Failure refused_memory(const Reply& reply, std::int64_t limit_bytes, const std::string& where) {
  const std::string asked = asked_for(reply.refused_bytes);
  const std::string limit =
      limit_bytes > 0
          ? fmt::format("{{cpu: The rule allows it {} MiB in all, besides A, B and C.}}", limit_bytes >> 20)
          : "";
  return failure(Judged::kOutOfMemory, "allocation-failed",
                 fmt::format("Memory that it asked for was refused{}, {}.{}", asked, where, limit),
                 "solve needs A, B and C and at most some copies of them. Look at the size that is computed "
                 "for the allocation (bytes against elements, overflow of int), give back what each call has "
                 "asked for, and check what the call returns.");
}

Instruction code_of(const Reply& reply) {
  Instruction instruction;
  std::memcpy(instruction.bytes, reply.code, sizeof instruction.bytes);
  return instruction;
}

/// A reply may be submitted code's own: never 0.
static std::int64_t element_bytes(const Reply& reply) {
  return std::max<std::int64_t>(1, reply.element_bytes);
}

Failure out_of_bounds(const Reply& reply, const std::string& where) {
  const char* matrix = kMatrix[reply.matrix];
  const bool behind = reply.side == Side::kBehind;
  const bool writes = reply.writing == 1;
  const char* pattern = writes ? (behind ? "write-past-end" : "write-before-start")
                               : (behind ? "read-past-end" : "read-before-start");
  // behind: 0 is the first byte after the last element; before: 1 is the last byte in front of the first
  const std::int64_t elements =
      (reply.distance_bytes + (behind ? 0 : element_bytes(reply) - 1)) / element_bytes(reply) +
      (behind ? 1 : 0);
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
                               where, reply.distance_bytes / element_bytes(reply)),
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
        "_mm_load_ps of 16, _mm512_load_ps of 64. The first rows of A, B and C begin so, the others only "
        "where their length is a multiple, too: use _mm256_loadu_ps and _mm256_storeu_ps, which are as fast "
        "where the address fits.");
  const std::string address = reply.general_protection != 0
                                  ? "an address that no memory can have"
                                  : fmt::format("address {:#x}", reply.distance_bytes);
  return failure(
      Judged::kCrashed, "signal",
      fmt::format("Segmentation fault, {}: {}, far from A, B and C.", where, address),
      "A buffer of your own that is too small for this shape, a pointer that was never set, an index that "
      "overflowed, or memory that was given back.{gpu: Host code must not read device pointers.}");
}

}  // namespace gemmlab::submissions
