#pragma once

// Asks the system for the matrix unit.

#include <string>

namespace gemmlab::cpu {

/// Why this process cannot use a matrix unit with BF16 products; empty where it can. The first call asks the
/// system for permission: it saves tiles for those processes only that asked.
const std::string& matrix_unit_missing();

}  // namespace gemmlab::cpu
