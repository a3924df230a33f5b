#pragma once

// The implementations that a table of a definition names.

#include <string>
#include <vector>

#include "core/implementation.h"
#include "runner/catalogue.h"
#include "runner/definition/toml_reader.h"

namespace gemmlab::runner {

struct Named {
  std::string pattern;    ///< an id, or a device's whole table as "cpu.*"
  Parameters parameters;  ///< that make it what the definition calls it: block 32 of "kernel 3"; mostly none
  const toml::node* written = nullptr;  ///< what messages about it point to
};

/// The key `implementation`, one name or a list of them. What others call one (aliases.h) becomes its id, so
/// that no record holds such a name, and `notes` tells it once. Throws UsageError where a name means several.
std::vector<Named> named_in(const TomlReader& where, std::vector<std::string>& notes);
/// The same where only one can be meant.
Named one_named_in(const TomlReader& where, std::vector<std::string>& notes);

struct Meant {
  const Implementation* implementation;
  Parameters parameters;  ///< those of its name
};

/// Those of the operation that the names mean, in their order; a pattern those alone that are meant for one of
/// the instances. A name of what this build lacks goes to `left_out`. Throws UsageError where a name means
/// none.
std::vector<Meant> meant_by(const std::vector<Named>& names, const TomlReader& where,
                            const Catalogue& catalogue, const Operation& operation,
                            const std::vector<Instance>& instances, std::vector<std::string>& left_out);

}  // namespace gemmlab::runner
