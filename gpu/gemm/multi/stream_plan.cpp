#include "gpu/gemm/multi/stream_plan.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "core/rounding.h"

namespace gemmlab::gpu {
namespace {

constexpr int kMostHalvings = 4;
constexpr int kPlacesOfA = 3;
constexpr int kPlacesOfC = 2;
constexpr int kLeastPanels = 4;  // where memory goes round, so that B can be replaced behind the products
constexpr std::int64_t kLongEnough = 512;  // a panel: C is read and written once per panel
// A panel may be so much longer than the one before: what is multiplied takes at least so much longer than what comes (on an
// H200, FP32: 1.4 times at 8192, more at larger sizes).
constexpr double kGrowth = 4.0 / 3;
// Where what comes takes longer, the next panel is there when the product of the one before is done (on two H100s, tensor cores:
// multiplying takes 0.6 to 0.8 times as long).
constexpr double kShrinking = 3.0 / 4;
// Of the columns, in the first block, where the links take longer. More of them make the rest of the product shorter, but that
// much of C leaves at its end only.
constexpr std::int64_t kEighthsFirst = 5;

/// Panels of k, each `growth` times as long as the one before.
std::vector<Stretch> panels_of(std::int64_t k, int count, double growth) {
  std::int64_t unit = 64;
  while (unit > 1 && unit * 8 * count > k) unit /= 2;
  const double whole = std::pow(growth, count) - 1;
  std::vector<Stretch> panels;
  std::int64_t from = 0;
  for (int panel = 1; panel <= count; ++panel) {
    const double share = (std::pow(growth, panel) - 1) / whole;
    const auto units = std::llround(share * static_cast<double>(k) / static_cast<double>(unit));
    const std::int64_t to = panel == count ? k : std::min(k, static_cast<std::int64_t>(units) * unit);
    if (to > from) panels.push_back({from, to - from});
    from = to;
  }
  return panels;
}

std::vector<Stretch> equal(std::int64_t k, int count) {
  std::vector<Stretch> panels;
  for (int panel = 0; panel < count; ++panel) {
    const Stretch part = part_of({0, k}, count, panel);
    if (part.count > 0) panels.push_back(part);
  }
  return panels;
}

/// Block `which` of `blocks`: each takes half of what the ones before have left, the last one all.
Stretch halving(const Stretch& whole, int blocks, int which) {
  Stretch rest = whole;
  for (int block = 0; block < which; ++block) rest = part_of(rest, 2, 1);
  return which + 1 == blocks ? rest : part_of(rest, 2, 0);
}

std::int64_t longest(const std::vector<Stretch>& all) {
  std::int64_t count = 0;
  for (const Stretch& one : all) count = std::max(count, one.count);
  return count;
}

}  // namespace

StreamPlan::StreamPlan(const Shape& shape, int cards, int chunks, std::int64_t floats, Slower slower)
    : split_(shape, cards, {chunks, 1}) {
  keep_all(chunks, slower);
  if (a_floats_ + b_floats_ + c_floats_ > floats && !go_round(chunks, floats))
    throw std::invalid_argument("a card may hold " + std::to_string(floats) +
                                " floats of A, B and C, too few for columns of " + std::to_string(shape.k) +
                                " floats");
  make_steps();
}

/// Everything has a place of its own.
void StreamPlan::keep_all(int chunks, Slower slower) {
  const int blocks = chunks == 1 ? 1 : 1 + std::min(chunks, kMostHalvings);
  if (slower == Slower::kProduct) {
    row_blocks_ = blocks;
    first_panels_ = panels_of(shape().k, chunks, kGrowth);
    later_panels_ = {{0, shape().k}};
  } else {
    col_blocks_ = blocks;
    first_panels_ = later_panels_ = panels_of(shape().k, chunks, kShrinking);
  }
  for (int block = 0; block < row_blocks_; ++block) {
    for (const Stretch& panel : block == 0 ? first_panels_ : later_panels_)
      a_floats_ += most_rows(block) * stride_on_card(panel.count);
  }
  for (int col_block = 0; col_block < col_blocks_; ++col_block) {
    b_floats_ += shape().k * line_of_b(col_block);
    for (int block = 0; block < row_blocks_; ++block) c_floats_ += most_rows(block) * line_of_b(col_block);
  }
}

/// B has half of the memory at most. False where even the smallest blocks are too large.
bool StreamPlan::go_round(int chunks, std::int64_t floats) {
  goes_round_ = true;
  const std::int64_t k = shape().k;
  std::int64_t line_of_b = 0;
  for (col_blocks_ = 1;; ++col_blocks_) {
    if (col_blocks_ > shape().n) return false;
    line_of_b = widest_line_of_b();
    b_floats_ = k * line_of_b;
    if (2 * b_floats_ <= floats) break;
  }
  const int wanted = static_cast<int>(ceil_div(k, std::max(line_of_b, kLongEnough)));
  first_panels_ = later_panels_ = equal(k, std::max({chunks, kLeastPanels, wanted}));
  const std::int64_t per_row = kPlacesOfA * stride_on_card(longest(first_panels_)) + kPlacesOfC * line_of_b;
  const std::int64_t room = (floats - b_floats_) / per_row;
  if (room < 1) return false;
  std::int64_t rows = 0;
  row_blocks_ = 1;
  row_blocks_ = static_cast<int>(ceil_div(most_rows(0), room));
  while ((rows = longest_rows()) > room) ++row_blocks_;
  a_floats_ = kPlacesOfA * rows * stride_on_card(longest(first_panels_));
  c_floats_ = kPlacesOfC * rows * line_of_b;
  return true;
}

std::int64_t StreamPlan::most_rows(int block) const {
  std::int64_t count = 0;
  for (int card = 0; card < split_.cards(); ++card)
    count = std::max(count, row_block(split_.rows_of(card), block).count);
  return count;
}

std::int64_t StreamPlan::longest_rows() const {
  std::int64_t count = 0;
  for (int block = 0; block < row_blocks_; ++block) count = std::max(count, most_rows(block));
  return count;
}

std::int64_t StreamPlan::most_cols(int block) const {
  std::int64_t count = 0;
  for (int card = 0; card < split_.cards(); ++card)
    count = std::max(count, col_block(split_.cols_of(card), block).count);
  return count;
}

std::int64_t StreamPlan::widest_line_of_b() const {
  std::int64_t line = 0;
  for (int block = 0; block < col_blocks_; ++block) line = std::max(line, line_of_b(block));
  return line;
}

Stretch StreamPlan::row_block(const Stretch& part, int which) const {
  if (goes_round_) return part_of(part, row_blocks_, which);
  return halving(part, row_blocks_, which);
}

Stretch StreamPlan::col_block(const Stretch& part, int which) const {
  if (goes_round_ || col_blocks_ == 1) return part_of(part, col_blocks_, which);
  const std::int64_t first = part_of({0, part.count}, 8, kEighthsFirst).from;
  if (which == 0) return {part.from, first};
  return halving({part.from + first, part.count - first}, col_blocks_ - 1, which - 1);
}

void StreamPlan::make_steps() {
  std::int64_t a_at = 0;
  std::int64_t b_at = 0;
  std::int64_t c_at = 0;
  std::vector<int> completing;  // by blocks of C
  std::vector<int> brought(first_panels_.size(), -1);
  std::vector<int> last_row_block;
  std::vector<std::int64_t> places_of_a;  // of the first block of columns, where it stays
  for (int col_block = 0; col_block < col_blocks_; ++col_block) {
    const std::vector<int> readers = std::move(last_row_block);  // of B's block before
    std::size_t nth_of_a = 0;
    for (int block = 0; block < row_blocks_; ++block) {
      last_row_block.clear();
      const std::vector<Stretch>& panels = block == 0 ? first_panels_ : later_panels_;
      const std::int64_t rows = most_rows(block);
      const auto blocks_before = static_cast<int>(completing.size());
      for (std::size_t panel = 0; panel < panels.size(); ++panel) {
        const auto number = static_cast<int>(steps_.size());
        StreamStep step;
        step.row_block = block;
        step.col_block = col_block;
        step.k = panels[panel];
        step.brings_a = goes_round_ || col_block == 0;
        step.brings_b = block == 0;
        step.adds = panel > 0;
        step.completes = panel + 1 == panels.size();
        if (col_block == 0) places_of_a.push_back(a_at);
        step.a_at = goes_round_ ? number % kPlacesOfA * (a_floats_ / kPlacesOfA) : places_of_a[nth_of_a++];
        step.b_at = goes_round_ ? 0 : b_at;
        step.c_at = goes_round_ ? blocks_before % kPlacesOfC * (c_floats_ / kPlacesOfC) : c_at;
        step.line_of_b = goes_round_ ? widest_line_of_b() : line_of_b(col_block);
        if (goes_round_ && number >= kPlacesOfA) step.a_after = number - kPlacesOfA;
        if (goes_round_ && !step.adds && blocks_before >= kPlacesOfC)
          step.c_after = completing[static_cast<std::size_t>(blocks_before - kPlacesOfC)];
        if (goes_round_ && step.brings_b) step.b_replaced = std::exchange(brought[panel], number);
        // where there are several blocks of columns, panels are the same in all blocks of rows
        if (goes_round_ && step.brings_b && !readers.empty()) step.b_after = readers[panel];
        last_row_block.push_back(number);
        a_at += rows * stride_on_card(step.k.count);
        steps_.push_back(step);
      }
      completing.push_back(static_cast<int>(steps_.size()) - 1);
      c_at += rows * line_of_b(col_block);
    }
    b_at += shape().k * line_of_b(col_block);
  }
}

GemmForm StreamPlan::form(const Shape& product, const StreamStep& step) {
  GemmForm form;
  form.beta = step.adds ? 1 : 0;
  form.lda = stride_on_card(product.k);
  form.ldb = step.line_of_b;
  form.ldc = stride_on_card(product.n);
  return form;
}

Stretch StreamPlan::rows(int card, const StreamStep& step) const {
  return row_block(split_.rows_of(card), step.row_block);
}

Stretch StreamPlan::cols(int card, const StreamStep& step) const {
  return col_block(split_.cols_of(card), step.col_block);
}

Stretch StreamPlan::own_of_a(int card, const StreamStep& step) const {
  const Stretch all = rows(card, step);
  return step.brings_a ? part_of(all, split_.grid().cols, split_.col_of(card)) : Stretch{all.from, 0};
}

Stretch StreamPlan::own_of_b(int card, const StreamStep& step) const {
  return step.brings_b ? part_of(step.k, split_.grid().rows, split_.row_of(card)) : Stretch{step.k.from, 0};
}

std::int64_t StreamPlan::loaded() const {
  std::int64_t elements = 0;
  for (const StreamStep& step : steps_) {
    for (int card = 0; card < split_.cards(); ++card)
      elements +=
          own_of_a(card, step).count * step.k.count + own_of_b(card, step).count * cols(card, step).count;
  }
  return elements;
}

std::int64_t StreamPlan::exchanged() const {
  std::int64_t elements = 0;
  for (const StreamStep& step : steps_) {
    for (int card = 0; card < split_.cards(); ++card) {
      if (step.brings_a && needs_a(card, step))
        elements += (rows(card, step).count - own_of_a(card, step).count) * step.k.count;
      if (step.brings_b && needs_b(card, step))
        elements += (step.k.count - own_of_b(card, step).count) * cols(card, step).count;
    }
  }
  return elements;
}

}  // namespace gemmlab::gpu
