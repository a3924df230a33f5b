#pragma once

// Every operation of this program: the folders in operations/ that have an operation.cpp.

#include <string>
#include <vector>

#include "core/operation.h"

namespace gemmlab {

/// gemm first, the others by name. Defined in operations/list.cpp; the names are found by cmake/Operations.cmake.
const std::vector<const Operation*>& operations();

/// nullptr where there is none of that name.
const Operation* find_operation(const std::string& name);

/// The default operation of definitions and older records that name none.
inline constexpr const char* kDefaultOperation = "gemm";

}  // namespace gemmlab
