#pragma once

// What nvcc refuses and g++, with the emulator's words, does not: code of the host in a kernel, operands of asm.

#include <optional>
#include <string>

namespace gemmlab::submissions {

struct NvccError {
  int line = 0;
  std::string text;  ///< in nvcc's words, where it has clear ones
};

/// The first of these in a __global__ or __device__ function: a call of a function of the same source that is neither; a use of a
/// variable of namespace scope that is no __device__ one and not constant; an operand of asm by its name, or with a constraint that is
/// none of PTX's. Reads the text: members, operators and overloads of which one is a __device__ function are left alone.
std::optional<NvccError> nvcc_error(const std::string& source);

}  // namespace gemmlab::submissions
