#include "submissions/diagnosis/shapes.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <optional>

#include "submissions/diagnosis/words.h"

namespace gemmlab::submissions {
namespace {

using Outcomes = std::vector<ShapeOutcome>;

/// How a property of shapes goes with right and wrong.
struct Table {
  std::int64_t with_right = 0, with_wrong = 0, without_right = 0, without_wrong = 0;

  std::int64_t with() const { return with_right + with_wrong; }
  std::int64_t without() const { return without_right + without_wrong; }
  /// Right with it and wrong without, on enough shapes either way.
  bool separates() const {
    return with_wrong == 0 && without_right == 0 && with_right >= 2 && without_wrong >= 2;
  }
  /// The same, but for some luck: a fault may do no harm at some shapes.
  bool nearly_separates() const {
    return with_wrong == 0 && with_right >= 3 && without_wrong >= 3 && 2 * without_right <= without_wrong;
  }
};

template <typename Property>
Table table_of(const Outcomes& outcomes, Property property) {
  Table table;
  for (const auto& [shape, right] : outcomes) {
    if (property(shape)) {
      ++(right ? table.with_right : table.with_wrong);
    } else {
      ++(right ? table.without_right : table.without_wrong);
    }
  }
  return table;
}

std::string clause_of(const std::string& where, const Table& table) {
  const std::string others = table.without_right == 0
                                 ? (table.without() == 1 ? std::string("the other one")
                                                         : fmt::format("all {} others", table.without()))
                                 : fmt::format("{} of the {} others", table.without_wrong, table.without());
  return fmt::format("Right {} ({}), wrong for {}", where, counted(table.with(), "shape", "shapes"), others);
}

/// A dimension by the student's name. Which is which: M rows, N inner, K columns.
struct Dimension {
  const char* name;
  std::int64_t Shape::*size;
  const char* hint;
};
constexpr Dimension kDimensions[] = {
    {"M", &Shape::m,
     "look at the rows beyond the last whole tile: the {gpu:grid or }loop over M, and its guards"},
    {"N", &Shape::k, "look at the rest of the inner loop beyond the last whole step"},
    {"K", &Shape::n,
     "look at the columns beyond the last whole tile: the {gpu:grid or }loop over K, and its guards"},
};

bool is_square(const Shape& s) {
  return s.m == s.n && s.n == s.k;
}

std::optional<ShapePattern> squares(const Outcomes& outcomes, bool exactly) {
  const Table table = table_of(outcomes, is_square);
  if (!(exactly ? table.separates() : table.nearly_separates())) return std::nullopt;
  return ShapePattern{"only-squares", clause_of("for every square", table),
                      "In squares M, N and K are the same: look at which of them stands where, in loops and "
                      "in strides (A has rows of N elements, B and C of K)."};
}

std::optional<ShapePattern> equal_dimensions(const Outcomes& outcomes) {
  for (const auto& [i, j] : {std::pair{0, 1}, {0, 2}, {1, 2}}) {
    const Dimension& x = kDimensions[i];
    const Dimension& y = kDimensions[j];
    const Table table = table_of(outcomes, [&](const Shape& s) { return s.*x.size == s.*y.size; });
    if (!table.separates()) continue;
    return ShapePattern{
        "only-equal-dimensions", clause_of(fmt::format("where {} = {}", x.name, y.name), table),
        fmt::format("Look at where {} stands for {} or the other way round.", x.name, y.name)};
  }
  return std::nullopt;
}

/// Which of M, N, K a condition is about.
std::vector<std::vector<int>> subsets() {
  return {{1}, {0}, {2}, {0, 2}, {0, 1}, {1, 2}, {0, 1, 2}};
}

std::optional<ShapePattern> multiples(const Outcomes& outcomes, bool exactly) {
  for (const auto& subset : subsets()) {
    for (const std::int64_t step : {128, 64, 32, 16, 8, 4, 2}) {
      const Table table = table_of(outcomes, [&](const Shape& s) {
        return std::all_of(subset.begin(), subset.end(),
                           [&](int i) { return s.*kDimensions[i].size % step == 0; });
      });
      if (!(exactly ? table.separates() : table.nearly_separates())) continue;
      std::vector<std::string> names;
      for (const int i : subset) names.emplace_back(kDimensions[i].name);
      const std::string who = listed(names, "and");
      const std::string where = subset.size() == 1 ? fmt::format("where {} is a multiple of {}", who, step)
                                                   : fmt::format("where {} are multiples of {}", who, step);
      const std::string hint =
          subset.size() == 1
              ? fmt::format("With {} not a multiple of {}, {}.", who, step, kDimensions[subset[0]].hint)
              : fmt::format(
                    "Tiles or steps of {} fit those shapes only: round their number up, and guard or "
                    "zero-fill what lies beyond M, N and K.",
                    step);
      return ShapePattern{"only-multiples", clause_of(where, table), hint};
    }
  }
  return std::nullopt;
}

/// Wrong just where one dimension leaves the same remainder: a number of steps that is rounded wrongly.
std::optional<ShapePattern> remainders(const Outcomes& outcomes) {
  constexpr std::int64_t kWrongAtLeast = 3;
  for (const int i : {1, 0, 2}) {
    const Dimension& dimension = kDimensions[i];
    for (const std::int64_t step : {128, 64, 32, 16, 8}) {
      const auto wrong =
          std::find_if(outcomes.begin(), outcomes.end(), [](const auto& o) { return !o.right; });
      if (wrong == outcomes.end()) return std::nullopt;
      const std::int64_t rest = wrong->shape.*dimension.size % step;
      const Table table =
          table_of(outcomes, [&](const Shape& s) { return s.*dimension.size % step == rest; });
      if (rest == 0 || table.with_right != 0 || table.without_wrong != 0 || table.with_wrong < kWrongAtLeast)
        continue;
      const std::string where =
          rest == step - 1
              ? fmt::format("one less than a multiple of {}", step)
              : fmt::format("{} more than a multiple of {}", rest == 1 ? "one" : std::to_string(rest), step);
      return ShapePattern{
          "only-remainder",
          fmt::format("Wrong just where {} is {} ({}), right for all {} others", dimension.name, where,
                      counted(table.with_wrong, "shape", "shapes"), table.without_right),
          fmt::format("The number of steps, or tiles, of {1} over {0} comes out wrong there: ({0} + {1} - 1) "
                      "/ {1} rounds up.",
                      dimension.name, step)};
    }
  }
  return std::nullopt;
}

struct Measure {
  std::string name;
  std::function<std::int64_t(const Shape&)> of;
};

std::vector<Measure> measures() {
  std::vector<Measure> all{{"M, N and K", [](const Shape& s) { return std::max({s.m, s.n, s.k}); }}};
  for (const Dimension& d : kDimensions) {
    all.push_back({d.name, [size = d.size](const Shape& s) { return s.*size; }});
  }
  all.push_back({"M*K", [](const Shape& s) { return s.c_count(); }});
  return all;
}

std::optional<ShapePattern> sizes(const Outcomes& outcomes) {
  constexpr auto kNone = std::numeric_limits<std::int64_t>::max();
  std::optional<ShapePattern> first;
  std::vector<std::string> others;
  for (const auto& [name, of] : measures()) {
    std::int64_t low[2] = {kNone, kNone};  // wrong, right
    std::int64_t high[2] = {0, 0};
    std::int64_t count[2] = {0, 0};
    for (const auto& [shape, right] : outcomes) {
      low[right] = std::min(low[right], of(shape));
      high[right] = std::max(high[right], of(shape));
      ++count[right];
    }
    if (count[0] < 2 || count[1] < 2) return std::nullopt;
    const bool largest = name == "M, N and K";
    const std::string who = largest ? "the largest of M, N, K" : name;
    if (high[1] < low[0] && first) {
      others.push_back(fmt::format("{} at most {}", name, high[1]));
    } else if (high[1] < low[0]) {
      first = ShapePattern{
          "only-small",
          fmt::format("Right where {} is at most {} ({} shapes), wrong for all {} others, from {} on", who,
                      high[1], count[1], count[0], low[0]),
          "Something has a fixed size that larger shapes outgrow: one tile{gpu: or block} only, {gpu:a grid "
          "limit, }a "
          "buffer of constant length."};
    }
    if (high[0] < low[1] && !first) {
      return ShapePattern{
          "only-large",
          fmt::format("Right where {} is at least {} ({} shapes), wrong for all {} others, up to {}", who,
                      low[1], count[1], count[0], high[0]),
          "Small shapes take a way of their own: fewer elements than threads, less than one tile or one "
          "vector."};
    }
  }
  // which of them it is about these shapes do not tell
  if (first && !others.empty()) first->clause += fmt::format(" (so it is with {})", listed(others, "and"));
  return first;
}

std::string plain_clause(const Outcomes& outcomes) {
  if (outcomes.size() < 2) return "";
  const auto wrong = std::count_if(outcomes.begin(), outcomes.end(), [](const auto& o) { return !o.right; });
  if (wrong == static_cast<std::int64_t>(outcomes.size()))
    return fmt::format("Wrong for all {} shapes", wrong);
  return wrong == 0 ? "" : fmt::format("Wrong for {} of {} shapes", wrong, outcomes.size());
}

}  // namespace

ShapePattern shape_pattern(const Outcomes& outcomes) {
  std::optional<ShapePattern> found;
  if ((found = squares(outcomes, true))) return *found;
  if ((found = multiples(outcomes, true))) return *found;
  if ((found = remainders(outcomes))) return *found;
  if ((found = equal_dimensions(outcomes))) return *found;
  if ((found = sizes(outcomes))) return *found;
  if ((found = squares(outcomes, false))) return *found;
  if ((found = multiples(outcomes, false))) return *found;
  return {"", plain_clause(outcomes), ""};
}

}  // namespace gemmlab::submissions
