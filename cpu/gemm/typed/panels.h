#pragma once

// Operands as the dot products of 16-bit pairs and of bytes by fours read them, on vectors and on tiles alike.
//
// A word is 32 bits: two terms of 16 bits, or four of 8. A tile is 16 lines of 16 words: of A a line is a row's words, of B it is the
// same word of 16 columns. A panel is 32 rows of A, or 32 columns of B; a step of it, 16 words, is two tiles one behind the other. The steps of a
// panel follow one another, and the panels after that. Beyond the edges there are zeros.
//
// All functions are static: each file that includes this has its own copies, for its own instructions.

#include <cstdint>
#include <cstring>

#include "core/rounding.h"
#include "cpu/gemm/matrix/layout.h"
#include "cpu/gemm/typed/method.h"

/// Of a class's functions, which would be symbols for all instructions if they were not inlined.
#define GEMMLAB_TYPED_INLINE static inline __attribute__((always_inline))

namespace gemmlab::cpu {

constexpr int kLines = 16;  // of a tile, and words of a line
constexpr std::int64_t kLineBytes = 64;
constexpr std::int64_t kPanelStepBytes = 2 * kTileBytes;

using Words = std::uint32_t __attribute__((vector_size(64)));
/// 16 elements as they lie, and each in a word of its own.
template <typename Element>
struct SixteenOf;
template <>
struct SixteenOf<std::uint16_t> {
  using Type = std::uint16_t __attribute__((vector_size(32)));
  GEMMLAB_TYPED_INLINE Words widened(const Type& elements) {
    return __builtin_convertvector(elements, Words);
  }
};
template <>
struct SixteenOf<std::uint8_t> {
  using Type = std::uint8_t __attribute__((vector_size(16)));
  /// In two conversions, each of which is one instruction: at once GCC 12 takes the elements one by one.
  GEMMLAB_TYPED_INLINE Words widened(const Type& elements) {
    return __builtin_convertvector(__builtin_convertvector(elements, SixteenOf<std::uint16_t>::Type), Words);
  }
};

template <typename Element>
constexpr std::int64_t kTermsOfStep = kLineBytes / static_cast<std::int64_t>(sizeof(Element));

template <typename Element>
static std::int64_t steps_of(std::int64_t terms) {
  return ceil_div(terms, kTermsOfStep<Element>);
}

/// op(A), or op(B), whose lines are then its columns.
struct PanelSource {
  const char* first;
  std::int64_t lines;
  std::int64_t terms;
  std::int64_t stride_bytes;  ///< from a stored row to the next
  bool by_line;  ///< a stored row holds the terms of a line (A, or Bᵀ), or a term of all lines (Aᵀ, or B)?
};

static inline std::int64_t least(std::int64_t x, std::int64_t y) {
  return x < y ? x : y;
}

template <typename Element>
static PanelSource source_of_a(const TypedProduct& p) {
  return {p.a, p.m, p.k, p.form.lda * static_cast<std::int64_t>(sizeof(Element)), !p.form.transpose_a};
}
template <typename Element>
static PanelSource source_of_b(const TypedProduct& p) {
  return {p.b, p.n, p.k, p.form.ldb * static_cast<std::int64_t>(sizeof(Element)), p.form.transpose_b};
}

/// 16 words of a line that is stored as such.
template <typename Element>
static inline Words words_of_line(const PanelSource& from, std::int64_t line, std::int64_t term) {
  Words words = {};
  const std::int64_t left = from.terms - term;
  if (line >= from.lines || left <= 0) return words;
  const char* at = from.first + line * from.stride_bytes + term * static_cast<std::int64_t>(sizeof(Element));
  if (left >= kTermsOfStep<Element>) {
    std::memcpy(&words, at, sizeof words);
  } else {
    std::memcpy(&words, at, static_cast<std::size_t>(left) * sizeof(Element));
  }
  return words;
}

/// The same word of 16 lines, whose terms are stored rows apart.
template <typename Element>
static inline Words word_of_lines(const PanelSource& from, std::int64_t line, std::int64_t term) {
  Words words = {};
  const std::int64_t left = from.lines - line;
  if (left <= 0) return words;
#pragma GCC unroll 4
  for (std::int64_t part = 0; part < static_cast<std::int64_t>(4 / sizeof(Element)); ++part) {
    if (term + part >= from.terms) break;
    const char* at =
        from.first + (term + part) * from.stride_bytes + line * static_cast<std::int64_t>(sizeof(Element));
    typename SixteenOf<Element>::Type elements = {};
    if (left >= kLines) {
      std::memcpy(&elements, at, sizeof elements);
    } else {
      std::memcpy(&elements, at, static_cast<std::size_t>(left) * sizeof(Element));
    }
    words |= SixteenOf<Element>::widened(elements) << static_cast<std::uint32_t>(8 * sizeof(Element) * part);
  }
  return words;
}

/// Swaps the two blocks off the diagonal of each 2·kSide×2·kSide block.
template <std::uint32_t kSide>
static inline void swap_blocks(Words (&rows)[kLines]) {
  constexpr Words kLane = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
  const Words upper = (kLane & kSide) != 0 ? kLane + kLines - kSide : kLane;
  const Words lower = (kLane & kSide) != 0 ? kLane + kLines : kLane + kSide;
#pragma GCC unroll 16
  for (std::uint32_t row = 0; row < kLines; ++row) {
    if ((row & kSide) != 0) continue;
    const Words above = rows[row];
    const Words below = rows[row + kSide];
    rows[row] = __builtin_shuffle(above, below, upper);
    rows[row + kSide] = __builtin_shuffle(above, below, lower);
  }
}

static inline void transpose_words(Words (&rows)[kLines]) {
  swap_blocks<8>(rows);
  swap_blocks<4>(rows);
  swap_blocks<2>(rows);
  swap_blocks<1>(rows);
}

/// The tile of 16 lines and 16 words from here on. `of_a`: A's layout, else B's. `flip` is applied to each word by exclusive or.
template <typename Element>
static void pack_tile(const PanelSource& from, bool of_a, std::int64_t line, std::int64_t term,
                      std::uint32_t flip, char* to) {
  Words rows[kLines];
  if (from.by_line) {
#pragma GCC unroll 16
    for (int row = 0; row < kLines; ++row) rows[row] = words_of_line<Element>(from, line + row, term);
  } else {
    constexpr std::int64_t kPerWord = 4 / sizeof(Element);
#pragma GCC unroll 16
    for (int row = 0; row < kLines; ++row)
      rows[row] = word_of_lines<Element>(from, line, term + row * kPerWord);
  }
  if (from.by_line != of_a) transpose_words(rows);
#pragma GCC unroll 16
  for (int row = 0; row < kLines; ++row) {
    const Words flipped = rows[row] ^ flip;
    std::memcpy(to + row * kLineBytes, &flipped, sizeof flipped);
  }
}

/// Called by all threads of a team, which do not wait for each other at the end: all panels of an operand. A task walks along stored rows: a
/// panel by some steps where its lines are stored as such, else a step of some panels.
template <typename Element>
static void pack_operand(const PanelSource& from, bool of_a, std::uint32_t flip, char* to) {
  constexpr std::int64_t kTaskSteps = 32;
  constexpr std::int64_t kTaskPanels = 16;
  const std::int64_t steps = steps_of<Element>(from.terms);
  const std::int64_t panels = ceil_div(from.lines, kPanel);
  const std::int64_t deep = from.by_line ? kTaskSteps : 1;
  const std::int64_t wide = from.by_line ? 1 : kTaskPanels;
  const std::int64_t across = ceil_div(panels, wide);
  const std::int64_t tasks = ceil_div(steps, deep) * across;
#pragma omp for schedule(dynamic) nowait
  for (std::int64_t task = 0; task < tasks; ++task) {
    const std::int64_t first_step = task / across * deep;
    const std::int64_t first_panel = task % across * wide;
    for (std::int64_t panel = first_panel; panel < least(first_panel + wide, panels); ++panel) {
      for (std::int64_t step = first_step; step < least(first_step + deep, steps); ++step) {
        char* tiles = to + (panel * steps + step) * kPanelStepBytes;
        const std::int64_t term = step * kTermsOfStep<Element>;
        pack_tile<Element>(from, of_a, panel * kPanel, term, flip, tiles);
        pack_tile<Element>(from, of_a, panel * kPanel + kLines, term, flip, tiles + kTileBytes);
      }
    }
  }
}

/// Called by all threads of a team, which wait for each other at the end. `flip_a`: pack_tile()'s of A.
template <typename Element>
static void pack_both(const TypedProduct& p, std::uint32_t flip_a = 0) {
  pack_operand<Element>(source_of_a<Element>(p), true, flip_a, p.panels_a);
  pack_operand<Element>(source_of_b<Element>(p), false, 0, p.panels_b);
#pragma omp barrier
}

}  // namespace gemmlab::cpu
