#include "submissions/judge/checker.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "submissions/judge/libraries.h"
#include "submissions/judge/shapes.h"

namespace gemmlab::submissions {
namespace {

constexpr double kTransfer_s = 5;  ///< to and from a GPU, over what a call may take

}  // namespace

Checker::Checker(CalleeSetup setup, const Limits& limits, DoubleProduct product)
    : setup_(std::move(setup)), limits_(limits), product_(std::move(product)) {
  if (setup_.emulated()) reports_.emplace(setup_);
}

CheckResult Checker::check(const std::vector<Shape>& shapes, std::uint64_t seed) {
  result_ = {};
  evidence_.clear();
  setup_.matrices = Matrices::for_shapes(shapes);
  setup_.writable_inputs = setup_.device_memory();  // inputs are brought back to be looked at
  result_.not_reached = shapes;
  if (!start()) return result_;
  ones_by_twos();
  for (std::size_t i = 0; i < shapes.size() && !over_; ++i) {
    result_.not_reached.erase(result_.not_reached.begin());
    shape(shapes[i], seed + 1 + 3 * i);
  }
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

double Checker::limit_s() const {
  return limits_.call_s + (setup_.device_memory() ? kTransfer_s : 0);
}

/// What a call's end means, and what the emulator found in it.
std::optional<Failure> Checker::failure_at(const Shape& now, const CallEnd& end) {
  const auto failure = failure_of(end, Phase::kChecking, now, limits_.call_s, process_->printed());
  if (!reports_ || end.reply.reported == 0) return failure;
  const std::vector<KernelFinding> found = reports_->findings(now);
  merge(result_.findings, found);
  return ending(failure, found);
}

/// The case that every transposition passes, and that shows whether it works at all: 16×16, ones by twos.
void Checker::ones_by_twos() {
  const Shape side{16, 16, 16};
  place({side, Distribution::kInteger, 0}, Placement::kAtEnd, kPoisonC);
  std::fill_n(setup_.matrices.a->at(request_.offset[0]), side.a_count(), 1.0F);
  std::fill_n(setup_.matrices.b->at(request_.offset[1]), side.b_count(), 2.0F);
  const CallEnd end = process_->ask(request_, limit_s());
  ++result_.calls;
  if (const auto failure = failure_at(side, end)) {
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
  if (checks.front().verdict == Verdict::kReducedPrecision || small_in_norm(inputs)) {
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
  request_ = call_at(now);
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
  const CallEnd end = process_->ask(request_, limit_s());
  ++result_.calls;
  note_opened(end.reply);
  spent_s_ += end.wall_s;
  if (const auto failure = failure_at(inputs.shape, end)) return fail(*failure);
  if (setup_.device_memory() && end.reply.number != 0) {
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

}  // namespace gemmlab::submissions
