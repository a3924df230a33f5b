#pragma once

// Checks what one subject computed: fetches operands from where they lie and collects the verdicts.

#include <string>
#include <vector>

#include "core/inputs/host_sets.h"
#include "core/inputs/input_sets.h"
#include "core/verification/verify.h"

namespace gemmlab {

/// What all subjects of a group share.
struct GroupReferences {
  const OperationReference& exact;
  const OperationReference& bound;
};

class SubjectChecks {
 public:
  SubjectChecks(Backend& backend, const Instance& instance, const GroupReferences& references)
      : backend_(backend), instance_(instance), references_(references) {}

  /// All operands of the one set of integers.
  void exact(InputSets& sets);
  /// The outputs of a timed set; with `inputs`, its inputs as well. What was changed is written anew.
  void timed(InputSets& sets, std::int64_t set, bool inputs);
  /// All operands of a set in host memory.
  void host(HostSets& sets, std::int64_t set);

  const std::vector<Check>& all() const { return checks_; }
  /// What a failed check says; empty where none has failed.
  std::string failure() const;

 private:
  void output(const OperationReference& reference, const InputSets& sets, std::int64_t set);
  void inputs(InputSets& sets, std::int64_t set);
  void add(std::vector<Check> checks);

  Backend& backend_;
  Instance instance_;
  const GroupReferences& references_;
  std::vector<Check> checks_;
};

}  // namespace gemmlab
