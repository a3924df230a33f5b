#pragma once

// Is what one subject computed right? Fetches C, A and B from where they lie and gathers the verdicts.

#include <string>
#include <vector>

#include "core/host_sets.h"
#include "core/input_sets.h"
#include "core/verify.h"

namespace gemmlab {

/// What all subjects of a group share.
struct GroupReferences {
  const Reference& exact;
  const Reference& bound;
};

class SubjectChecks {
 public:
  SubjectChecks(Backend& backend, const Shape& shape, std::uint64_t seed, const GroupReferences& references)
      : backend_(backend), shape_(shape), seed_(seed), references_(references) {}

  /// C, A and B of the one set of integers.
  void exact(InputSets& sets);
  /// C of a timed set; with `inputs`, its A and B as well. What was changed is written anew.
  void timed(InputSets& sets, std::int64_t set, bool inputs);
  /// C, A and B of a set in host memory.
  void host(HostSets& sets, std::int64_t set);

  const std::vector<Check>& all() const { return checks_; }
  /// What a failed check says; empty where none has failed.
  std::string failure() const;

 private:
  void output(const Reference& reference, const InputSets& sets, std::int64_t set);
  void inputs(const Reference& reference, InputSets& sets, std::int64_t set);
  void add(std::vector<Check> checks);

  Backend& backend_;
  Shape shape_;
  std::uint64_t seed_;
  const GroupReferences& references_;
  std::vector<Check> checks_;
};

}  // namespace gemmlab
