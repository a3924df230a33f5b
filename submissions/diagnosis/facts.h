#pragma once

// What all parts of the diagnosis share: the right product, which elements are wrong, and how an explanation
// is held against C. Dimensions bear the student's names here: M rows, N inner, K columns.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "submissions/diagnosis/diagnosis.h"

namespace gemmlab::submissions {

using Mask = std::vector<std::uint8_t>;

struct Facts {
  explicit Facts(const Evidence& evidence);

  const Evidence& evidence;
  std::int64_t M, N, K;
  std::int64_t count;                ///< of C: M·K
  std::vector<double> right;         ///< A·B
  const std::vector<float>& c;       ///< the evidence's c, or its c_again where only that is wrong
  Mask wrong;                        ///< one entry per element
  std::vector<std::int64_t> wrongs;  ///< the wrong elements, ascending
  /// Elements to hold an explanation against: some wrong ones first, which rule out most explanations at
  /// once, then all of C, or so many that one explanation costs at most 2²⁴ terms.
  std::vector<std::int64_t> probes;

  bool all_wrong() const { return static_cast<std::int64_t>(wrongs.size()) == count; }
  float a(std::int64_t row, std::int64_t inner) const { return evidence.a[row * N + inner]; }
  float b(std::int64_t inner, std::int64_t col) const { return evidence.b[inner * K + col]; }
  /// The terms [from, to) of an element's sum.
  double sum(std::int64_t element, std::int64_t from, std::int64_t to, std::int64_t step = 1) const;
};

bool has_bits(float value, std::uint32_t bits);
std::vector<double> product(const Evidence& evidence);

/// An explanation of C at the evidence's shape.
struct Finding {
  std::string pattern;
  std::string what;  ///< a clause: "C holds the product transposed"
  std::string hint;
  int rank = 0;              ///< how far-fetched: the smallest is believed first
  std::int64_t telling = 0;  ///< wrong elements that it foretells
  /// Whether a kernel with this fault alone is right at a shape; empty: cannot be said.
  std::function<bool(const Shape&)> right_at;
};

/// What an explanation says of one element, held against C.
enum class Match {
  kNo,
  kAlsoRight,  ///< as foretold, but so it would be without the fault
  kTelling,    ///< as foretold, and wrong
  kUnknown,    ///< nothing is foretold, for instance where a read falls outside a matrix
};

inline Match match(const Facts& facts, std::int64_t element, double foretold) {
  if (static_cast<double>(facts.c[element]) != foretold) return Match::kNo;
  return facts.wrong[element] ? Match::kTelling : Match::kAlsoRight;
}

/// Wrong elements, of those probed, that an explanation foretells; 0 where it contradicts C anywhere, or is
/// silent about more than half of it.
template <typename Test>
std::int64_t telling(const std::vector<std::int64_t>& elements, Test test) {
  std::int64_t found = 0;
  std::size_t unknown = 0;
  for (const std::int64_t element : elements) {
    const Match here = test(element);
    if (here == Match::kNo) return 0;
    found += here == Match::kTelling;
    unknown += here == Match::kUnknown;
    if (2 * unknown > elements.size()) return 0;
  }
  return found;
}

/// How many shapes ended as the finding foretells.
std::int64_t agreement(const Finding& finding, const std::vector<ShapeOutcome>& outcomes);

}  // namespace gemmlab::submissions
