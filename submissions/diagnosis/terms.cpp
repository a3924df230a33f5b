#include "submissions/diagnosis/terms.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>

#include "submissions/diagnosis/regions.h"
#include "submissions/diagnosis/words.h"

namespace gemmlab::submissions {
namespace {

constexpr std::int64_t kSteps[] = {2, 4, 8, 16, 32, 64, 128};
/// Where the fault is in a part of C only, any cut would fit one or two elements by chance.
constexpr std::int64_t kNeededInPart = 4;

std::int64_t whole_steps(std::int64_t n, std::int64_t step) {
  return n / step * step;
}
std::int64_t last_step(std::int64_t n, std::int64_t step) {
  return (n - 1) / step * step;
}

/// Terms [from, to) of each sum.
struct Window {
  std::int64_t from = 0;
  std::int64_t to = 0;
  bool twice = false;  ///< all terms, and these once more; else these alone
};

/// Windows that give the first wrong element, out of those that begin at the first term or end with the last.
std::vector<Window> candidates(const Facts& facts) {
  std::vector<Window> found;
  const std::int64_t element = facts.wrongs.front();
  const double got = facts.c[element];
  const double right = facts.right[element];
  double sum = 0;
  for (std::int64_t cut = 1; cut < facts.N; ++cut) {
    sum += facts.sum(element, cut - 1, cut);
    if (sum == got) found.push_back({0, cut, false});
    if (right - sum == got) found.push_back({cut, facts.N, false});
    if (right + sum == got) found.push_back({0, cut, true});
    if (right + (right - sum) == got) found.push_back({cut, facts.N, true});
  }
  // A last tile moved back, so that it ends with the matrix, counts terms again that the tile before had.
  for (const std::int64_t step : kSteps) {
    const std::int64_t whole = whole_steps(facts.N, step);
    if (whole == facts.N || whole == 0) continue;
    found.push_back({facts.N - step, whole, true});
  }
  return found;
}

/// Steps among kSteps that meet the condition, those that the outcomes speak for.
std::vector<std::int64_t> fitting_steps(const std::vector<ShapeOutcome>& outcomes,
                                        const std::function<bool(std::int64_t)>& fits,
                                        const std::function<bool(const Shape&, std::int64_t)>& right_at) {
  std::vector<std::int64_t> best;
  std::int64_t most = -1;
  for (const std::int64_t step : kSteps) {
    if (!fits(step)) continue;
    const auto agreeing = std::count_if(outcomes.begin(), outcomes.end(), [&](const ShapeOutcome& outcome) {
      return right_at(outcome.shape, step) == outcome.right;
    });
    if (agreeing > most) best.clear();
    if (agreeing >= most) best.push_back(step);
    most = std::max<std::int64_t>(most, agreeing);
  }
  return best;
}

std::string any_of(const std::vector<std::int64_t>& steps) {
  std::vector<std::string> names;
  for (const std::int64_t step : steps) names.push_back(std::to_string(step));
  return listed(names, "or");
}

bool multiple(const Shape& shape, std::int64_t step) {
  return shape.k % step == 0;
}
bool one_step(const Shape& shape, std::int64_t step) {
  return shape.k <= step;
}

class Words {
 public:
  Words(const Facts& facts, const std::vector<ShapeOutcome>& outcomes) : n_(facts.N), outcomes_(outcomes) {}

  Finding of(const Window& window) const {
    if (window.twice) return twice(window);
    return window.from == 0 ? head_only(window.to) : tail_only(window.from);
  }

 private:
  Finding head_only(std::int64_t to) const {
    const auto steps = fitting_steps(
        outcomes_, [&](std::int64_t step) { return whole_steps(n_, step) == to; }, multiple);
    Finding finding{"inner-tail", {}, {}, 1, 0, {}};
    const std::string missing =
        to + 1 == n_ ? fmt::format("the last term of each sum (inner index {}) is missing", to)
                     : fmt::format("the terms of each sum from inner index {} on are missing", to);
    finding.what = missing;
    std::int64_t steps_agree = 0;  // with the outcomes, better than one term does
    if (to + 1 == n_) finding.pattern = "inner-off-by-one";
    if (!steps.empty()) {
      const std::int64_t step = steps.back();
      finding.right_at = [step](const Shape& shape) { return multiple(shape, step); };
      finding.hint = fmt::format(
          "{} is the last multiple of {} below N={}: the inner loop takes whole steps only. Round the number "
          "of steps up and guard or zero-fill what lies beyond N, or add a loop over the rest.",
          to, any_of(steps), n_);
      // Where the other shapes show that multiples of the step are right, it is not a matter of one term.
      steps_agree = agreement(finding, outcomes_) - count_wrong();
      if (steps_agree > 0) finding.pattern = "inner-tail";
    } else {
      finding.hint =
          fmt::format("Only the first {} of N={} terms are summed: see where the inner loop ends.", to, n_);
    }
    if (finding.pattern == "inner-off-by-one") {
      finding.right_at = [](const Shape&) { return false; };
      finding.hint = fmt::format("The inner loop must take all of 0 to N-1 ({} here): < N, not < N-1.", to);
      if (!steps.empty() && steps_agree == 0) {
        finding.hint +=
            fmt::format(" Or it takes whole steps of {} only, which leaves one over.", any_of(steps));
      }
    } else if (steps.empty()) {
      finding.rank = 2;
    }
    return finding;
  }

  Finding tail_only(std::int64_t from) const {
    Finding finding{"inner-head", {}, {}, 2, 0, [](const Shape&) { return false; }};
    if (from == 1) {
      finding = {"inner-off-by-one",
                 "the first term of each sum (inner index 0) is missing",
                 "The inner loop must begin at 0, and nothing may reset the sum after its first term.",
                 1,
                 0,
                 finding.right_at};
      if (n_ > 2) return finding;
    }
    const auto steps = fitting_steps(
        outcomes_, [&](std::int64_t step) { return last_step(n_, step) == from; }, one_step);
    if (from + 1 == n_ && n_ > 1) {
      finding.pattern = "inner-last-tile";
      finding.what = fmt::format("only the last term of each sum (inner index {}) is there", from);
      finding.hint =
          "Each term replaces the sum so far: look for = where += is meant, or a sum that is set to 0 inside "
          "the inner loop.";
      finding.rank = 1;
    } else if (!steps.empty()) {
      finding.pattern = "inner-last-tile";
      finding.what =
          fmt::format("only the terms from inner index {} on are there, those of the last step", from);
      finding.hint = fmt::format(
          "With steps of {} over the inner dimension each step replaces what the ones before it gave: keep "
          "the sum over all steps, set it to 0 once before the first, and write or add it once after the "
          "last.",
          any_of(steps));
      finding.rank = 1;
    } else {
      finding.what = fmt::format("the terms before inner index {} are missing", from);
      finding.hint = "See where the inner loop begins, and whether the sum is set to 0 again on the way.";
    }
    if (!steps.empty()) {
      finding.right_at = [step = steps.back()](const Shape& shape) { return one_step(shape, step); };
    }
    return finding;
  }

  Finding twice(const Window& window) const {
    Finding finding{"inner-twice", {}, {}, 2, 0, {}};
    finding.what = window.to - window.from == 1
                       ? fmt::format("the term at inner index {} is counted twice", window.from)
                       : fmt::format("the terms from inner index {} to {} are counted twice", window.from,
                                     window.to - 1);
    const auto fits = [&](std::int64_t step) {
      return whole_steps(n_, step) == (window.to == n_ ? window.from : window.to);
    };
    const auto steps = fitting_steps(outcomes_, fits, multiple);
    finding.hint = "See whether two steps of the inner loop overlap.";
    if (!steps.empty()) {
      finding.right_at = [step = steps.back()](const Shape& shape) { return multiple(shape, step); };
      finding.hint = fmt::format(
          "N={} is not a multiple of {}: the rest after the last whole step is added by two loops, or by a "
          "last step that begins too early.",
          n_, any_of(steps));
      finding.rank = 1;
    }
    return finding;
  }

  std::int64_t count_wrong() const {
    return std::count_if(outcomes_.begin(), outcomes_.end(), [](const ShapeOutcome& o) { return !o.right; });
  }

  std::int64_t n_;
  const std::vector<ShapeOutcome>& outcomes_;
};

/// Adds a finding that foretells all wrong elements, with the part of C if it foretells others, too.
void consider(std::vector<Finding>& findings, const Facts& facts, Finding finding,
              const std::function<double(std::int64_t)>& foretold) {
  const auto test = [&](std::int64_t element) { return match(facts, element, foretold(element)); };
  finding.telling = telling(facts.probes, test);
  if (finding.telling == 0) {
    if (facts.all_wrong()) return;
    std::vector<std::int64_t> some = facts.probes;
    std::erase_if(some, [&](std::int64_t element) { return !facts.wrong[element]; });
    finding.telling = telling(some, test);
    if (finding.telling < kNeededInPart) return;
    const Region region = region_of(facts.wrong, facts.evidence.shape);
    finding.what = fmt::format("in {} {}", region.phrase, finding.what);
    finding.right_at = nullptr;
    ++finding.rank;
  }
  // A few elements fit some cut by chance; they must fit one that has a reason.
  if (finding.telling < kNeededInPart && finding.rank > 1) return;
  findings.push_back(std::move(finding));
}

void add_every_few_terms(std::vector<Finding>& findings, const Facts& facts) {
  const std::int64_t element = facts.wrongs.front();
  for (const std::int64_t step : kSteps) {
    if (step >= facts.N) break;
    for (std::int64_t first = 0; first < std::min(step, facts.N); ++first) {
      const double part = facts.sum(element, first, facts.N, step);
      const bool only = part == facts.c[element];
      const bool without = facts.right[element] - part == facts.c[element];
      if (!only && !without) continue;
      Finding finding{"inner-strided", {}, {}, 2, 0, [](const Shape&) { return false; }};
      finding.what =
          fmt::format("{} of each sum (inner indices {}, {}, ...) {}",
                      only ? fmt::format("only every {}th term", step) : fmt::format("every {}th term", step),
                      first, first + step, only ? "are there" : "are missing");
      finding.hint = fmt::format(
          "Look at how {} partial sums (threads, lanes, an unrolled loop) share the inner dimension, and at "
          "how they are added up in the end.",
          step);
      consider(findings, facts, finding, [&](std::int64_t e) {
        const double here = facts.sum(e, first, facts.N, step);
        return only ? here : facts.right[e] - here;
      });
    }
  }
}

}  // namespace

std::vector<Finding> term_findings(const Facts& facts, const std::vector<ShapeOutcome>& outcomes) {
  std::vector<Finding> findings;
  const Words words(facts, outcomes);
  for (const Window& window : candidates(facts)) {
    consider(findings, facts, words.of(window), [&](std::int64_t element) {
      const double part = facts.sum(element, window.from, window.to);
      return window.twice ? facts.right[element] + part : part;
    });
  }
  add_every_few_terms(findings, facts);
  return findings;
}

}  // namespace gemmlab::submissions
