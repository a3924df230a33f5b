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
// Where what comes takes longer, so much shorter, and A comes in so many parts at most.
constexpr double kShrinking = 0.9;
constexpr std::size_t kPartsOfA = 3;

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
  row_blocks_ = chunks == 1 ? 1 : 1 + std::min(chunks, kMostHalvings);
  first_panels_ = panels_of(shape().k, chunks, slower == Slower::kProduct ? kGrowth : kShrinking);
  if (slower == Slower::kLinks) panels_of_a_ = ceil_div(first_panels_.size(), kPartsOfA);
  later_panels_ = {{0, shape().k}};
  line_of_b_ = stride_on_card(most_cols());
  b_floats_ = shape().k * line_of_b_;
  c_floats_ = 0;
  a_floats_ = 0;
  for (int block = 0; block < row_blocks_; ++block) {
    const std::int64_t rows = most_rows(block);
    c_floats_ += rows * line_of_b_;
    const std::size_t panels = block == 0 ? first_panels_.size() : later_panels_.size();
    for (std::size_t panel = 0; panel < panels; ++panel) {
      if (begins_part_of_a(block, panel)) a_floats_ += rows * stride_on_card(k_of_a(block, panel).count);
    }
  }
}

/// B has half of the memory at most. False where even the smallest blocks are too large.
bool StreamPlan::go_round(int chunks, std::int64_t floats) {
  goes_round_ = true;
  panels_of_a_ = 1;
  const std::int64_t k = shape().k;
  for (col_blocks_ = 1;; ++col_blocks_) {
    if (col_blocks_ > shape().n) return false;
    line_of_b_ = stride_on_card(most_cols());
    b_floats_ = k * line_of_b_;
    if (2 * b_floats_ <= floats) break;
  }
  const int wanted = static_cast<int>(ceil_div(k, std::max(line_of_b_, kLongEnough)));
  first_panels_ = later_panels_ = equal(k, std::max({chunks, kLeastPanels, wanted}));
  const std::int64_t per_row = kPlacesOfA * stride_on_card(longest(first_panels_)) + kPlacesOfC * line_of_b_;
  const std::int64_t room = (floats - b_floats_) / per_row;
  if (room < 1) return false;
  std::int64_t rows = 0;
  row_blocks_ = 1;
  row_blocks_ = static_cast<int>(ceil_div(most_rows(0), room));
  while ((rows = longest_rows()) > room) ++row_blocks_;
  a_floats_ = kPlacesOfA * rows * stride_on_card(longest(first_panels_));
  c_floats_ = kPlacesOfC * rows * line_of_b_;
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

std::int64_t StreamPlan::most_cols() const {
  std::int64_t count = 0;
  for (int card = 0; card < split_.cards(); ++card) {
    for (int block = 0; block < col_blocks_; ++block)
      count = std::max(count, part_of(split_.cols_of(card), col_blocks_, block).count);
  }
  return count;
}

Stretch StreamPlan::row_block(const Stretch& part, int which) const {
  if (goes_round_) return part_of(part, row_blocks_, which);
  Stretch rest = part;
  for (int block = 0; block < which; ++block) rest = part_of(rest, 2, 1);
  return which + 1 == row_blocks_ ? rest : part_of(rest, 2, 0);
}

bool StreamPlan::begins_part_of_a(int block, std::size_t panel) const {
  return block > 0 || panel % panels_of_a_ == 0;
}

Stretch StreamPlan::k_of_a(int block, std::size_t panel) const {
  if (block > 0) return later_panels_[panel];
  const std::size_t first = panel / panels_of_a_ * panels_of_a_;
  const std::size_t last = std::min(first + panels_of_a_, first_panels_.size()) - 1;
  return {first_panels_[first].from, first_panels_[last].to() - first_panels_[first].from};
}

void StreamPlan::make_steps() {
  std::int64_t a_at = 0;  // where the next part of A is to lie, and where the last one lies
  std::int64_t place_of_a = 0;
  std::int64_t c_at = 0;
  std::vector<int> completing;  // by blocks of C
  std::vector<int> brought(first_panels_.size(), -1);
  std::vector<int> last_row_block;
  for (int col_block = 0; col_block < col_blocks_; ++col_block) {
    const std::vector<int> readers = std::move(last_row_block);  // of B's block before
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
        step.k_of_a = k_of_a(block, panel);
        step.brings_a = begins_part_of_a(block, panel);
        step.brings_b = block == 0;
        step.adds = panel > 0;
        step.completes = panel + 1 == panels.size();
        if (step.brings_a) {
          place_of_a = a_at;
          a_at += rows * stride_on_card(step.k_of_a.count);
        }
        step.a_at = goes_round_ ? number % kPlacesOfA * (a_floats_ / kPlacesOfA) : place_of_a;
        step.c_at = goes_round_ ? blocks_before % kPlacesOfC * (c_floats_ / kPlacesOfC) : c_at;
        if (goes_round_ && number >= kPlacesOfA) step.a_after = number - kPlacesOfA;
        if (goes_round_ && !step.adds && blocks_before >= kPlacesOfC)
          step.c_after = completing[static_cast<std::size_t>(blocks_before - kPlacesOfC)];
        if (step.brings_b) step.b_replaced = std::exchange(brought[panel], number);
        // where there are several blocks of columns, panels are the same in all blocks of rows
        if (step.brings_b && !readers.empty()) step.b_after = readers[panel];
        last_row_block.push_back(number);
        steps_.push_back(step);
      }
      completing.push_back(static_cast<int>(steps_.size()) - 1);
      c_at += rows * line_of_b_;
    }
  }
}

GemmForm StreamPlan::form(const Shape& product, const StreamStep& step) const {
  GemmForm form;
  form.beta = step.adds ? 1 : 0;
  form.lda = stride_on_card(step.k_of_a.count);
  form.ldb = line_of_b_;
  form.ldc = stride_on_card(product.n);
  return form;
}

Stretch StreamPlan::rows(int card, const StreamStep& step) const {
  return row_block(split_.rows_of(card), step.row_block);
}

Stretch StreamPlan::cols(int card, const StreamStep& step) const {
  return part_of(split_.cols_of(card), col_blocks_, step.col_block);
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
      elements += own_of_a(card, step).count * step.k_of_a.count +
                  own_of_b(card, step).count * cols(card, step).count;
  }
  return elements;
}

std::int64_t StreamPlan::exchanged() const {
  std::int64_t elements = 0;
  for (const StreamStep& step : steps_) {
    for (int card = 0; card < split_.cards(); ++card) {
      if (!needs_b(card, step)) continue;
      if (step.brings_a)
        elements += (rows(card, step).count - own_of_a(card, step).count) * step.k_of_a.count;
      if (step.brings_b) elements += (step.k.count - own_of_b(card, step).count) * cols(card, step).count;
    }
  }
  return elements;
}

}  // namespace gemmlab::gpu
