#include "submissions/judge/failures/crash_words.h"

#include <algorithm>
#include <cstddef>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace gemmlab::submissions {
namespace {

// Of a pointer that is none of malloc's, and of one whose size was written over.
constexpr const char* kNotItsOwn =
    "It gave memory back that it had not asked for, or it wrote past the end of memory that it had asked for";
constexpr const char* kItsOwnHint =
    "free and delete take exactly what malloc and new returned: not a pointer into the middle, not A, B or "
    "C, not a local array; malloc takes bytes, and not elements.";
constexpr LibraryWord kWords[] = {
    // glibc names two causes: a size that leads out of the heap was written over; a neighbour that counts this
    // chunk as free may be right
    {"double free or corruption (out)", "heap-overflow",
     "It wrote past the end of memory that it had asked for", nullptr},
    {"double free or corruption (!prev)", "heap-overflow",
     "It gave the same memory back twice, or it wrote past the end of memory that it had asked for",
     "Each new has one delete, and each malloc one free. If that is so, a buffer is too small for this "
     "shape: "
     "malloc takes bytes, and not elements."},
    {"double free", "double-free", "It gave the same memory back twice",
     "Each new has one delete, and each malloc one free. A pointer that is copied and deleted by both owners "
     "ends so; std::vector gives its memory back by itself."},
    {"free(): invalid pointer", "invalid-free", kNotItsOwn, kItsOwnHint},
    {"munmap_chunk(): invalid pointer", "heap-overflow", kNotItsOwn, kItsOwnHint},
    {"stack smashing detected", "stack-overrun", "It wrote past the end of a local array",
     "Which index is the largest? A tile on the stack has a fixed size; M, N and K may be larger, or no "
     "multiple of it."},
    {"malloc(): ", "heap-overflow", "It wrote past the end of memory that it had asked for", nullptr},
    {"free(): ", "heap-overflow", "It wrote past the end of memory that it had asked for", nullptr},
    {"realloc(): ", "heap-overflow", "It wrote past the end of memory that it had asked for", nullptr},
    {"corrupted", "heap-overflow", "It wrote past the end of memory that it had asked for", nullptr},
};
constexpr LibraryWord kCudaWords[] = {
    {"misaligned address", "misaligned-address",
     "A float4 lies at an address that is not a multiple of 16 bytes, and its own check ended the process",
     "Rows begin at multiples of 16 bytes only where their length is a multiple of 4. With a check that "
     "returns instead of abort() or exit(), the page can name the line."},
    {"an illegal memory access was encountered", "illegal-address",
     "A thread reads or writes outside every allocation, and its own check ended the process",
     "Guard row < M and column < K, and the inner index < N. With a check that returns instead of abort() or "
     "exit(), the page can name the line."},
    {"invalid configuration argument", "device-error",
     "A launch asks for more than there is, and its own check ended the process",
     "A block has at most 1024 threads, and a grid at least one block in each direction: M, N and K may be "
     "smaller than a tile."},
};
constexpr const char* kOverflowed =
    "The C library found its own records overwritten, now or in an earlier call: a buffer of yours (new, "
    "malloc, std::vector) is too small for this shape. Count its elements for the last, partly filled tile; "
    "bytes are four times the elements.";

/// Behind prefixes and REX: the opcode of an instruction of two bytes, 0F xx, or 0.
struct Opcode {
  std::uint8_t byte = 0;
  bool operand_size = false;  ///< 66: movdqa rather than movq
};

Opcode legacy_opcode(const Instruction& instruction) {
  Opcode found;
  const std::uint8_t* at = instruction.bytes;
  const std::uint8_t* end = at + sizeof instruction.bytes - 2;
  for (; at < end && (*at == 0x66 || *at == 0xf2 || *at == 0xf3 || (*at >= 0x40 && *at <= 0x4f)); ++at) {
    if (*at == 0xf2 || *at == 0xf3) return {};
    found.operand_size = found.operand_size || *at == 0x66;
  }
  if (*at != 0x0f) return {};
  found.byte = at[1];
  return found;
}

/// movaps, movapd, movntps, movdqa, movntdq.
bool is_aligned_move(std::uint8_t opcode, bool operand_size) {
  if (opcode == 0x28 || opcode == 0x29 || opcode == 0x2b) return true;
  return operand_size && (opcode == 0x6f || opcode == 0x7f || opcode == 0xe7);
}

}  // namespace

bool needs_alignment(const Instruction& instruction) {
  const std::uint8_t* code = instruction.bytes;
  constexpr std::uint8_t kPrefix = 3, kIs66 = 1, kMap = 0x1f, kMapOfEvex = 7;
  if (code[0] == 0xc5) return is_aligned_move(code[2], (code[1] & kPrefix) == kIs66);
  if (code[0] == 0xc4) return (code[1] & kMap) == 1 && is_aligned_move(code[3], (code[2] & kPrefix) == kIs66);
  if (code[0] == 0x62)
    return (code[1] & kMapOfEvex) == 1 && is_aligned_move(code[4], (code[2] & kPrefix) == kIs66);
  const Opcode opcode = legacy_opcode(instruction);
  return is_aligned_move(opcode.byte, opcode.operand_size);
}

std::string illegal_kind(const Instruction& instruction, const ProcessorHas& has) {
  const std::uint8_t* code = instruction.bytes;
  if (code[0] == 0x0f && code[1] == 0x0b) return "trap";
  constexpr std::uint8_t kMap = 0x1f;
  const bool amx = code[0] == 0xc4 && (code[1] & kMap) == 2 &&
                   (code[3] == 0x49 || code[3] == 0x4b || code[3] == 0x5c || code[3] == 0x5e);
  if (amx) return has.amx ? "" : "AMX";
  if (code[0] == 0x62) return has.avx512 ? "" : "AVX-512";
  if (code[0] == 0xc4 || code[0] == 0xc5) return has.avx ? "" : "AVX";
  return "";
}

ProcessorHas this_processor() {
  ProcessorHas has;
#if defined(__x86_64__)
  has.avx = __builtin_cpu_supports("avx") != 0;
  has.avx512 = __builtin_cpu_supports("avx512f") != 0;
  unsigned a = 0, b = 0, c = 0, d = 0;
  constexpr unsigned kAmxTile = 1u << 24;
  has.amx = __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && (d & kAmxTile) != 0;
#endif
  return has;
}

std::optional<LibraryWord> said_by_library(const std::string& printed) {
  for (LibraryWord word : kWords) {
    if (printed.find(word.said) == std::string::npos) continue;
    if (word.hint == nullptr) word.hint = kOverflowed;
    return word;
  }
  return {};
}

std::optional<LibraryWord> said_of_cuda(const std::string& printed) {
  for (const LibraryWord& word : kCudaWords) {
    if (printed.find(word.said) != std::string::npos) return word;
  }
  return {};
}

LibraryWord heap_overflow_word() {
  return *said_by_library("corrupted");
}

std::string for_device(const std::string& text, bool gpu) {
  std::string made;
  std::size_t at = 0;
  for (;;) {
    const std::size_t open = std::min(text.find("{gpu:", at), text.find("{cpu:", at));
    const std::size_t close = open == std::string::npos ? open : text.find('}', open);
    if (close == std::string::npos) return made + text.substr(at);
    made += text.substr(at, open - at);
    constexpr std::size_t kTag = 5;
    if ((text[open + 1] == 'g') == gpu) made += text.substr(open + kTag, close - open - kTag);
    at = close + 1;
  }
}

}  // namespace gemmlab::submissions
