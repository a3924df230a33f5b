#include "submissions/diagnosis/diagnosis.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "submissions/diagnosis/content.h"
#include "submissions/diagnosis/facts.h"
#include "submissions/diagnosis/indexing.h"
#include "submissions/diagnosis/regions.h"
#include "submissions/diagnosis/shapes.h"
#include "submissions/diagnosis/terms.h"
#include "submissions/diagnosis/values.h"
#include "submissions/diagnosis/words.h"
#include "submissions/solve_shape.h"

namespace gemmlab::submissions {
namespace {

/// Wrong elements under which an explanation of all of C is called a guess.
constexpr std::int64_t kFew = 3;

using Outcomes = std::vector<ShapeOutcome>;

/// What fits C best: first what foretells how the other shapes ended, then what is least far-fetched.
std::optional<Finding> explanation(const Facts& facts, const Outcomes& outcomes) {
  std::vector<Finding> findings = value_findings(facts);
  for (auto& finding : term_findings(facts, outcomes)) findings.push_back(std::move(finding));
  for (auto& finding : indexing_findings(facts)) findings.push_back(std::move(finding));
  if (findings.empty()) return std::nullopt;
  // One that says nothing of other shapes counts like one that is wrong for all.
  const auto wrong = std::count_if(outcomes.begin(), outcomes.end(), [](const auto& o) { return !o.right; });
  const auto score = [&](const Finding& f) { return f.right_at ? agreement(f, outcomes) : wrong; };
  const auto better = [&](const Finding& x, const Finding& y) {
    const auto x_score = score(x);
    const auto y_score = score(y);
    return x_score != y_score ? x_score > y_score : x.rank < y.rank;
  };
  std::stable_sort(findings.begin(), findings.end(), better);
  Finding best = findings.front();
  const auto other = std::find_if(findings.begin(), findings.end(), [&](const Finding& f) {
    return !better(best, f) && f.pattern != best.pattern;
  });
  if (best.telling < kFew) {
    best.hint = fmt::format("Only {} what it is, so take this as a guess. {}",
                            counted(best.telling, "wrong element tells", "wrong elements tell"), best.hint);
  }
  if (other != findings.end()) best.hint += fmt::format(" Here it might as well be that {}.", other->what);
  return best;
}

std::string value_note(const Facts& facts) {
  const auto holds = [&](auto test) { return std::all_of(facts.wrongs.begin(), facts.wrongs.end(), test); };
  if (holds([&](std::int64_t e) { return facts.c[e] == 0; })) {
    return facts.wrongs.size() == 1 ? ", where C is 0" : ", where all of them are 0";
  }
  return "";
}

Finding whereabouts(const Facts& facts) {
  const Region region = region_of(facts.wrong, facts.evidence.shape);
  Finding finding{region.pattern, {}, region.hint, 0, 0, {}};
  const auto wrong = static_cast<std::int64_t>(facts.wrongs.size());
  const std::int64_t first = facts.wrongs.front();
  if (facts.all_wrong()) {
    finding.what =
        wrong == 1 ? "the one element of C is wrong" : fmt::format("all {} elements of C are wrong", wrong);
  } else if (wrong == 1 || region.pattern.empty()) {
    finding.what = "C is wrong in " + region.phrase;
  } else {
    finding.what =
        fmt::format("C is wrong only in {} ({} of {} elements)", region.phrase, wrong, facts.count);
  }
  finding.what += value_note(facts);
  finding.what += fmt::format(": C[{}][{}] is {} where {} is right", first / facts.K, first % facts.K,
                              valued(facts.c[first]), valued(facts.right[first]));
  return finding;
}

/// Parts of C that say more of the fault than the shapes do.
bool says_most(const std::string& region) {
  for (const char* known : {"last-row", "last-column", "last-element", "edge-rows", "edge-columns", "edges",
                            "tail-of-c", "triangle", "stripes", "tile-pattern"}) {
    if (region == known) return true;
  }
  return false;
}

/// Where nothing explains the values: where they are, and at which shapes.
Finding by_place_and_shape(const Facts& facts, const ShapePattern& shapes) {
  Finding finding = whereabouts(facts);
  if (!says_most(finding.pattern) && !shapes.pattern.empty()) {
    finding.pattern = shapes.pattern;
    finding.hint = shapes.hint;
  }
  if (finding.pattern.empty()) finding.pattern = "scattered";
  if (finding.hint.empty()) {
    finding.hint =
        "The values fit no fault that is known here. Try a 2×2×2 product by hand and print indices; threads "
        "that share memory without a barrier, and reads outside A or B, look like this as well.";
  }
  return finding;
}

Finding found(const Facts& facts, const Outcomes& outcomes, const ShapePattern& shapes) {
  if (auto finding = memory_finding(facts)) return *finding;
  if (auto finding = race_finding(facts)) return *finding;
  if (auto finding = old_content_finding(facts)) return *finding;
  if (auto finding = explanation(facts, outcomes)) {
    const bool tail = finding->pattern == "inner-tail" || finding->pattern == "inner-off-by-one";
    if (tail && shapes.pattern == "only-remainder") finding->hint = shapes.hint;
    return *finding;
  }
  if (auto finding = left_over_finding(facts)) {
    // Where C is bad in all its parts, the shapes say more.
    if (!shapes.hint.empty() && finding->telling == facts.count) finding->hint += " " + shapes.hint;
    return *finding;
  }
  return by_place_and_shape(facts, shapes);
}

}  // namespace

Diagnosis diagnose(const Evidence& evidence, const Outcomes& outcomes) {
  const Facts facts(evidence);
  const ShapePattern shapes = shape_pattern(outcomes);
  const Finding finding = found(facts, outcomes, shapes);
  const std::int64_t first = facts.wrongs.front();
  Diagnosis diagnosis;
  diagnosis.pattern = finding.pattern;
  diagnosis.over_shapes = shapes.pattern;
  const std::string at = fmt::format("at {} {}.", in_students_words(evidence.shape), finding.what);
  diagnosis.summary = shapes.clause.empty() ? capitalised(at) : fmt::format("{}: {}", shapes.clause, at);
  diagnosis.hint = finding.hint;
  diagnosis.row = first / facts.K;
  diagnosis.col = first % facts.K;
  diagnosis.expected = facts.right[first];
  diagnosis.got = facts.c[first];
  diagnosis.wrong = static_cast<std::int64_t>(facts.wrongs.size());
  return diagnosis;
}

}  // namespace gemmlab::submissions
