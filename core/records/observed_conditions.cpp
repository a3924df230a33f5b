#include "core/records/observed_conditions.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/statistics.h"

namespace gemmlab {
namespace {

constexpr double kDip = 0.02;  // of the highest clock: GPUs change it in steps of 15 MHz, under 1 %

}  // namespace

void Observed::add_reading(const Reading& reading) {
  if (reading.clock_mhz) clocks_mhz_.push_back(*reading.clock_mhz);
  if (reading.power_w) powers_w_.push_back(*reading.power_w);
  if (reading.temperature_c) hottest_c_ = std::max(hottest_c_, *reading.temperature_c);
  if (!reading.throttle_reasons) return;
  ++told_throttle_;
  held_down_ += reading.throttle_reasons->empty() ? 0 : 1;
  for (const std::string& reason : *reading.throttle_reasons) {
    if (std::find(reasons_.begin(), reasons_.end(), reason) == reasons_.end()) reasons_.push_back(reason);
  }
}

void Observed::add(const Conditions& conditions) {
  for (const Reading& reading : conditions.readings) add_reading(reading);
  if (conditions.energy) {
    Energy& sum = energy_[conditions.energy->source];
    sum.joules += conditions.energy->joules;
    sum.seconds += conditions.energy->seconds;
  }
  if (conditions.pinned) {
    ++told_pinned_;
    unbound_ += *conditions.pinned ? 0 : 1;
    if (why_unbound_.empty()) why_unbound_ = conditions.unbound;
  }
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

std::string Observed::why_unbound() const {
  if (unbound_ == 0 || why_unbound_.empty()) return {};
  const std::string when = unbound_ == told_pinned_ ? ""
                                                    : " in " + std::to_string(unbound_) + " of " +
                                                          std::to_string(told_pinned_) + " samples";
  return "threads were not bound to cores" + when + ": " + why_unbound_;
}

double Observed::highest_mhz() const {
  return clocks_mhz_.empty() ? 0 : *std::max_element(clocks_mhz_.begin(), clocks_mhz_.end());
}

bool Observed::saw_throttling() const {
  return held_down_ > kStrayShare * told_throttle_;
}

bool Observed::dipped(double mhz) const {
  return mhz < (1 - kDip) * group_highest_mhz_;
}

void Observed::judge(bool any, double highest_mhz) {
  group_highest_mhz_ = highest_mhz;
  if (told_throttle_ == 0) return;
  const bool fell =
      std::any_of(clocks_mhz_.begin(), clocks_mhz_.end(), [&](double mhz) { return dipped(mhz); });
  throttled_ = saw_throttling() || (any && fell);
}

void Observed::write_clock(nlohmann::ordered_json& record) const {
  if (!clocks_mhz_.empty()) {
    record["clock_mhz"] = median(clocks_mhz_);
    record["clock_low_mhz"] = *std::min_element(clocks_mhz_.begin(), clocks_mhz_.end());
    record["clock_readings"] = clocks_mhz_.size();
    if (group_highest_mhz_ > 0) {
      const auto below =
          std::count_if(clocks_mhz_.begin(), clocks_mhz_.end(), [&](double mhz) { return dipped(mhz); });
      record["clock_below_share"] = static_cast<double>(below) / static_cast<double>(clocks_mhz_.size());
    }
  }
  if (told_throttle_ > 0) {
    if (!clock_accepted_) record["throttled"] = throttled_.value_or(saw_throttling());
    record["throttled_share"] = static_cast<double>(held_down_) / told_throttle_;
    record["throttle_reasons"] = reasons_;
  }
}

/// The mean power of the part of the stretch that told its energy, for as long as a call of it took; without
/// a stretch, that of the parts of samples, for as long as a call takes.
void Observed::write_energy(nlohmann::ordered_json& record, double median_s) const {
  if (stretch_ && median_s > 0) {
    const auto calls = static_cast<double>(stretch_->calls);
    record["energy_j_per_call"] =
        stretch_->energy.joules / stretch_->energy.seconds * stretch_->seconds / calls;
    record["energy_source"] = stretch_->energy.source;
    record["energy_calls"] = stretch_->calls;
    record["energy_s"] = stretch_->seconds;
    return;
  }
  if (!no_energy_.empty()) record["no_energy"] = no_energy_;
  for (const char* source : {kEnergyCounter, kIntegratedPower}) {
    const auto found = energy_.find(source);
    if (found == energy_.end() || !(found->second.seconds > 0) || !(median_s > 0)) continue;
    record["energy_j_per_call"] = found->second.joules / found->second.seconds * median_s;
    record["energy_source"] = source;
    return;
  }
}

void Observed::write_to(nlohmann::ordered_json& record, double median_s) const {
  for (const char* name :
       {"cores", "pinned", "denormals", "run_queue_delay_s", "steal_s", "clock_mhz", "clock_low_mhz",
        "clock_below_share", "clock_readings", "temperature_c", "power_w", "throttled", "throttled_share",
        "throttle_reasons", "energy_j_per_call", "energy_source", "energy_calls", "energy_s", "no_energy"}) {
    record[name] = nullptr;
  }
  if (threads_ran_ > 0) record["cores"] = cores_;
  if (run_queue_delay_s_) record["run_queue_delay_s"] = *run_queue_delay_s_;
  if (steal_s_) record["steal_s"] = *steal_s_;
  if (told_pinned_ > 0) record["pinned"] = unbound_ == 0;
  if (denormals_flushed_) record["denormals"] = *denormals_flushed_ ? "flushed" : "kept";
  write_clock(record);
  write_energy(record, median_s);
  if (hottest_c_ >= 0) record["temperature_c"] = hottest_c_;
  if (!powers_w_.empty()) record["power_w"] = median(powers_w_);
}

}  // namespace gemmlab
