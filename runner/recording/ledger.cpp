#include "runner/recording/ledger.h"

namespace gemmlab::runner {

void Ledger::add_before(double start_up_s, double ceilings_s) {
  start_up_s_ += start_up_s;
  ceilings_s_ += ceilings_s;
}

void Ledger::add_group(const GroupCost& cost) {
  groups_.inputs_s += cost.inputs_s;
  groups_.reference_s += cost.reference_s;
}

void Ledger::add_case(const Json& record) {
  for (const auto& [phase, seconds] : record.at("phases_s").items()) {
    if (seconds.is_number()) phases_s_[phase] += seconds.get<double>();
  }
}

Json Ledger::record(const std::string& run_id, const std::string& experiment) const {
  const auto phase = [&](const char* name) {
    const auto found = phases_s_.find(name);
    return found == phases_s_.end() ? 0.0 : found->second;
  };
  const double wall_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - started_).count() +
                        start_up_s_ + ceilings_s_;
  const double settle_s = phase("settle");
  const double accounted_s = phase("timed") + phase("warm_up") + phase("pilot") + phase("verify") +
                             phase("energy") + phase("inputs") + groups_.inputs_s + groups_.reference_s +
                             ceilings_s_;
  const double start_up_s = start_up_s_ + phase("start_up");
  return {{"kind", "cost"},
          {"run_id", run_id},
          {"experiment", experiment},
          {"wall_s", wall_s},
          {"start_up_s", start_up_s},
          {"ceilings_s", ceilings_s_},
          {"inputs_s", groups_.inputs_s + phase("inputs")},
          {"reference_s", groups_.reference_s},
          {"prepare_s", phase("prepare")},
          {"pilot_s", phase("pilot")},
          {"verify_s", phase("verify")},
          {"warm_up_s", phase("warm_up")},
          {"settle_s", settle_s},
          {"measured_s", phase("timed")},
          {"energy_s", phase("energy")},
          {"other_s", wall_s - accounted_s - start_up_s - phase("prepare") - settle_s},
          {"overhead", wall_s > 0 ? (wall_s - accounted_s) / wall_s : 0}};
}

}  // namespace gemmlab::runner
