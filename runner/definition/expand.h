#pragma once

// From one [[group]] of a definition to its points.

#include <set>
#include <string>
#include <vector>

#include "runner/definition/definition.h"
#include "runner/definition/exclusion.h"
#include "runner/definition/settings.h"

namespace gemmlab::runner {

/// Fills a definition group by group. Takes time in proportion to the points that come of it.
class Expander {
 public:
  Expander(const Catalogue& catalogue, Definition& definition)
      : catalogue_(catalogue), definition_(definition) {}

  /// Adds the group's points, exclusions and what is left out. Throws UsageError, also where the definition
  /// then had over 1,000,000 points; that is found before they are made.
  void add(const TomlReader& group, const GroupDefaults& defaults);

 private:
  std::vector<Point> distinct_lines(const TomlReader& group, const std::string& name,
                                    const GroupDefaults& settings, const Operation& operation,
                                    const std::vector<Instance>& instances);
  std::vector<Point> lines_of(const TomlReader& run, const GroupDefaults& settings,
                              const Operation& operation, const std::vector<Instance>& instances);
  const Operation& operation_of(const TomlReader& group, const GroupDefaults& defaults);
  void add_instance(const std::string& name, const Instance& instance, const GroupDefaults& settings,
                    const std::vector<Point>& lines, const std::vector<Exclusion>& exclusions);

  const Catalogue& catalogue_;
  Definition& definition_;
  std::set<std::string> labels_;  ///< those in definition_.lines
  std::size_t points_ = 0;        ///< of the groups so far, those left out included
};

}  // namespace gemmlab::runner
