#include "submissions/diagnosis/probes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "submissions/diagnosis/words.h"
#include "submissions/solve_shape.h"

namespace gemmlab::submissions {
namespace {

using Matrix = std::vector<float>;
using Indices = std::vector<std::int64_t>;

// A term is counted 0 to 3 times: a digit to the base of 4.
constexpr int kBase = 4;

/// So many digits float holds exactly, or B's elements and C's.
int digits_of(const GemmTypes& types) {
  int digits = 11;
  while (digits > 1 && (std::pow(kBase, digits - 1) > static_cast<double>(largest_whole(types.type)) ||
                        std::pow(kBase, digits) - 1 > static_cast<double>(largest_whole(types.result))))
    --digits;
  return digits;
}

/// The whole number that a float holds, from 0 to `most`; -1 where it holds none.
std::int64_t whole(float value, std::int64_t most) {
  const auto number = std::isfinite(value) && value >= 0 ? static_cast<std::int64_t>(value) : -1;
  return number <= most && static_cast<float>(number) == value ? number : -1;
}

/// "inner index 7", "inner indices 3 to 5", "inner indices 7, 15, 23, ... (every 8th)", "... from 128 on".
std::string indices_text(const Indices& all, std::int64_t count) {
  if (all.size() == 1) return fmt::format("inner index {}", all[0]);
  const std::int64_t step = all[1] - all[0];
  bool even = true;
  for (std::size_t i = 1; i < all.size(); ++i) even = even && all[i] - all[i - 1] == step;
  if (even && step == 1 && all.back() + 1 == count)
    return fmt::format("the inner indices from {} on", all[0]);
  if (even && step == 1) return fmt::format("the inner indices {} to {}", all[0], all.back());
  std::vector<std::string> first;
  for (std::size_t i = 0; i < std::min<std::size_t>(all.size(), 3); ++i)
    first.push_back(std::to_string(all[i]));
  const std::string list = fmt::format("the inner indices {}", fmt::join(first, ", "));
  if (all.size() <= 3) return list;
  return even ? fmt::format("{}, ... (every {}th)", list, step) : list + ", ...";
}

std::int64_t step_of(const Indices& all) {
  if (all.size() < 2) return 0;
  for (std::size_t i = 2; i < all.size(); ++i)
    if (all[i] - all[i - 1] != all[1] - all[0]) return 0;
  return all[1] - all[0];
}

Diagnosis named(const char* pattern, const Shape& shape, const std::string& what, std::string hint) {
  Diagnosis diagnosis;
  diagnosis.pattern = pattern;
  diagnosis.summary = capitalised(fmt::format("at {} {}.", in_students_words(shape), what));
  diagnosis.hint = std::move(hint);
  return diagnosis;
}

/// By element of C the weight of each inner index, as characters; empty where an element does not say.
std::vector<std::string> weights(const Shape& shape, const ProbeCall& call, int digits) {
  std::vector<std::string> all(static_cast<std::size_t>(shape.c_count()));
  std::vector<bool> known(all.size(), true);
  const Matrix ones(static_cast<std::size_t>(shape.a_count()), 1.0F);
  for (std::int64_t first = 0; first < shape.k; first += digits) {
    Matrix b(static_cast<std::size_t>(shape.b_count()), 0.0F);
    const std::int64_t last = std::min<std::int64_t>(shape.k, first + digits);
    for (std::int64_t k = first; k < last; ++k)
      std::fill_n(b.begin() + k * shape.n, shape.n, static_cast<float>(std::pow(kBase, k - first)));
    const auto c = call(ones, b);
    if (!c) return {};
    for (std::size_t e = 0; e < all.size(); ++e) {
      std::int64_t value = whole((*c)[e], 1 << (2 * digits));
      known[e] = known[e] && value >= 0;
      for (std::int64_t k = first; k < last; ++k, value /= kBase)
        all[e] += static_cast<char>('0' + std::max<std::int64_t>(0, value) % kBase);
      known[e] = known[e] && value <= 0;
    }
  }
  for (std::size_t e = 0; e < all.size(); ++e)
    if (!known[e]) all[e].clear();
  return all;
}

/// What most wrong elements say.
std::string commonest(const std::vector<std::string>& all) {
  std::map<std::string, std::size_t> times;
  std::size_t wrong = 0;
  for (const std::string& one : all) {
    if (one.find_first_not_of('1') == std::string::npos && !one.empty()) continue;
    ++wrong;
    ++times[one];
  }
  for (const auto& [one, count] : times)
    if (!one.empty() && 10 * count >= 9 * wrong) return one;
  return {};
}

/// Where an operand is read: of the inner index `inner` for C's (row, col), the element's position, or -1.
struct Read {
  std::int64_t row, col, inner, at;
};

std::vector<Read> reads(const Shape& shape, const ProbeCall& call, bool of_a) {
  std::vector<Read> found;
  const std::int64_t count = of_a ? shape.a_count() : shape.b_count();
  Matrix labels(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < labels.size(); ++i) labels[i] = static_cast<float>(i + 1);
  for (const std::int64_t inner : {shape.k / 3, shape.k - 2, std::int64_t{1}}) {
    if (inner < 0 || inner >= shape.k) continue;
    Matrix unit(static_cast<std::size_t>(of_a ? shape.b_count() : shape.a_count()), 0.0F);
    const std::int64_t outer = of_a ? shape.n : shape.m;
    for (std::int64_t i = 0; i < outer; ++i)
      unit[static_cast<std::size_t>(of_a ? inner * shape.n + i : i * shape.k + inner)] = 1;
    const auto c = of_a ? call(labels, unit) : call(unit, labels);
    if (!c) return {};
    for (std::int64_t e = 0; e < shape.c_count(); ++e)
      found.push_back({e / shape.n, e % shape.n, inner, whole((*c)[static_cast<std::size_t>(e)], count) - 1});
  }
  return found;
}

/// Do all reads that say something fit, and enough of them that are not where they should be?
template <typename Expected>
bool fits(const std::vector<Read>& all, Expected expected, std::int64_t count) {
  std::int64_t telling = 0;
  for (const Read& one : all) {
    const std::int64_t at = expected(one);
    if (at < 0 || at >= count) continue;
    if (one.at != at) return false;
    ++telling;
  }
  return 2 * telling > static_cast<std::int64_t>(all.size());
}

std::optional<Diagnosis> of_operand(const Shape& shape, const ProbeCall& call, bool of_a) {
  constexpr std::int64_t kMostLabels = 1 << 23;
  const std::int64_t rows = of_a ? shape.m : shape.k, cols = of_a ? shape.k : shape.n;
  if (rows * cols > kMostLabels) return {};
  const std::vector<Read> all = reads(shape, call, of_a);
  const auto right = [&](const Read& one) {
    return of_a ? one.row * cols + one.inner : one.inner * cols + one.col;
  };
  const auto wrong = [&](const Read& one) { return one.at >= 0 && one.at != right(one); };
  const auto first = std::find_if(all.begin(), all.end(), wrong);
  const auto silent = std::count_if(all.begin(), all.end(), [](const Read& one) { return one.at < 0; });
  if (first == all.end() || 2 * silent > static_cast<std::int64_t>(all.size())) return {};
  const char name = of_a ? 'A' : 'B';
  for (const std::int64_t tile : {4, 8, 16, 32, 64}) {
    const auto swapped = [&](const Read& one) -> std::int64_t {
      const std::int64_t i = of_a ? one.row : one.inner, j = of_a ? one.inner : one.col;
      const std::int64_t row = i / tile * tile + j % tile, col = j / tile * tile + i % tile;
      return row < rows && col < cols ? row * cols + col : -1;
    };
    if (tile < std::max(rows, cols) && fits(all, swapped, rows * cols))
      return named(
          "tile-read-transposed", shape,
          fmt::format("each {0}×{0} tile of {1} is used transposed: C[{2}][{3}] takes {1}[{4}][{5}] where "
                      "{1}[{6}][{7}] belongs",
                      tile, name, first->row, first->col, first->at / cols, first->at % cols,
                      right(*first) / cols, right(*first) % cols),
          fmt::format("Row and column of the tile of {} are exchanged, either where it is filled or where "
                      "the products are summed: {}.",
                      name, of_a ? "a[ty][k], not a[k][ty]" : "b[k][tx], not b[tx][k]"));
  }
  return named(
      "wrong-element", shape,
      fmt::format("C[{0}][{1}] multiplies, at inner index {2}, {3}[{4}][{5}] where {3}[{6}][{7}] belongs",
                  first->row, first->col, first->inner, name, first->at / cols, first->at % cols,
                  right(*first) / cols, right(*first) % cols),
      fmt::format("Follow the index of {} for this element and this term.", name));
}

/// Which row of the product stands in each row of C (or column); empty where that cannot be told.
Indices moved(const Shape& shape, const ProbeCall& call, bool rows) {
  Matrix a(static_cast<std::size_t>(shape.a_count()), 1.0F),
      b(static_cast<std::size_t>(shape.b_count()), 1.0F);
  if (rows)
    for (std::size_t i = 0; i < a.size(); ++i)
      a[i] = static_cast<float>(1 + static_cast<std::int64_t>(i) / shape.k);
  if (!rows)
    for (std::size_t i = 0; i < b.size(); ++i)
      b[i] = static_cast<float>(1 + static_cast<std::int64_t>(i) % shape.n);
  const auto c = call(a, b);
  if (!c) return {};
  Indices from(static_cast<std::size_t>(rows ? shape.m : shape.n), -1);
  const auto count = static_cast<std::int64_t>(from.size());
  for (std::int64_t e = 0; e < shape.c_count(); ++e) {
    const std::int64_t value = whole((*c)[static_cast<std::size_t>(e)], count * shape.k);
    std::int64_t& known = from[static_cast<std::size_t>(rows ? e / shape.n : e % shape.n)];
    if (value < shape.k || value % shape.k != 0) return {};
    if (known >= 0 && known != value / shape.k - 1) return {};
    known = value / shape.k - 1;
  }
  return from;
}

std::optional<Diagnosis> of_lines(const Shape& shape, const ProbeCall& call, bool rows) {
  const Indices from = moved(shape, call, rows);
  std::vector<std::string> said;
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < from.size(); ++i) {
    if (from[i] == static_cast<std::int64_t>(i)) continue;
    ++wrong;
    if (said.size() < 3)
      said.push_back(fmt::format("{} {} of C holds {} {} of A·B", rows ? "row" : "column", i,
                                 rows ? "row" : "column", from[i]));
  }
  if (said.empty()) return {};
  return named(
      rows ? "rows-moved" : "columns-moved", shape,
      fmt::format("{} ({} of {} {} are not in their place, each right in itself)", listed(said, "and"), wrong,
                  from.size(), rows ? "rows" : "columns"),
      fmt::format(
          "{0} are computed for one place and stored in another: the index by which C is written must be the "
          "one by which {1} is read, also where threads or blocks take every few {2}.",
          rows ? "Rows" : "Columns", rows ? "A" : "B", rows ? "rows" : "columns"));
}

}  // namespace

std::optional<Diagnosis> counted_terms(const Shape& shape, const ProbeCall& call, const GemmTypes& types) {
  const std::string digits = commonest(weights(shape, call, digits_of(types)));
  Indices missing, again;
  for (std::size_t k = 0; k < digits.size(); ++k) {
    if (digits[k] == '0') missing.push_back(static_cast<std::int64_t>(k));
    if (digits[k] > '1') again.push_back(static_cast<std::int64_t>(k));
  }
  const auto count = static_cast<std::int64_t>(digits.size());
  // all of them: a factor, or nothing at all, is better told by the values
  if (static_cast<std::int64_t>(missing.size()) == count || static_cast<std::int64_t>(again.size()) == count)
    return {};
  if (missing.empty() && again.empty()) return {};
  std::vector<std::string> said;
  if (!missing.empty())
    said.push_back(fmt::format("of each sum {} {} missing", indices_text(missing, count),
                               missing.size() == 1 ? "is" : "are"));
  if (!again.empty()) {
    const char* times = digits[static_cast<std::size_t>(again[0])] == '2' ? "twice" : "three times";
    said.push_back(
        fmt::format("{} {} counted {}", indices_text(again, count), again.size() == 1 ? "is" : "are", times));
  }
  const std::string what = listed(said, "and");
  const std::int64_t step = std::max(step_of(missing), step_of(again));
  if (!missing.empty() && !again.empty())
    return named(
        "inner-mixed", shape, what,
        step > 1
            ? fmt::format("The loop takes {} terms at a time: in its body one index stands twice and another "
                          "not at all (k + {} instead of k + {}?).",
                          step, again[0] % step, missing[0] % step)
            : "One index of the inner loop stands twice and another not at all.");
  if (!again.empty())
    return named(
        "inner-twice", shape, what,
        fmt::format(
            "Two steps of the inner loop take the same terms, from index {} on: see where a step ends, "
            "min(N, k0 + STEP), and by how much k0 grows from one to the next.",
            again[0]));
  return named(
      step > 1                      ? "inner-strided"
      : missing.back() + 1 == count ? "inner-tail"
                                    : "inner-lost",
      shape, what,
      step > 1 ? fmt::format(
                     "Of every {} terms one is left out: see where a step of the loop begins and ends.", step)
               : "See where the inner loop, or its last step, begins and ends.");
}

std::optional<Diagnosis> places_of_sums(const Shape& shape, const ProbeCall& call) {
  for (const bool rows : {true, false})
    if (auto found = of_lines(shape, call, rows)) return found;
  return {};
}

std::optional<Diagnosis> places_of_terms(const Shape& shape, const ProbeCall& call) {
  for (const bool of_a : {false, true})
    if (auto found = of_operand(shape, call, of_a)) return found;
  return {};
}

}  // namespace gemmlab::submissions
