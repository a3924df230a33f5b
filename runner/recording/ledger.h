#pragma once

// Accounts for the time of a run: how much of it was measuring?

#include <chrono>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "core/records/record.h"
#include "core/timing/measure.h"

namespace gemmlab::runner {

/// Where one experiment's wall time went: a `cost` record. Starts its clock when it is made.
class Ledger {
 public:
  /// Time before the experiment that belongs to it: starting a worker, measuring the ceilings.
  void add_before(double start_up_s, double ceilings_s);
  void add_group(const GroupCost& cost);
  void add_case(const Json& record);

  /// `overhead` is the share of the wall time that is left after measured work, warm-ups, pilots,
  /// verification, inputs, references and ceilings.
  Json record(const std::string& run_id, const std::string& experiment) const;

 private:
  std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();
  double start_up_s_ = 0;
  double ceilings_s_ = 0;
  GroupCost groups_;
  std::map<std::string, double> phases_s_;
};

}  // namespace gemmlab::runner
