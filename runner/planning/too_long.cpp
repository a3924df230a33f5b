#include "runner/planning/too_long.h"

#include <fmt/format.h>

#include "runner/execution/progress.h"

namespace gemmlab::runner {
namespace {

constexpr double kBusy_s = 10e-3;

bool holds(const Instance& large, const Instance& small) {
  if (large.operation != small.operation || large.options != small.options) return false;
  for (std::size_t i = 0; i < large.dims.size(); ++i) {
    if (small.dims[i] > large.dims[i]) return false;
  }
  return true;
}

}  // namespace

std::string too_long_text(double call_s, const std::string& from, const MeasureSettings& settings) {
  return fmt::format("one call would take about {}{}; allowed: {}", duration_text(call_s),
                     from.empty() ? "" : fmt::format(" ({})", from), duration_text(settings.max_time_s));
}

void TooLong::learn(const Store& store, const std::string& fingerprint) {
  const std::vector<Measured>& all = store.measured();
  for (std::size_t& next = learnt_[&store]; next < all.size(); ++next) {
    const Measured& one = all[next];
    if (one.machine == fingerprint && one.median_s >= kBusy_s)
      lines_[one.line].push_back({one.instance, one.median_s});
  }
}

std::string TooLong::why(const Point& point, const MeasureSettings& settings) const {
  const auto line = lines_.find(line_of(point));
  if (line == lines_.end() || point.scope == Scope::kFirstCall) return "";
  const Known* nearest = nullptr;
  for (const Known& known : line->second) {
    if (!holds(point.instance, known.instance)) continue;
    if (nearest == nullptr || work_of(known.instance) >= work_of(nearest->instance)) nearest = &known;
  }
  if (nearest == nullptr) return "";
  const double call_s = nearest->median_s * work_of(point.instance) / work_of(nearest->instance);
  if (call_s <= kSurelyTooLong * settings.max_time_s) return "";
  return too_long_text(
      call_s, fmt::format("from {:.2g} s at {}", nearest->median_s, to_string(nearest->instance)), settings);
}

}  // namespace gemmlab::runner
