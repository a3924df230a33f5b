#pragma once

// What nvcc refuses and g++ does not see: code of the host in a kernel.

#include <optional>
#include <string>

namespace gemmlab::submissions {

struct HostWord {
  int line = 0;
  std::string text;  ///< in nvcc's words
};

/// The first call, from a __global__ or __device__ function, of a function of the same source that is neither, or the first use of a
/// variable of namespace scope that is no __device__ one and not constant. Reads the text: members, operators and overloads of which one
/// is a __device__ function are left alone.
std::optional<HostWord> host_word_in_kernel(const std::string& source);

}  // namespace gemmlab::submissions
