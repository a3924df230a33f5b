#include "experiments/runner/too_long.h"

#include <fmt/format.h>

#include "experiments/runner/progress.h"

namespace gemmlab::runner {
namespace {

constexpr double kBusy_s = 10e-3;

bool holds(const Shape& large, const Shape& small) {
  return small.m <= large.m && small.n <= large.n && small.k <= large.k;
}

}  // namespace

std::string too_long_text(double call_s, const std::string& from, const MeasureSettings& settings) {
  return fmt::format("one multiplication would take about {}{}; allowed: {}", duration_text(call_s),
                     from.empty() ? "" : fmt::format(" ({})", from), duration_text(settings.max_time_s));
}

void TooLong::learn(const Store& store, const std::string& fingerprint) {
  const std::vector<Measured>& all = store.measured();
  for (std::size_t& next = learnt_[&store]; next < all.size(); ++next) {
    const Measured& one = all[next];
    if (one.machine == fingerprint && one.median_s >= kBusy_s)
      lines_[one.line].push_back({one.shape, one.median_s});
  }
}

std::string TooLong::why(const Point& point, const MeasureSettings& settings) const {
  const auto line = lines_.find(line_of(point));
  if (line == lines_.end() || point.scope == Scope::kFirstCall) return "";
  const Known* nearest = nullptr;
  for (const Known& known : line->second) {
    if (!holds(point.shape, known.shape)) continue;
    if (nearest == nullptr || known.shape.flop() >= nearest->shape.flop()) nearest = &known;
  }
  if (nearest == nullptr) return "";
  const double call_s = nearest->median_s * point.shape.flop() / nearest->shape.flop();
  if (call_s <= kSurelyTooLong * settings.max_time_s) return "";
  return too_long_text(
      call_s, fmt::format("from {:.2g} s at {}", nearest->median_s, shape_text(nearest->shape)), settings);
}

}  // namespace gemmlab::runner
