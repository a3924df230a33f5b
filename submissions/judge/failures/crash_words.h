#pragma once

// What a signal, or a last word of the C library, means for the author of the code.

#include <cstdint>
#include <optional>
#include <string>

namespace gemmlab::submissions {

/// The first bytes of the machine instruction at which a process stopped.
struct Instruction {
  std::uint8_t bytes[15] = {};
};

/// Does it move a vector from or to memory that must be aligned (movaps, vmovdqa, ... on x86-64)?
bool needs_alignment(const Instruction& instruction);

/// Which instructions of a kind that this processor lacks it belongs to, "AVX-512" or "AMX"; "trap" where the compiler has
/// put it there on purpose (ud2); empty where nothing is known of it. `has`: the kinds that the processor has.
struct ProcessorHas {
  bool avx = true, avx512 = true, amx = true;
};
std::string illegal_kind(const Instruction& instruction, const ProcessorHas& has);
ProcessorHas this_processor();

struct LibraryWord {
  const char* said;  ///< part of what it prints
  const char* pattern;
  const char* explanation;
  const char* hint;
};
/// What glibc printed before it ended the process: its records of memory, or a local array's guard, were overwritten.
std::optional<LibraryWord> said_by_library(const std::string& printed);
/// What is said of the heap's records alone.
LibraryWord heap_overflow_word();

/// What CUDA calls an error, printed by a check of the submission's own before that ended the process.
std::optional<LibraryWord> said_of_cuda(const std::string& printed);

/// A text for one device's code: of "{gpu:...}" and "{cpu:...}" the parts of that device stay.
std::string for_device(const std::string& text, bool gpu);

}  // namespace gemmlab::submissions
