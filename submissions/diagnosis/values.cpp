#include "submissions/diagnosis/values.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "submissions/diagnosis/regions.h"
#include "submissions/diagnosis/words.h"

namespace gemmlab::submissions {
namespace {

constexpr std::int64_t kNeeded = 4;
constexpr std::int64_t kNeededToAccuse = 8;

bool never(const Shape&) {
  return false;
}

/// Those of the wrong elements that are held against an explanation of these alone.
std::vector<std::int64_t> wrong_probes(const Facts& facts) {
  std::vector<std::int64_t> some = facts.probes;
  std::erase_if(some, [&](std::int64_t element) { return !facts.wrong[element]; });
  return some;
}

template <typename Foretold>
std::int64_t telling_values(const Facts& facts, const std::vector<std::int64_t>& elements,
                            Foretold foretold) {
  return telling(elements, [&](std::int64_t element) { return match(facts, element, foretold(element)); });
}

void add_one_value(std::vector<Finding>& findings, const Facts& facts) {
  const double value = facts.c.front();
  const auto found = telling_values(facts, facts.probes, [&](std::int64_t) { return value; });
  if (value == 0 && found > 0) {
    findings.push_back({"zeros", "C is 0 everywhere",
                        "The sum is never added up, or never reaches C: see that the inner loop runs at all, "
                        "and that the result is not written before the sum is made.",
                        0, found, never});
  } else if (found >= kNeeded) {
    findings.push_back(
        {"constant", fmt::format("every element of C is {}", valued(value)),
         "All elements get one and the same value: see that row and column enter the indices of A, B and C.",
         0, found, never});
  }
}

/// "2", "-1", "0.5", "1/N".
std::string factor_name(double factor, const Facts& facts) {
  if (factor == static_cast<double>(facts.N)) return fmt::format("{} (that is N)", facts.N);
  if (facts.N > 1 && std::fabs(factor * static_cast<double>(facts.N) - 1) < 1e-6) return "1/N";
  return fmt::format("{:.6g}", factor);
}

std::string factor_hint(double factor) {
  if (factor == -1) return "Only the sign is wrong: look for - where + is meant.";
  if (factor == std::floor(factor) && factor > 1) {
    return fmt::format(
        "Each sum is added {} times: several threads or blocks do the same element, a loop runs too often, "
        "or sums are added to C again.",
        factor);
  }
  return "Look for a factor (alpha, a mean) that does not belong there.";
}

void add_factor(std::vector<Finding>& findings, const Facts& facts) {
  const auto some = wrong_probes(facts);
  const auto pivot = std::max_element(some.begin(), some.end(), [&](std::int64_t x, std::int64_t y) {
    return std::fabs(facts.right[x]) < std::fabs(facts.right[y]);
  });
  if (facts.right[*pivot] == 0) return;
  const double factor = facts.c[*pivot] / facts.right[*pivot];
  if (!std::isfinite(factor) || factor == 0 || factor == 1) return;
  // A factor that float cannot hold rounds each element.
  const auto test = [&](std::int64_t element) {
    const double foretold = factor * facts.right[element];
    if (!(std::fabs(facts.c[element] - foretold) <= 1e-6 * std::fabs(foretold))) return Match::kNo;
    return facts.wrong[element] ? Match::kTelling : Match::kAlsoRight;
  };
  // One element always fits some factor: it takes a whole one, and more elements for any other.
  const std::int64_t needed = factor == 2 || factor == -1 ? 2 : kNeeded;
  Finding finding{"scaled",
                  fmt::format("every element is {} times what is right", factor_name(factor, facts)),
                  factor_hint(factor),
                  0,
                  telling(facts.probes, test),
                  never};
  if (finding.telling < needed) {
    finding.telling = telling(some, test);
    if (facts.all_wrong() || finding.telling < kNeeded) return;
    finding.what =
        fmt::format("in {} the values are {} times what is right",
                    region_of(facts.wrong, facts.evidence.shape).phrase, factor_name(factor, facts));
    finding.right_at = nullptr;
    finding.rank = 1;
  }
  findings.push_back(std::move(finding));
}

void add_offset(std::vector<Finding>& findings, const Facts& facts) {
  const double offset = facts.c.front() - facts.right.front();
  if (!(std::fabs(offset) > 0)) return;
  const auto found =
      telling_values(facts, facts.probes, [&](std::int64_t e) { return facts.right[e] + offset; });
  if (found < kNeeded) return;
  findings.push_back(
      {"offset",
       fmt::format("every element is {} too {}", valued(std::fabs(offset)), offset > 0 ? "large" : "small"),
       "The sum does not begin at 0: see what it is set to before the first term.", 0, found, never});
}

void add_elementwise(std::vector<Finding>& findings, const Facts& facts) {
  if (facts.N == 1) return;
  const auto test = [&](std::int64_t element) {
    const std::int64_t row = element / facts.K;
    const std::int64_t col = element % facts.K;
    if (col >= facts.N || row >= facts.N) return Match::kUnknown;
    return match(facts, element, static_cast<double>(facts.a(row, col)) * facts.b(row, col));
  };
  const auto found = telling(facts.probes, test);
  if (found < kNeeded) return;
  findings.push_back({"elementwise", "C holds A and B multiplied element by element",
                      "A matrix product sums A[row*N + inner] * B[inner*K + col] over all inner indices.", 0,
                      found, never});
}

void add_shifted(std::vector<Finding>& findings, const Facts& facts) {
  for (std::int64_t shift = -facts.count / 2; shift <= facts.count / 2; ++shift) {
    if (shift == 0) continue;
    const auto test = [&](std::int64_t element) {
      const std::int64_t from = element - shift;
      if (from < 0 || from >= facts.count) return Match::kUnknown;
      return match(facts, element, facts.right[from]);
    };
    const auto found = telling(facts.probes, test);
    if (found < kNeededToAccuse) continue;
    std::string way = fmt::format("{} elements", std::abs(shift));
    if (std::abs(shift) == 1) way = facts.K == 1 ? "one row" : "one column";
    if (facts.K > 1 && shift % facts.K == 0) way = counted(std::abs(shift / facts.K), "row", "rows");
    findings.push_back(
        {"shifted",
         fmt::format("C holds the right values, but {} too far {}", way, shift > 0 ? "on" : "back"),
         "The index of C has an offset, or row and column begin at 1: they count from 0.", 1, found, never});
    return;
  }
}

void add_tile_transposed(std::vector<Finding>& findings, const Facts& facts) {
  for (const std::int64_t tile : {4, 8, 16, 32, 64, 128}) {
    if (tile >= std::max(facts.M, facts.K)) break;
    for (const bool within : {true, false}) {
      const auto test = [&](std::int64_t element) {
        const std::int64_t row = element / facts.K;
        const std::int64_t col = element % facts.K;
        const std::int64_t i = within ? row / tile * tile + col % tile : col / tile * tile + row % tile;
        const std::int64_t j = within ? col / tile * tile + row % tile : row / tile * tile + col % tile;
        if (i >= facts.M || j >= facts.K) return Match::kUnknown;
        return match(facts, element, facts.right[i * facts.K + j]);
      };
      const auto found = telling(facts.probes, test);
      if (found < kNeededToAccuse) continue;
      const std::string what =
          within ? "each {0}×{0} tile of C is transposed within itself"
                 : "whole {0}×{0} tiles of C stand in each other's place, row and column swapped";
      const std::string hint = within ? "Within a tile row and column are exchanged between computing and "
                                        "writing: see which of threadIdx.x and threadIdx.y is the row."
                                      : "Row and column of the tile are exchanged: see which of blockIdx.x "
                                        "and blockIdx.y is the row.";
      findings.push_back({"tile-transposed", fmt::format(fmt::runtime(what), tile), hint, 1, found, never});
      return;
    }
  }
}

Finding kept_state(std::string what) {
  return {"kept-state",
          std::move(what),
          "Something outlives the call: a static or global buffer, or device memory that is allocated once "
          "and not set to 0 again. Each call must begin anew, whatever was computed before.",
          0,
          0,
          {}};
}

}  // namespace

std::vector<Finding> value_findings(const Facts& facts) {
  std::vector<Finding> findings;
  add_one_value(findings, facts);
  add_factor(findings, facts);
  add_offset(findings, facts);
  add_elementwise(findings, facts);
  add_shifted(findings, facts);
  add_tile_transposed(findings, facts);
  return findings;
}

std::optional<Finding> memory_finding(const Facts& facts) {
  const auto& previous = facts.evidence.previous_right;
  const auto& again = facts.evidence.c_again;
  if (!previous.empty()) {
    const auto old = [&](std::int64_t e) { return static_cast<double>(previous[e]); };
    const bool same = std::equal(previous.begin(), previous.end(), facts.c.begin());
    if (same && telling_values(facts, facts.probes, old) >= kNeededToAccuse) {
      return Finding{"remembered",
                     "C holds the right answer to the call before, whose A and B were others",
                     "solve must compute from the A and B of this call: a result kept from an earlier call "
                     "is wrong as soon as the inputs change, even where the pointers and sizes are the same.",
                     0,
                     0,
                     {}};
    }
    const auto added = [&](std::int64_t e) { return facts.right[e] + static_cast<double>(previous[e]); };
    if (telling_values(facts, facts.probes, added) >= kNeeded) {
      return kept_state("C holds the answer of the call before added to the right one");
    }
    if (telling_values(facts, wrong_probes(facts), old) >= kNeededToAccuse) {
      return kept_state(fmt::format("the wrong elements ({} of {}) hold the right answer to the call before",
                                    facts.wrongs.size(), facts.count));
    }
  }
  if (!again.empty() && facts.evidence.c.data() == facts.c.data()) {
    // The same inputs twice: a sum that is never reset grows by the right answer with each call.
    const auto grown = [&](std::int64_t e) { return static_cast<double>(again[e]) - facts.right[e]; };
    if (telling_values(facts, facts.probes, grown) >= kNeeded) {
      return kept_state("each further call with the same inputs adds the right answer to C once more");
    }
  } else if (!again.empty()) {
    const auto grown = [&](std::int64_t e) { return 2 * facts.right[e]; };
    if (telling_values(facts, facts.probes, grown) >= kNeeded) {
      return kept_state(
          "the first call is right and the second, with the same inputs, adds its answer to that");
    }
  }
  return std::nullopt;
}

}  // namespace gemmlab::submissions
