#include "submissions/checker.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "submissions/libraries.h"
#include "submissions/shapes.h"

namespace gemmlab::submissions {
namespace {

constexpr double kStart_s = 60;       ///< a CUDA context takes seconds
constexpr double kTransfer_s = 5;     ///< to and from a GPU, over what a call may take
constexpr int kMostWrongShapes = 24;  ///< enough for any pattern
constexpr std::size_t kMostEvidence = 3;
constexpr std::int64_t kTellingSide = 15;
constexpr useconds_t kWaitForLate_us = 300'000;
constexpr std::uint32_t kNoPoison = 0;
constexpr std::uint32_t kMagnitude = 0x7fffffff;

/// Of either sign: arithmetic may have changed that.
bool is_band(float value) {
  std::uint32_t word = 0;
  std::memcpy(&word, &value, sizeof word);
  return (word & kMagnitude) == kPoisonBand;
}

/// A·B in double of matrices as they are.
std::vector<double> product_of(const std::vector<float>& a, const std::vector<float>& b, const Shape& shape) {
  std::vector<double> c(static_cast<std::size_t>(shape.c_count()));
  for (std::int64_t row = 0; row < shape.m; ++row) {
    for (std::int64_t k = 0; k < shape.k; ++k) {
      const double factor = a[static_cast<std::size_t>(row * shape.k + k)];
      const float* b_row = b.data() + k * shape.n;
      double* c_row = c.data() + row * shape.n;
      for (std::int64_t col = 0; col < shape.n; ++col) c_row[col] += factor * b_row[col];
    }
  }
  return c;
}

std::vector<float> made(const Inputs& inputs, Operand operand) {
  const Shape& shape = inputs.shape;
  const std::int64_t rows = operand == Operand::kA ? shape.m : shape.k;
  const std::int64_t cols = operand == Operand::kA ? shape.k : shape.n;
  std::vector<float> values(static_cast<std::size_t>(rows * cols));
  fill(values.data(), rows, cols, inputs.distribution, inputs.seed, operand, 0, integer_limit(shape.k));
  return values;
}

/// Are they the same but for rounding? A product of one or two elements may be alike by chance.
bool same(const float* c, const std::vector<double>& right) {
  constexpr std::size_t kTelling = 8;
  double scale = 1;
  for (const double value : right) scale = std::max(scale, std::abs(value));
  for (std::size_t i = 0; i < right.size(); ++i) {
    if (!(std::abs(c[i] - right[i]) <= 1e-5 * scale)) return false;
  }
  return right.size() >= kTelling;
}

}  // namespace

Checker::Checker(CalleeSetup setup, const Limits& limits, DoubleProduct product)
    : setup_(std::move(setup)), limits_(limits), product_(std::move(product)) {}

CheckResult Checker::check(const std::vector<Shape>& shapes, std::uint64_t seed) {
  result_ = {};
  evidence_.clear();
  setup_.matrices = Matrices::for_shapes(shapes);
  setup_.writable_inputs = setup_.gpu;  // the GPU's inputs are brought back to be looked at
  if (!start()) return result_;
  ones_by_twos();
  for (std::size_t i = 0; i < shapes.size() && !over_; ++i) shape(shapes[i], seed + 1 + 3 * i);
  if (process_->alive()) look_for_libraries();
  explain();
  std::stable_sort(result_.failures.begin(), result_.failures.end(),
                   [](const Failure& one, const Failure& other) { return one.verdict > other.verdict; });
  return result_;
}

bool Checker::start() {
  process_ = std::make_unique<CalleeProcess>(setup_);
  const CallEnd ready = process_->ready(kStart_s);
  // our own code so far: what goes wrong here says nothing of the submission
  if (ready.how != CallEnd::How::kAnswered || ready.reply.said != Said::kReady)
    throw std::runtime_error(fmt::format("the process that makes the calls did not start: {} {}",
                                         ready.reply.text, process_->printed()));
  libraries_ = process_->libraries();
  const CallEnd loaded = process_->load(limits_.call_s);
  if (const auto failure = failure_of(loaded, Phase::kLoading, {}, limits_.call_s, process_->printed()))
    return fail(*failure);
  result_.load_s = loaded.reply.seconds;
  note_opened(loaded.reply);
  return true;
}

/// The case that every transposition passes, and that shows whether it works at all: 16×16, ones by twos.
void Checker::ones_by_twos() {
  const Shape side{16, 16, 16};
  place({side, Distribution::kInteger, 0}, Placement::kAtEnd, kPoisonC);
  std::fill_n(setup_.matrices.a->at(request_.offset[0]), side.a_count(), 1.0F);
  std::fill_n(setup_.matrices.b->at(request_.offset[1]), side.b_count(), 2.0F);
  const CallEnd end = process_->ask(request_, limits_.call_s + (setup_.gpu ? kTransfer_s : 0));
  ++result_.calls;
  if (const auto failure = failure_of(end, Phase::kChecking, side, limits_.call_s, process_->printed())) {
    fail(*failure);
    return;
  }
  const bool right = std::all_of(c(), c() + side.c_count(), [](float value) { return value == 32.0F; });
  if (!right)
    result_.notes.push_back(
        "Wrong even for a 16×16 matrix of ones by one of twos, where every element of C is 32.");
}

/// Three calls: whole numbers against the end of the memory, fractions at its start, and whole numbers again
/// where those fractions were.
void Checker::shape(const Shape& now, std::uint64_t seed) {
  const Inputs first{now, Distribution::kInteger, seed};
  const Inputs fractions{now, Distribution::kUniform, seed + 1};
  const Inputs second{now, Distribution::kInteger, seed + 2};
  bool right = exact(first, Placement::kAtEnd);
  if (right && !over_) right = bound(fractions);
  if (right && !over_) right = exact(second, Placement::kAtStart);
  if (!over_) result_.outcomes.push_back({now, right});
  const auto wrongs = std::count_if(result_.outcomes.begin(), result_.outcomes.end(),
                                    [](const ShapeOutcome& outcome) { return !outcome.right; });
  if (wrongs >= kMostWrongShapes) over_ = true;
}

bool Checker::exact(const Inputs& inputs, Placement placement) {
  if (!call(inputs, placement, kPoisonC)) return false;
  const Reference reference(inputs.shape, inputs.distribution, inputs.seed, product_);
  if (overall(reference.check(c(), 0)) == Verdict::kOk) return true;
  if (!remembered()) wrong(inputs);
  return false;
}

bool Checker::bound(const Inputs& inputs) {
  if (!call(inputs, Placement::kAtStart, kPoisonC)) return false;
  const Reference reference(inputs.shape, inputs.distribution, inputs.seed, product_);
  const std::vector<Check> checks = reference.check(c(), 0);
  if (checks.front().verdict == Verdict::kOk) return true;
  if (checks.front().verdict == Verdict::kReducedPrecision) {
    imprecise(inputs, checks.front());
    return true;
  }
  if (remembered()) return false;
  // whole numbers again, since only they can be explained exactly
  Inputs again = inputs;
  again.distribution = Distribution::kInteger;
  if (exact(again, Placement::kAtStart) && !over_) wrong_for_fractions(inputs);
  return false;
}

void Checker::place(const Inputs& inputs, Placement placement, std::uint32_t poison) {
  const Shape& now = inputs.shape;
  Matrices& matrices = setup_.matrices;
  Room* rooms[3] = {matrices.a.get(), matrices.b.get(), matrices.c.get()};
  const std::int64_t counts[3] = {now.a_count(), now.b_count(), now.c_count()};
  request_ = {};
  request_.ask = Ask::kCall;
  request_.m = now.m;
  request_.n = now.n;
  request_.k = now.k;
  request_.checked = 1;
  for (int i = 0; i < 3; ++i) {
    request_.offset[i] = rooms[i]->offset_of(counts[i], placement);
    rooms[i]->band(request_.offset[i], counts[i]);
  }
  const std::int32_t limit = integer_limit(now.k);
  fill(matrices.a->at(request_.offset[0]), now.m, now.k, inputs.distribution, inputs.seed, Operand::kA, 0,
       limit);
  fill(matrices.b->at(request_.offset[1]), now.k, now.n, inputs.distribution, inputs.seed, Operand::kB, 0,
       limit);
  float poisoned = 0;
  std::memcpy(&poisoned, &poison, sizeof poisoned);
  std::fill_n(matrices.c->at(request_.offset[2]), now.c_count(), poisoned);
}

/// What was given to the last call, as it was given.
Checker::Given Checker::given() {
  const Shape now{request_.m, request_.n, request_.k};
  const float* a = setup_.matrices.a->at(request_.offset[0]);
  const float* b = setup_.matrices.b->at(request_.offset[1]);
  return {now, {a, a + now.a_count()}, {b, b + now.b_count()}};
}

/// One call. False where the submission failed in a way that leaves no C to be looked at.
bool Checker::call(const Inputs& inputs, Placement placement, std::uint32_t poison, bool zero_bands) {
  if (result_.calls > 0) before_ = given();
  place(inputs, placement, poison);
  request_.zero_bands = zero_bands ? 1 : 0;
  const CallEnd end = process_->ask(request_, limits_.call_s + (setup_.gpu ? kTransfer_s : 0));
  ++result_.calls;
  note_opened(end.reply);
  spent_s_ += end.wall_s;
  if (const auto failure =
          failure_of(end, Phase::kChecking, inputs.shape, limits_.call_s, process_->printed()))
    return fail(*failure);
  if (setup_.gpu && end.reply.number != 0) {
    const std::string note =
        fmt::format("solve left the CUDA error {} ({}) at {}: a launch or a call failed.", end.reply.number,
                    end.reply.text, in_students_words(inputs.shape));
    if (result_.notes.size() < 3) result_.notes.push_back(note);
  }
  if (spent_s_ > limits_.submission_s) {
    Failure late;
    late.verdict = Judged::kTimeout;
    late.pattern = "too-slow";
    late.shape = inputs.shape;
    late.explanation = fmt::format("All calls together took over {:g} s.", limits_.submission_s);
    late.hint = "The shapes that are checked are small; what takes so long?";
    return fail(late);
  }
  return bands_whole(inputs.shape) && inputs_whole(inputs);
}

bool Checker::bands_whole(const Shape& now) {
  Matrices& matrices = setup_.matrices;
  CallEnd end;
  end.how = CallEnd::How::kAnswered;
  end.reply.said = Said::kReturned;
  end.reply.side = matrices.c->touched(request_.offset[2], now.c_count(), end.reply.distance_bytes);
  if (end.reply.side == Side::kNone) return true;
  end.reply.matrix = 2;
  end.reply.writing = 1;
  return fail(*failure_of(end, Phase::kChecking, now, limits_.call_s, ""));
}

bool Checker::inputs_whole(const Inputs& inputs) {
  Matrices& matrices = setup_.matrices;
  const Check check = check_inputs_unchanged(
      matrices.a->at(request_.offset[0]), matrices.b->at(request_.offset[1]), inputs.shape,
      inputs.distribution, inputs.seed, 0, integer_limit(inputs.shape.k));
  if (check.verdict == Verdict::kOk) return true;
  const bool in_a = check.worst_col < inputs.shape.k;
  Failure failure;
  failure.verdict = Judged::kIncorrect;
  failure.pattern = "inputs-modified";
  failure.shape = inputs.shape;
  failure.explanation =
      fmt::format("It changed {} at row {}, column {}, at {}.", in_a ? "A" : "B", check.worst_row,
                  in_a ? check.worst_col : check.worst_col - inputs.shape.k, in_students_words(inputs.shape));
  failure.hint = "A and B belong to the caller and are const: work on a copy.";
  return fail(failure);
}

const float* Checker::c() {
  return setup_.matrices.c->at(request_.offset[2]);
}

std::vector<float> Checker::copy_of_c() {
  return {c(), c() + request_.m * request_.n};
}

/// C is what the call before should have given, or mixes that call's A or B with this one's.
bool Checker::remembered() {
  const Given now = given();
  if (before_.shape != now.shape) return false;
  const auto fits = [&](const Given& of_a, const Given& of_b, const char* what) {
    if (!same(c(), product_of(of_a.a, of_b.b, now.shape))) return false;
    Failure failure;
    failure.verdict = Judged::kDishonest;
    failure.pattern = "remembered";
    failure.shape = now.shape;
    failure.explanation = fmt::format("At {} C is made from {} of the call before, not from what was given.",
                                      in_students_words(now.shape), what);
    failure.hint =
        "Nothing of A, B or C may be kept from one call to the next: a copy or a packed form of B has to be "
        "made "
        "anew each time.";
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
  const CallEnd end = process_->ask(look, limits_.call_s + kTransfer_s);
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
  if (waits_for_late_ > 0) {
    --waits_for_late_;
    if (finished_later(inputs)) return;
  }
  if (!setup_.gpu && std::any_of(c(), c() + inputs.shape.c_count(), is_band)) return read_outside(inputs);
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

/// The NaN from round the matrices has come into C. Where it was read at the front, the same call with the
/// matrices at the start of their memory faults.
void Checker::read_outside(const Inputs& inputs) {
  if (!call(inputs, Placement::kAtStart, kPoisonC)) return;
  Failure failure;
  failure.verdict = Judged::kOutOfBounds;
  failure.pattern = "read-past-end";
  failure.shape = inputs.shape;
  failure.explanation = fmt::format("It reads past the end of {}, at {}: what lies there has come into C.",
                                    inputs.shape.a_count() % (kAlignment / 4) == 0 ? "B" : "A or B",
                                    in_students_words(inputs.shape));
  failure.hint =
      "Which index is the largest that your loops can form? Look for <= where < was meant, and for a step of "
      "several elements where the length is no multiple of it.";
  fail(failure);
}

/// Whole numbers came out right, fractions did not: always, or only now and then?
void Checker::wrong_for_fractions(const Inputs& inputs) {
  if (!call(inputs, Placement::kAtStart, kPoisonC)) return;
  const std::vector<float> first = copy_of_c();
  if (!call(inputs, Placement::kAtStart, kPoisonC)) return;
  const bool always = std::memcmp(first.data(), c(), first.size() * sizeof(float)) == 0;
  Failure failure;
  failure.pattern = always ? "only-integers" : "race";
  failure.shape = inputs.shape;
  const std::string where = in_students_words(inputs.shape);
  failure.explanation = always ? fmt::format("Right for whole numbers, wrong for fractions, at {}.", where)
                               : fmt::format("At {} C is right in one call and wrong in another.", where);
  failure.hint =
      always ? "A sum, or a copy of A or B, is held in an int, or in a type with few digits."
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

void Checker::imprecise(const Inputs& inputs, const Check& check) {
  const bool known = std::any_of(result_.failures.begin(), result_.failures.end(),
                                 [](const Failure& one) { return one.verdict == Judged::kReducedPrecision; });
  if (known) return;
  const std::vector<double> right =
      product_of(made(inputs, Operand::kA), made(inputs, Operand::kB), inputs.shape);
  const std::int64_t at = check.worst_row * inputs.shape.n + check.worst_col;
  const Diagnosis diagnosis = reduced_precision(inputs.shape, check.worst_row, check.worst_col,
                                                right[static_cast<std::size_t>(at)], c()[at], check.eta_max);
  Failure failure;
  failure.verdict = Judged::kReducedPrecision;
  failure.shape = inputs.shape;
  failure.element = true;
  failure.row = diagnosis.row;
  failure.col = diagnosis.col;
  failure.expected = diagnosis.expected;
  failure.got = diagnosis.got;
  failure.pattern = diagnosis.pattern;
  failure.explanation = diagnosis.summary;
  failure.hint = diagnosis.hint;
  result_.failures.push_back(failure);
}

/// Always false: "go no further". A failure of the process, of the bounds or of honesty ends the checks.
bool Checker::fail(Failure failure) {
  if (failure.shape) result_.outcomes.push_back({*failure.shape, false});
  result_.failures.push_back(std::move(failure));
  over_ = true;
  return false;
}

/// What the submission itself says that it has asked for, whether or not there was such a library.
void Checker::note_opened(const Reply& reply) {
  if (reply.opened[0] == '\0') return;
  const std::string name(reply.opened, strnlen(reply.opened, sizeof reply.opened));
  if (std::find(result_.opened.begin(), result_.opened.end(), name) == result_.opened.end())
    result_.opened.push_back(name);
}

void Checker::look_for_libraries() {
  if (!result_.opened.empty()) return;
  result_.opened = opened_libraries(libraries_, process_->libraries());
}

/// All outcomes are known by now, which is what patterns over shapes need.
void Checker::explain() {
  std::vector<std::string> said;
  for (const auto& [score, one] : evidence_) {
    const Diagnosis diagnosis = diagnose(one, result_.outcomes);
    if (std::find(said.begin(), said.end(), diagnosis.pattern) != said.end()) continue;
    said.push_back(diagnosis.pattern);
    Failure failure;
    if (diagnosis.pattern == "remembered") failure.verdict = Judged::kDishonest;
    failure.shape = one.shape;
    failure.element = true;
    failure.row = diagnosis.row;
    failure.col = diagnosis.col;
    failure.expected = diagnosis.expected;
    failure.got = diagnosis.got;
    failure.wrong = diagnosis.wrong;
    failure.pattern = diagnosis.pattern;
    failure.over_shapes = diagnosis.over_shapes;
    failure.explanation = diagnosis.summary;
    failure.hint = diagnosis.hint;
    result_.failures.push_back(failure);
  }
}

}  // namespace gemmlab::submissions
