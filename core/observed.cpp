#include "core/observed.h"

#include <algorithm>

#include "core/statistics.h"

namespace gemmlab {
namespace {

constexpr double kThrottledShare = 0.05;  // of the samples that tell: one stray reading proves nothing

}  // namespace

void Observed::add(const Conditions& conditions) {
  if (conditions.clock_mhz) clocks_mhz_.push_back(*conditions.clock_mhz);
  if (conditions.power_w) powers_w_.push_back(*conditions.power_w);
  if (conditions.temperature_c) hottest_c_ = std::max(hottest_c_, *conditions.temperature_c);
  if (conditions.throttle_reasons) {
    ++told_throttle_;
    throttled_ += conditions.throttle_reasons->empty() ? 0 : 1;
    for (const std::string& reason : *conditions.throttle_reasons) {
      if (std::find(reasons_.begin(), reasons_.end(), reason) == reasons_.end()) reasons_.push_back(reason);
    }
  }
  if (conditions.pinned) pinned_ = *conditions.pinned && pinned_.value_or(true);
  if (conditions.steal_s) steal_s_ = steal_s_.value_or(0) + *conditions.steal_s;
  if (conditions.threads_ran > 0) {
    threads_ran_ = conditions.threads_ran;
    cores_ = conditions.cores;
    if (conditions.run_queue_delay_s) {
      run_queue_delay_s_ =
          run_queue_delay_s_.value_or(0) + *conditions.run_queue_delay_s / conditions.threads_ran;
    }
  }
  if (conditions.denormals_flushed) {
    denormals_flushed_ = *conditions.denormals_flushed || denormals_flushed_.value_or(false);
  }
}

bool Observed::throttled() const {
  return throttled_ > 0 && throttled_ > kThrottledShare * told_throttle_;
}

void Observed::write_to(nlohmann::ordered_json& record) const {
  for (const char* name : {"cores", "pinned", "denormals", "run_queue_delay_s", "steal_s", "clock_mhz",
                           "clock_low_mhz", "temperature_c", "power_w", "throttled", "throttle_reasons"}) {
    record[name] = nullptr;
  }
  if (threads_ran_ > 0) record["cores"] = cores_;
  if (run_queue_delay_s_) record["run_queue_delay_s"] = *run_queue_delay_s_;
  if (steal_s_) record["steal_s"] = *steal_s_;
  if (pinned_) record["pinned"] = *pinned_;
  if (denormals_flushed_) record["denormals"] = *denormals_flushed_ ? "flushed" : "kept";
  if (!clocks_mhz_.empty()) {
    record["clock_mhz"] = median(clocks_mhz_);
    record["clock_low_mhz"] = *std::min_element(clocks_mhz_.begin(), clocks_mhz_.end());
  }
  if (told_throttle_ > 0) {
    record["throttled"] = throttled();
    record["throttle_reasons"] = reasons_;
  }
  if (hottest_c_ >= 0) record["temperature_c"] = hottest_c_;
  if (!powers_w_.empty()) record["power_w"] = median(powers_w_);
}

}  // namespace gemmlab
