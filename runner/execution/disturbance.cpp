#include "runner/execution/disturbance.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>
#include <vector>

namespace gemmlab::runner {
namespace {

constexpr double kMostDisturbed = 0.05;  // MOST_DISTURBED in records/cases/case.py

double number_or_0(const Json& record, const char* key) {
  const auto found = record.find(key);
  return found != record.end() && found->is_number() ? found->get<double>() : 0;
}

/// Has it more threads than there are cores? They then wait for one another.
bool crowded(const Json& record, int cores) {
  const double threads =
      std::max(number_or_0(record.at("parameters"), "threads"), number_or_0(record, "threads_actual"));
  const Device* device = find_device(record.at("device"));
  return device != nullptr && device->host_threads && threads > cores;
}

double timed_seconds(const Json& record) {
  if (const double timed_s = number_or_0(record.at("phases_s"), "timed"); timed_s > 0) return timed_s;
  const auto samples_s = record.at("samples_s").get<std::vector<double>>();
  return std::accumulate(samples_s.begin(), samples_s.end(), 0.0) *
         std::max(1.0, number_or_0(record, "calls_per_sample"));
}

}  // namespace

bool disturbed(const Json& record, int cores) {
  const double waited_s = std::max(crowded(record, cores) ? 0 : number_or_0(record, "run_queue_delay_s"),
                                   number_or_0(record, "steal_s"));
  return waited_s > 0 && waited_s > kMostDisturbed * timed_seconds(record);
}

void Disturbance::add(const Json& record) {
  if (record.at("status") != to_string(Status::kOk)) return;
  ++points_;
  if (disturbed(record, cores_)) ++disturbed_;
}

std::string Disturbance::text(const std::string& folder) const {
  if (disturbed_ == 0) return "";
  return fmt::format(
      "{} of {} points: other work took their cores while they were measured. `gemmlab doctor {}` says more; "
      "--fresh measures them again.",
      disturbed_, points_, folder);
}

}  // namespace gemmlab::runner
