// What a Checker does once C is wrong: telling honest mistakes from others, and gathering what explains them.

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "submissions/judge/checking/checker.h"
#include "submissions/judge/failures/memory_failure.h"
#include "submissions/solve_shape.h"

namespace gemmlab::submissions {
namespace {

constexpr std::size_t kMostEvidence = 3;
constexpr std::int64_t kTellingSide = 15;
constexpr std::uint32_t kMagnitude = 0x7fffffff;
constexpr std::uint32_t kNoPoison = 0;
constexpr double kFetch_s = 5;  ///< to bring C back from a GPU
constexpr const char* kAlphaBeta = "alpha-beta";

/// Of either sign: arithmetic may have changed that.
bool is_band(float value) {
  std::uint32_t word = 0;
  std::memcpy(&word, &value, sizeof word);
  return (word & kMagnitude) == kPoisonBand;
}

/// Are they the same but for rounding, of the largest? A product of one or two elements may be alike by chance, and what comes
/// to nothing is like every other that does: tiny inputs make tiny products of whatever they meet.
bool same(const float* c, const std::vector<double>& right, ElementType type) {
  constexpr std::size_t kTelling = 8;
  const double rounding = 1e-5 + (type == ElementType::kFloat32 ? 0 : unit_roundoff(type));
  double scale = 0;
  for (const double value : right) scale = std::max(scale, std::abs(value));
  for (std::size_t i = 0; i < right.size(); ++i) {
    if (!(std::abs(c[i] - right[i]) <= rounding * scale)) return false;
  }
  return right.size() >= kTelling && scale > 0;
}

/// What it means that such numbers come out wrong, and whole numbers without zeros right.
struct Special {
  const char* pattern;
  const char* seen;
  const char* hint;
};

const Special& of_kind(Kind kind, ElementType type) {
  static constexpr Special kFractions{
      "only-integers", "Right for whole numbers, wrong for fractions",
      "A sum, or a copy of A or B, is held in an int, or in a type with few digits."};
  static constexpr Special kWholeRange{
      "narrow-range", "Right for small numbers, wrong where A and B hold any int8 from -127 to 127",
      "A product of two int8 needs 16 bits, and a sum of them 32: add up in an int32_t."};
  static constexpr Special kZeros{
      "wrong-at-zeros", "Right for numbers that are not 0, wrong where A or B hold zeros",
      "Where a zero is skipped, only its own product may be left out: continue, not break "
      "or return, and C still has to be set."};
  static constexpr Special kWide{
      "narrow-range",
      "Right for numbers of about 1, wrong where very large ones stand beside very small ones",
      "A, B and C hold any float: nothing may be clamped, scaled to a fixed range, or held in "
      "an int or in half precision."};
  if (kind == Kind::kFractions && is_integer(type)) return kWholeRange;
  return kind == Kind::kZeros ? kZeros : kind == Kind::kWide ? kWide : kFractions;
}

}  // namespace

bool Checker::has_failed_by(const std::string& pattern) const {
  return std::any_of(result_.failures.begin(), result_.failures.end(),
                     [&](const Failure& one) { return one.pattern == pattern; });
}

/// C is what the call before should have given, or mixes that call's A or B with this one's.
bool Checker::remembered() {
  const Given now = given();
  if (before_.shape != now.shape) return false;
  const auto fits = [&](const Given& of_a, const Given& of_b, const char* what) {
    const Given& rest = &of_b == &now ? now : of_a;  // whose factors, and whose C
    std::vector<double> answer = product_of(of_a.a, of_b.b, now.shape);
    for (std::size_t i = 0; i < answer.size(); ++i)
      answer[i] = double{rest.factors.alpha} * answer[i] +
                  (rest.c.empty() ? 0 : double{rest.factors.beta} * rest.c[i]);
    if (!same(c(), answer, setup_.solve.types.result)) return false;
    Failure failure;
    failure.verdict = Judged::kDishonest;
    failure.pattern = "remembered";
    failure.shape = now.shape;
    failure.explanation = fmt::format("At {} C is made from {} of the call before, not from what was given.",
                                      in_students_words(now.shape), what);
    failure.hint =
        "Nothing of A, B or C may be kept from one call to the next: a copy or a packed form of B has to be "
        "made anew each time.";
    fail(failure);
    return true;
  };
  return fits(before_, before_, "the inputs") || fits(now, before_, "the B") || fits(before_, now, "the A");
}

/// Does C become right, or change at all, once more time has passed?
bool Checker::finished_later(const Inputs& inputs) {
  const std::vector<float> first = copy_of_c();
  usleep(kWaitForLate_us);
  Request look = request_;
  look.ask = Ask::kLook;
  const CallEnd end = process_->ask(look, limits_.call_s + kFetch_s);
  fetch();
  if (const auto failure =
          failure_of(end, Phase::kChecking, inputs.shape, limits_.call_s, process_->printed())) {
    fail(*failure);
    return true;
  }
  if (std::memcmp(first.data(), c(), first.size() * sizeof(float)) == 0) return false;
  fail(unfinished(inputs.shape));
  return true;
}

/// C is wrong: what can be learnt about it while the process lives.
void Checker::wrong(const Inputs& inputs) {
  if (has_failed_by(kAlphaBeta)) return;  // A·B with an old C in it looks like much else
  if (waits_for_late_ > 0) {
    --waits_for_late_;
    if (finished_later(inputs)) return;
  }
  if (refused_.refused_bytes != 0 && !setup_.emulated()) {  // where the emulator says so, with the line
    Failure refused = refused_memory(refused_, setup_.confinement.memory_bytes,
                                     "at " + in_students_words(inputs.shape) + ", where C is wrong");
    refused.shape = inputs.shape;
    if (!has_failed_by(refused.pattern)) result_.failures.push_back(std::move(refused));
  }
  if (!setup_.device_memory() && std::any_of(c(), c() + inputs.shape.c_count(), is_band))
    return read_outside(inputs);
  // small shapes, and those with equal sides, fit many explanations
  const int score = (std::min({inputs.shape.m, inputs.shape.n, inputs.shape.k}) >= kTellingSide ? 2 : 0) +
                    (inputs.shape.m != inputs.shape.n && inputs.shape.n != inputs.shape.k ? 1 : 0);
  if (evidence_.size() >= kMostEvidence && score <= evidence_.back().first) return;
  Evidence found = evidence(inputs);
  if (over_) return;
  evidence_.emplace_back(score, std::move(found));
  std::stable_sort(evidence_.begin(), evidence_.end(),
                   [](const auto& one, const auto& other) { return one.first > other.first; });
  if (evidence_.size() > kMostEvidence) evidence_.pop_back();
}

/// Whole numbers, with an alpha or a beta that is not usual: is one of them left out? Else, is A·B right?
void Checker::wrong_when_scaled(const Inputs& inputs) {
  if (has_failed_by(kAlphaBeta)) return;
  const std::vector<float> scaled = copy_of_c();
  const auto [alpha, beta] = inputs.factors;
  const std::vector<double> product =
      product_of(made(inputs, Operand::kA), made(inputs, Operand::kB), inputs.shape);
  const std::vector<float> before = made(inputs, Operand::kC);
  const auto first_other = [&, type = setup_.solve.types.result](double of_product, double of_c) {
    std::size_t i = 0;
    const auto as = [&] {
      return rounded(type, static_cast<float>(of_product * product[i] + of_c * before[i]));
    };
    while (i < product.size() && as() == scaled[i]) ++i;
    return i;
  };
  const auto fits = [&](double of_product, double of_c) {
    return first_other(of_product, of_c) == product.size();
  };
  const char* holds = beta != 0 && fits(alpha, 0)   ? "alpha·A·B, without beta·C"
                      : alpha != 1 && fits(1, beta) ? "A·B + beta·C, without alpha"
                      : beta != 1 && fits(alpha, 1) ? "alpha·A·B + C, without beta"
                      : fits(1, 0)                  ? "A·B, without alpha and beta"
                                                    : nullptr;
  const std::string where = in_students_words(inputs.shape);
  Failure failure;
  if (holds != nullptr) {
    failure.explanation =
        fmt::format("For alpha = {:g} and beta = {:g}, at {}, C holds {}.", alpha, beta, where, holds);
  } else {
    Inputs plain = inputs;
    plain.factors = {};
    if (!call(plain, Placement::kAtEnd, kPoisonC)) return;
    if (check_answer(plain, c(), product_).verdict != Verdict::kOk) return wrong(plain);
    failure.explanation =
        fmt::format("Right for alpha = 1 and beta = 0, wrong for alpha = {:g} and beta = {:g}, at {}.", alpha,
                    beta, where);
  }
  const std::size_t at = std::min(first_other(alpha, beta), product.size() - 1);
  failure.pattern = kAlphaBeta;
  failure.shape = inputs.shape;
  failure.element = true;
  failure.row = static_cast<std::int64_t>(at) / inputs.shape.n;
  failure.col = static_cast<std::int64_t>(at) % inputs.shape.n;
  failure.expected = double{alpha} * product[at] + double{beta} * before[at];
  failure.got = scaled[at];
  failure.hint =
      "C = alpha·A·B + beta·C, where C on the right is what it held before the call: alpha times the whole "
      "sum, and beta times the old element once, before it is overwritten.";
  result_.failures.push_back(std::move(failure));
}

/// The NaN from round the matrices has come into C. Where it was read at the front, the same call with the
/// matrices at the start of their memory faults.
void Checker::read_outside(const Inputs& inputs) {
  if (!call(inputs, Placement::kAtStart, kPoisonC)) return;
  Failure failure;
  failure.verdict = Judged::kOutOfBounds;
  failure.pattern = "read-past-end";
  failure.shape = inputs.shape;
  failure.explanation = fmt::format(
      "It reads past the end of {}, at {}: what lies there has come into C.",
      inputs.shape.a_count() * setup_.matrices.a->element_bytes() % kAlignment == 0 ? "B" : "A or B",
      in_students_words(inputs.shape));
  failure.hint =
      "Which index is the largest that your loops can form? Look for <= where < was meant, and for a step of "
      "several elements where the length is not a multiple of it.";
  fail(failure);
}

/// Whole numbers came out right, these did not: always, or only now and then?
void Checker::wrong_for_special(const Inputs& inputs) {
  if (!call(inputs, Placement::kAtStart, kPoisonC)) return;
  const std::vector<float> first = copy_of_c();
  if (!call(inputs, Placement::kAtStart, kPoisonC)) return;
  const bool still_wrong = check_answer(inputs, c(), product_).verdict != Verdict::kOk;
  const bool always = still_wrong && std::memcmp(first.data(), c(), first.size() * sizeof(float)) == 0;
  const Special& kind = of_kind(inputs.kind, setup_.solve.types.type);
  const bool nan = std::any_of(first.begin(), first.end(), [](float value) { return std::isnan(value); });
  Failure failure;
  failure.pattern = !always ? "race" : nan ? "nan" : kind.pattern;
  failure.shape = inputs.shape;
  const std::string where = in_students_words(inputs.shape);
  failure.explanation = always ? fmt::format("{}, at {}{}.", kind.seen, where, nan ? ": C holds NaN" : "")
                               : fmt::format("At {} C is right in one call and wrong in another.", where);
  failure.hint =
      always ? kind.hint
             : "Threads that work on the same element, a missing barrier, or something kept between calls.";
  result_.failures.push_back(failure);
}

Evidence Checker::evidence(const Inputs& inputs) {
  Evidence found;
  found.shape = inputs.shape;
  found.a = made(inputs, Operand::kA);
  found.b = made(inputs, Operand::kB);
  found.c = copy_of_c();
  if (before_.shape == inputs.shape) {
    const std::vector<double> right = product_of(before_.a, before_.b, inputs.shape);
    found.previous_right.assign(right.begin(), right.end());
  }
  if (call(inputs, Placement::kAtEnd, kPoisonC)) found.c_again = copy_of_c();
  if (!over_ && call(inputs, Placement::kAtEnd, kNoPoison)) found.c_over_zeros = copy_of_c();
  const auto nan = [](float value) { return std::isnan(value); };
  if (!over_ && setup_.gpu && std::any_of(found.c_over_zeros.begin(), found.c_over_zeros.end(), nan)) {
    // NaN that is not C's own: does it come from round the matrices?
    if (call(inputs, Placement::kAtEnd, kNoPoison, true) &&
        std::none_of(c(), c() + inputs.shape.c_count(), nan)) {
      CallEnd end;
      end.how = CallEnd::How::kAnswered;
      end.reply.said = Said::kReturned;
      end.reply.side = Side::kBehind;
      end.reply.matrix = 1;
      end.reply.writing = 0;
      Failure failure = *failure_of(end, Phase::kChecking, inputs.shape, limits_.call_s, "");
      failure.explanation = fmt::format("It reads what lies round A or B, at {}: C depends on it.",
                                        in_students_words(inputs.shape));
      fail(failure);
    }
  }
  return found;
}

}  // namespace gemmlab::submissions
