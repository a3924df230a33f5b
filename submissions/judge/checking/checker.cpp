#include "submissions/judge/checking/checker.h"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <iterator>

#include "submissions/judge/checking/heap_check.h"
#include "submissions/judge/processes/libraries.h"
#include "submissions/solve_shape.h"

namespace gemmlab::submissions {
namespace {

constexpr double kTransfer_s = 5;             ///< to and from a GPU, over what a call may take
constexpr std::uint32_t kSeeds = 0x63000000;  ///< of the secret, for this
constexpr std::uint64_t kCallsOfShape = 4;
constexpr std::size_t kWideEvery = 3;  ///< shapes

// alpha and beta of whole numbers, in turn, and of fractions: each a value of float16, too.
constexpr Factors kOfWhole[] = {{2, -3}, {1, 0}, {-1, 2}, {3, 0}, {1, 1}};
constexpr Factors kOfFractions = {0.75F, -1.5F};

constexpr std::int64_t kLong = 5000;
constexpr std::int64_t kLongest = 2 * kLong;
constexpr std::size_t kParts =
    30;  ///< of C, in each of which a sampled call writes: under half as many as its blocks
constexpr double kOnce_s = 0.2;  ///< emulated calls over this are not repeated with other inputs
constexpr std::int64_t kManyElements = 4'000;  ///< of C: what else a call does takes less than they

bool is_long(const Shape& shape) {
  return std::max({shape.m, shape.n, shape.k}) >= kLong;
}

}  // namespace

Checker::Checker(CalleeSetup setup, const Limits& limits, DoubleProduct product)
    : setup_(std::move(setup)), limits_(limits), product_(std::move(product)) {
  if (!setup_.emulated()) return;
  reports_.emplace(setup_);
  setup_.report_fd = reports_->fd();
}

CheckResult Checker::check(const std::vector<Shape>& shapes, const Secret& secret) {
  result_ = {};
  evidence_.clear();
  setup_.matrices = Matrices::for_shapes(shapes, setup_.solve.types);
  setup_.writable_inputs = setup_.device_memory();  // inputs are brought back to be looked at
  result_.not_reached = shapes;
  if (!start()) return result_;
  ones_by_twos();
  for (std::size_t i = 0; i < shapes.size() && !over_; ++i) {
    // those are there for buffers of fixed size in what is right otherwise; what mixes up M, N and K takes one of 70,000 for
    // a small one, and all memory for C
    const bool wrong = std::any_of(result_.outcomes.begin(), result_.outcomes.end(),
                                   [](const ShapeOutcome& one) { return !one.right; });
    if (wrong && is_long(shapes[i])) continue;
    result_.not_reached.erase(std::find(result_.not_reached.begin(), result_.not_reached.end(), shapes[i]));
    if (!too_dear(shapes[i])) shape(shapes[i], secret, i);
  }
  if (process_->alive()) look_for_libraries();
  explain();
  most_telling_first(result_.failures);
  return result_;
}

bool Checker::start() {
  process_ = std::make_unique<CalleeProcess>(setup_);
  const CallEnd ready = process_->ready(kStart_s);
  // our own code so far: what goes wrong here says nothing of the submission
  if (ready.how != CallEnd::How::kAnswered || ready.reply.said != Said::kReady)
    throw std::runtime_error(fmt::format("the process that makes the calls did not start: {} {}",
                                         ready.reply.text, process_->printed()));
  code_ = process_->code();
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
  place(side, Placement::kAtEnd, kPoisonC);
  put(std::vector<float>(static_cast<std::size_t>(side.a_count()), 1.0F),
      std::vector<float>(static_cast<std::size_t>(side.b_count()), 2.0F));
  const CallEnd end = ask();
  ++result_.calls;
  if (const auto failure = failure_at(side, end)) {
    fail(*failure);
    return;
  }
  const bool right = std::all_of(c_.begin(), c_.end(), [](float value) { return value == 32.0F; });
  first_wrong_ = !right;
}

/// Might the emulator's time end before this call does? By the cheapest of the calls so far, since some have more terms to add:
/// a kernel with a block for each element takes as many threads for three terms as for a hundred. The next may take twice as
/// much, and would be called endless.
bool Checker::too_dear(const Shape& now) const {
  constexpr double kDearer = 2;
  return setup_.emulated() &&
         kDearer * least_s_of_element_ * static_cast<double>(now.c_count()) > setup_.emulated_s;
}

/// Whole numbers against the end of the memory, fractions at its start, whole numbers with zeros where those fractions
/// were and, now and then, fractions of very different size.
void Checker::shape(const Shape& now, const Secret& secret, std::size_t place) {
  const bool scaled = setup_.solve.alpha_beta;
  const auto inputs = [&](Kind kind, std::uint64_t call, Factors factors) {
    return inputs_at(now, kind, secret.seed(kSeeds, kCallsOfShape * place + call),
                     scaled ? factors : Factors{});
  };
  const Inputs whole = inputs(Kind::kWhole, 0, kOfWhole[place % std::size(kOfWhole)]);
  if (right_where_sampled(whole)) {
    result_.outcomes.push_back({now, true});
    return;
  }
  if (over_) return;
  bool right = exact(whole, Placement::kAtEnd);
  // an emulated grid of tens of thousands of blocks takes seconds, and is there for its launch; what takes as long with a block
  // for each element has been called with the other inputs at smaller shapes
  const bool once = setup_.emulated() && (std::max({now.m, now.n, now.k}) > kLongest || last_s_ > kOnce_s);
  if (once) {
    if (!over_) result_.outcomes.push_back({now, right});
    return;
  }
  if (right && !over_) right = bound(inputs(Kind::kFractions, 1, kOfFractions));
  if (right && !over_) right = special(inputs(Kind::kZeros, 2, kOfWhole[(place + 1) % std::size(kOfWhole)]));
  // half precision, which has been told by now, has no room for them, and int8 no fractions
  const ElementType type = setup_.solve.types.type;
  const bool wide = type == ElementType::kFloat32 || type == ElementType::kBfloat16;
  const bool less = std::any_of(result_.failures.begin(), result_.failures.end(),
                                [](const Failure& one) { return one.verdict == Judged::kReducedPrecision; });
  if (right && !over_ && !less && wide && place % kWideEvery == 0)
    right = special(inputs(Kind::kWide, 3, {}));
  if (!over_) result_.outcomes.push_back({now, right});
}

/// An emulated grid of tens of thousands of blocks takes seconds, and what a card may refuse of it is its launch: is C right where
/// blocks spread over it write? False where anything is odd, or nothing could be told. Then all of it is run, and in a new
/// process: what blocks count together may have been left in the middle.
bool Checker::right_where_sampled(const Inputs& inputs) {
  const Shape& now = inputs.shape;
  if (!setup_.emulated() || !setup_.solve.types.plain() || setup_.solve.alpha_beta ||
      std::max({now.m, now.n, now.k}) <= kLongest)
    return false;
  place(inputs, Placement::kAtEnd, kPoisonC);
  request_.sampled = 1;
  const CallEnd end = ask();
  ++result_.calls;
  spent_s_ += last_s_ = end.wall_s;
  const bool plain = end.how == CallEnd::How::kAnswered && end.reply.said == Said::kReturned &&
                     end.reply.number == 0 && end.reply.reported == 0 && end.reply.changed_later == 0;
  std::int64_t distance = 0;
  const Given after = given();
  if (plain && correct_where_written(inputs) && first_change(inputs, Operand::kA, after.a) < 0 &&
      first_change(inputs, Operand::kB, after.b) < 0 &&
      setup_.matrices.c->touched(request_.offset[2], now.c_count(), distance) == Side::kNone)
    return true;
  start();
  return false;
}

/// Is something of C written in all its parts, the first element and the last, and all of that right? Of whole numbers.
bool Checker::correct_where_written(const Inputs& inputs) const {
  const std::vector<double> right = right_answer(inputs, product_);
  const std::size_t widest = c_.size() / kParts;
  std::size_t next = 0;  // behind the last one written
  for (std::size_t i = 0; i < c_.size(); ++i) {
    if (std::bit_cast<std::uint32_t>(c_[i]) == kPoisonC) continue;
    if (static_cast<double>(c_[i]) != right[i] || i - next > (next == 0 ? 0 : widest)) return false;
    next = i + 1;
  }
  return next == c_.size();
}

bool Checker::exact(const Inputs& inputs, Placement placement) {
  if (!call(inputs, placement, kPoisonC)) return false;
  const Check check = check_answer(inputs, c(), product_);
  if (check.verdict == Verdict::kOk) return true;
  if (remembered()) return false;
  if (check.verdict == Verdict::kReducedPrecision) {
    imprecise(inputs, check, false);
    return true;
  }
  inputs.factors.plain() ? wrong(inputs) : wrong_when_scaled(inputs);
  return false;
}

bool Checker::bound(const Inputs& inputs) {
  if (!call(inputs, Placement::kAtStart, kPoisonC)) return false;
  const Check check = check_answer(inputs, c(), product_);
  if (check.verdict == Verdict::kOk) return true;
  if (is_integer(setup_.solve.types.type)) {
    if (!remembered()) only_whole_numbers(inputs);
    return false;
  }
  const bool each = check.verdict == Verdict::kReducedPrecision;  // is each element near its own value?
  if (small_is_zero(inputs)) return false;
  if (each || small_in_norm(inputs)) {
    imprecise(inputs, check, !each);
    return true;
  }
  if (!remembered()) only_whole_numbers(inputs);
  return false;
}

/// Zeros among whole numbers, or fractions of very different size.
bool Checker::special(const Inputs& inputs) {
  if (!call(inputs, Placement::kAtStart, kPoisonC)) return false;
  const Check check = check_answer(inputs, c(), product_);
  if (check.verdict == Verdict::kOk) return true;
  if (remembered()) return false;
  if (check.verdict == Verdict::kReducedPrecision && !setup_.solve.types.plain()) {
    imprecise(inputs, check, false);
    return true;
  }
  if (inputs.kind == Kind::kWide && setup_.solve.types.plain()) {
    auto fast = mixed_rows(inputs);
    if (!fast && !over_) fast = mixed_operands(inputs);
    if (fast) {
      result_.failures.push_back(*std::move(fast));
      return true;  // as precise as such algorithms are
    }
  }
  if (!over_) only_whole_numbers(inputs);
  return false;
}

/// C is wrong: for whole numbers, too? Only they can be explained exactly.
void Checker::only_whole_numbers(const Inputs& inputs) {
  Inputs again = inputs;
  again.kind = Kind::kWhole;
  if (exact(again, Placement::kAtStart) && !over_) wrong_for_special(inputs);
}

Inputs Checker::inputs_at(const Shape& now, Kind kind, std::uint64_t seed, Factors factors) const {
  return {now, kind, seed, setup_.solve.types, factors};
}

/// C is poisoned; A and B are not there yet.
void Checker::place(const Shape& now, Placement placement, std::uint32_t poison) {
  Matrices& matrices = setup_.matrices;
  Room* rooms[3] = {matrices.a.get(), matrices.b.get(), matrices.c.get()};
  const std::int64_t counts[3] = {now.a_count(), now.b_count(), now.c_count()};
  request_ = call_at(now);
  request_.checked = 1;
  for (int i = 0; i < 3; ++i) {
    request_.offset[i] = rooms[i]->offset_of(counts[i], placement);
    rooms[i]->band(request_.offset[i], counts[i]);
  }
  float poisoned = 0;
  std::memcpy(&poisoned, &poison, sizeof poisoned);
  if (setup_.solve.alpha_beta && poison == kPoisonC) poisoned = kUnsetC;
  matrices.c->fill(request_.offset[2], now.c_count(), poisoned);
  c_before_.clear();
  whole_ = true;
}

void Checker::put(const std::vector<float>& a, const std::vector<float>& b) {
  setup_.matrices.a->put(request_.offset[0], a);
  setup_.matrices.b->put(request_.offset[1], b);
}

void Checker::place(const Inputs& inputs, Placement placement, std::uint32_t poison) {
  place(inputs.shape, placement, poison);
  put(made(inputs, Operand::kA), made(inputs, Operand::kB));
  request_.factors = inputs.factors;
  whole_ = inputs.whole();
  if (inputs.factors.beta == 0) return;
  c_before_ = made(inputs, Operand::kC);
  setup_.matrices.c->put(request_.offset[2], c_before_);
}

CallEnd Checker::ask() {
  const CallEnd end = process_->ask(request_, limit_s());
  fetch();
  return end;
}

/// C as it is by now.
void Checker::fetch() {
  c_ = setup_.matrices.c->get(request_.offset[2], request_.m * request_.n);
  if (!setup_.solve.alpha_beta || !whole_ || request_.factors.beta != 0) return;
  for (float& value : c_)
    if (value == kUnsetC) value = std::bit_cast<float>(kPoisonC);
}

/// What was given to the last call, as it was given.
Checker::Given Checker::given() {
  const Shape now{request_.m, request_.n, request_.k};
  return {now, setup_.matrices.a->get(request_.offset[0], now.a_count()),
          setup_.matrices.b->get(request_.offset[1], now.b_count()), c_before_, request_.factors};
}

/// One call. False where the submission failed in a way that leaves no C to be looked at.
bool Checker::call(const Inputs& inputs, Placement placement, std::uint32_t poison, bool zero_bands) {
  if (result_.calls > 0) before_ = given();
  place(inputs, placement, poison);
  request_.zero_bands = zero_bands ? 1 : 0;
  const CallEnd end = ask();
  ++result_.calls;
  note_opened(end.reply);
  spent_s_ += last_s_ = end.wall_s;
  if (const std::int64_t elements = inputs.shape.c_count(); elements >= kManyElements) {
    const double each_s = last_s_ / static_cast<double>(elements);
    least_s_of_element_ = least_s_of_element_ > 0 ? std::min(least_s_of_element_, each_s) : each_s;
  }
  if (const auto failure = failure_at(inputs.shape, end)) return fail(with_heap_checked(*failure, end));
  refused_ = end.reply;
  if (setup_.device_memory() && end.reply.number != 0) {
    const std::string note =
        fmt::format("solve left the CUDA error {} ({}) at {}: a launch or a call failed.", end.reply.number,
                    end.reply.text, in_students_words(inputs.shape));
    if (errors_noted_.insert(end.reply.number).second) result_.notes.push_back(note);
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
  end.reply.element_bytes = matrices.c->element_bytes();
  end.reply.writing = 1;
  return fail(*failure_of(end, Phase::kChecking, now, limits_.call_s, ""));
}

bool Checker::inputs_whole(const Inputs& inputs) {
  const Given now = given();
  const std::int64_t in_a = first_change(inputs, Operand::kA, now.a);
  const std::int64_t in_b = in_a >= 0 ? -1 : first_change(inputs, Operand::kB, now.b);
  if (in_a < 0 && in_b < 0) return true;
  const std::int64_t at = in_a >= 0 ? in_a : in_b;
  const std::int64_t cols = in_a >= 0 ? inputs.shape.k : inputs.shape.n;
  Failure failure;
  failure.verdict = Judged::kIncorrect;
  failure.pattern = "inputs-modified";
  failure.shape = inputs.shape;
  failure.explanation = fmt::format("It changed {} at row {}, column {}, at {}.", in_a >= 0 ? "A" : "B",
                                    at / cols, at % cols, in_students_words(inputs.shape));
  failure.hint = "A and B belong to the caller and are const: work on a copy.";
  return fail(failure);
}

/// A bad address far from A, B and C may be what an overflowing buffer has left there, in an earlier call, too.
Failure Checker::with_heap_checked(Failure failure, const CallEnd& end) const {
  const bool bad_address =
      end.reply.said == Said::kFault && end.reply.number == SIGSEGV && end.reply.matrix < 0;
  if (setup_.device_memory() || !bad_address || end.reply.text[0] != '\0' || failure.pattern != "signal")
    return failure;
  auto overflow = heap_checked(setup_, request_, limit_s(), "at " + in_students_words(*failure.shape));
  if (!overflow) return failure;
  overflow->shape = failure.shape;
  return *std::move(overflow);
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
  const std::vector<MappedCode> now = process_->code();
  if (setup_.gpu) {
    if (result_.opened.empty())
      result_.opened = opened_libraries(code_, now, setup_.confinement.scratch, setup_.library);
  } else if (setup_.no_new_code) {
    if (const auto failure = failure_of(foreign_code(code_, now))) result_.failures.push_back(*failure);
  }
}

}  // namespace gemmlab::submissions
