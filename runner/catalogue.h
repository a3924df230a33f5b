#pragma once

// Finds implementations by their ids.

#include <string>
#include <vector>

#include "core/implementation.h"

namespace gemmlab::runner {

/// Does an id match a pattern: the id itself, or a device's whole table as "cpu.*"?
bool id_matches(const std::string& pattern, const std::string& id);

/// Does the pattern name GPU implementations of the operation (empty: of any) that exist, but not in this
/// program, which was built without CUDA?
bool missing_in_this_build(const std::string& pattern, const std::string& operation = {});

/// All devices' tables as one: the only place where experiments, commands and tests look implementations up.
class Catalogue {
 public:
  /// `extra` is added to the tables (test programs add faulty implementations this way).
  explicit Catalogue(const std::vector<const Implementation*>& extra = {});
  /// These rows alone.
  static Catalogue of_rows(const std::vector<const Implementation*>& rows);

  const std::vector<const Implementation*>& all() const { return all_; }
  const Implementation* find(const std::string& id) const;  ///< nullptr where there is none
  /// All rows of an operation, in the tables' order.
  std::vector<const Implementation*> of(const std::string& operation) const;
  /// All rows of the operation (empty: of any) whose id matches the pattern, in the tables' order.
  std::vector<const Implementation*> matching(const std::string& pattern,
                                              const std::string& operation = {}) const;
  /// For messages: "unknown implementation 'cpu.bloked' (did you mean 'cpu.blocked'?); allowed: cpu.serial,
  /// ...". With an operation given, an id of another operation is reported as such.
  std::string unknown(const std::string& id, const std::string& operation = {}) const;

 private:
  std::vector<const Implementation*> all_;
};

/// The names of all parameters of these implementations, each once.
std::vector<std::string> parameter_names(const std::vector<const Implementation*>& implementations);

}  // namespace gemmlab::runner
