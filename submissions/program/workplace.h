#pragma once

// What a request to judge needs of this program and this machine.

#include <nlohmann/json.hpp>
#include <optional>

#include "runner/catalogue.h"
#include "runner/execution/channel.h"
#include "runner/execution/supervisor.h"
#include "submissions/judge/judge.h"
#include "submissions/program/answers.h"
#include "submissions/program/work_folder.h"

namespace gemmlab::submissions {

class Workplace {
 public:
  /// From the keys `worker`, `rule`, `seed`, `options` and `without_isolation` of a request. Throws runner::UsageError.
  Workplace(const runner::Catalogue& catalogue, runner::Channel& channel, const Json& request);
  Workplace(const Workplace&) = delete;
  Workplace& operator=(const Workplace&) = delete;

  const Rule& rule() const { return rule_; }
  const Options& options() const { return options_; }
  const Surroundings& surroundings() const { return surroundings_; }

  /// The machine's ceilings as somebody has measured them; null: not yet.
  void take_limits(const Json& limits);
  Json limits() const;
  /// Those that shares are computed from: arithmetic and memory of the whole device. Empty where nothing was
  /// timed.
  Json ceilings(const Device& device) const;

 private:
  void surround();
  std::string unavailable(const std::string& id) const;
  LeastTime least_time(const Device& device, const Shape& shape);

  const runner::Catalogue& catalogue_;
  runner::Channel& channel_;
  Json worker_;
  Rule rule_;
  Options options_;
  WorkFolder work_;
  Surroundings surroundings_;
  std::optional<runner::Limits> limits_;
};

}  // namespace gemmlab::submissions
