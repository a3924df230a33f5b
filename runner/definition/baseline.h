#pragma once

// Reads what a table or figure compares all others with.

#include "runner/catalogue.h"
#include "runner/definition/definition.h"
#include "runner/definition/toml_reader.h"

namespace gemmlab::runner {

/// The `baseline` of a [[table]] or [[figure]], such as { implementation = "cpu.openmp", threads = 8 }.
/// Throws UsageError where it is not one, or where no line of the definition (expanded by now) measures it.
Json read_baseline(const TomlReader& item, const Catalogue& catalogue, Definition& definition);

}  // namespace gemmlab::runner
