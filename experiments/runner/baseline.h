#pragma once

#include "experiments/runner/catalogue.h"
#include "experiments/runner/definition.h"
#include "experiments/runner/toml_reader.h"

namespace gemmlab::runner {

/// The `baseline` of a [[table]] or [[figure]], such as { implementation = "cpu.openmp", threads = 8 }.
/// Throws UsageError where it is none, or where none of the definition's lines, which are expanded by now,
/// measures it.
Json read_baseline(const TomlReader& item, const Catalogue& catalogue, const Definition& definition);

}  // namespace gemmlab::runner
