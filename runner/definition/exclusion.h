#pragma once

// One [[group.exclude]]: which points are left out, and why.

#include <optional>
#include <string>
#include <vector>

#include "core/records/point.h"
#include "runner/definition/named_implementations.h"

namespace gemmlab::runner {

class Exclusion {
 public:
  /// `notes` as of named_in(). Throws UsageError for keys, implementations and values that do not exist.
  Exclusion(const TomlReader& reader, const Catalogue& catalogue, const Operation& operation,
            const std::vector<Instance>& instances, std::vector<std::string>& notes);

  bool covers(const Point& point) const;
  const std::string& reason() const { return reason_; }

 private:
  std::vector<Named> names_;  ///< one of them is meant; none: all are
  std::string reason_;
  std::optional<double> flop_above_;
  std::optional<std::int64_t> size_above_;
  std::optional<std::int64_t> size_below_;
  std::optional<std::int64_t> cores_below_;
  Parameters parameters_;
};

}  // namespace gemmlab::runner
