#include "submissions/diagnosis/content.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "submissions/diagnosis/regions.h"
#include "submissions/diagnosis/words.h"

namespace gemmlab::submissions {
namespace {

template <typename Test>
Mask mask_of(const Facts& facts, Test test) {
  Mask mask(facts.wrong.size());
  for (std::int64_t e = 0; e < facts.count; ++e) mask[e] = test(e);
  return mask;
}

std::int64_t count(const Mask& mask) {
  return std::count(mask.begin(), mask.end(), 1);
}

/// " (12 of 99 elements)", and what is wrong besides.
std::string extent(const Facts& facts, std::int64_t marked) {
  std::string text = marked == facts.count ? "" : fmt::format(" ({} of {} elements)", marked, facts.count);
  const std::int64_t besides = static_cast<std::int64_t>(facts.wrongs.size()) - marked;
  if (besides > 0)
    text += fmt::format(", and {} wrong besides", counted(besides, "other element is", "others are"));
  return text;
}

Finding nothing_written(bool certain) {
  std::string hint =
      "No element was stored: see that {gpu:the kernel is launched (grid and block sizes not 0 or too large, "
      "no error returned), that its guard lets threads through}{cpu:the loops are entered}, and that results "
      "go to C and not to a copy.";
  if (!certain)
    hint += " The same is seen where results are only added to C (+=), which holds NaN before the call.";
  return {"nothing-written", "C still holds what it held before the call", hint, 0, 0, {}};
}

/// What a call over a C full of zeros says of the elements that are NaN over a poisoned C.
struct OverZeros {
  explicit OverZeros(const Facts& facts) {
    const auto& zeros = facts.evidence.c_over_zeros;
    if (zeros.empty()) return;
    for (std::int64_t e = 0; e < facts.count; ++e) {
      const bool was_nan = std::isnan(facts.evidence.c[e]);
      right += static_cast<double>(zeros[e]) == facts.right[e];
      if (!was_nan) continue;
      depending += !std::isnan(zeros[e]) && zeros[e] != 0;
      untouched += zeros[e] == 0 && facts.right[e] != 0;
    }
  }
  std::int64_t right = 0;
  std::int64_t depending = 0;  ///< numbers over zeros
  std::int64_t untouched = 0;  ///< zeros over zeros
};

}  // namespace

std::optional<Finding> race_finding(const Facts& facts) {
  const auto& c = facts.evidence.c;
  const auto& again = facts.evidence.c_again;
  if (again.empty()) return std::nullopt;
  const Mask differing = mask_of(
      facts, [&](std::int64_t e) { return c[e] != again[e] && !(std::isnan(c[e]) && std::isnan(again[e])); });
  const std::int64_t elements = count(differing);
  if (elements == 0) return std::nullopt;
  const bool late = std::any_of(facts.wrongs.begin(), facts.wrongs.end(), [&](std::int64_t e) {
    return differing[e] && (has_bits(c[e], kPoisonC) || has_bits(again[e], kPoisonC));
  });
  Finding finding{
      "race",
      fmt::format("two calls with the same inputs gave different results in {} of {} elements of C", elements,
                  facts.count),
      "Something depends on timing or on memory that was never set: {gpu:a missing __syncthreads() between "
      "writing and reading a shared tile, }threads that add to one element without an atomic, {cpu:an OpenMP "
      "variable that should be private, }or reads of uninitialised memory.",
      0,
      0,
      {}};
  if (late)
    finding.hint +=
        " Some elements were written in one call and not in the other: work may still be running.";
  return finding;
}

std::optional<Finding> old_content_finding(const Facts& facts) {
  const OverZeros over(facts);
  const bool known = !facts.evidence.c_over_zeros.empty();
  const auto& c = facts.evidence.c;
  const bool all_poison = std::all_of(c.begin(), c.end(), [](float x) { return has_bits(x, kPoisonC); });
  if (over.depending > over.untouched) {
    Finding finding{"uninitialised-c", "what C held before the call goes into the result", {}, 0, 0, {}};
    finding.what += over.right == facts.count
                        ? ": over a C full of zeros the answer is right"
                        : fmt::format("; over a C full of zeros {} of {} elements are still wrong",
                                      facts.count - over.right, facts.count);
    finding.hint =
        "C = A·B overwrites C: sum in a variable that begins at 0 and store it with =, or set C to 0 first. "
        "C may hold anything before the call.";
    return finding;
  }
  if (all_poison) return nothing_written(known && over.untouched > 0);
  return std::nullopt;
}

std::optional<Finding> left_over_finding(const Facts& facts) {
  const Mask unwritten = mask_of(facts, [&](std::int64_t e) { return has_bits(facts.c[e], kPoisonC); });
  if (const std::int64_t marked = count(unwritten); marked > 0) {
    const Region region = region_of(unwritten, facts.evidence.shape);
    // what is written there may be wrong or nothing at all: for its author both are the last row, or column
    const bool last = region.pattern == "last-row" || region.pattern == "last-column";
    Finding finding{last ? region.pattern : "partly-written",
                    fmt::format("C is not written in {}", region.phrase),
                    region.hint,
                    0,
                    marked,
                    {}};
    finding.what += extent(facts, marked);
    if (finding.hint.empty())
      finding.hint = "Look at which threads, blocks or steps of a loop are to write there.";
    if (facts.evidence.c_over_zeros.empty()) finding.hint += " Or there is += on a C that was never set.";
    return finding;
  }
  const Mask odd = mask_of(facts, [&](std::int64_t e) { return !std::isfinite(facts.c[e]); });
  const std::int64_t marked = count(odd);
  if (marked == 0) return std::nullopt;
  const Region region = region_of(odd, facts.evidence.shape);
  const bool any_nan = std::any_of(facts.c.begin(), facts.c.end(), [](float x) { return std::isnan(x); });
  Finding finding{"nan",  fmt::format("C holds {} in {}", any_nan ? "NaN" : "infinities", region.phrase),
                  {},     0,
                  marked, {}};
  finding.what += extent(facts, marked);
  const bool outside = std::any_of(facts.c.begin(), facts.c.end(),
                                   [](float x) { return has_bits(std::fabs(x), kPoisonBand); });
  finding.hint = outside
                     ? "It is the NaN that lies round the matrices: A or B is read outside its bounds. Check "
                       "the largest index that each loop reaches, above all in the last tile."
                     : "A and B hold small integers only, so it comes from elsewhere: memory that was never "
                       "set, reads outside A or B (NaN lies there), a division by 0, or the old C taken in.";
  if (!region.hint.empty()) finding.hint += " " + region.hint;
  return finding;
}

}  // namespace gemmlab::submissions
