#pragma once

// A and B in page-locked memory of the host, for products whose operands begin there.

#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "core/gemm/implementation.h"
#include "gpu/host_memory.h"

namespace gemmlab::gpu {

class HostCopies {
 public:
  /// Copies the present values of these on the first card; what was there before is forgotten. Throws OutOfMemory.
  void stage(const Shape& shape, const std::vector<OperandPair>& pairs);
  /// Where the copy of a pair lies. Throws std::runtime_error for one that has not been staged.
  OperandPair of(const float* a, const float* b) const;

 private:
  struct Copy {
    std::unique_ptr<HostBuffer> a;
    std::unique_ptr<HostBuffer> b;
  };
  std::map<std::pair<const float*, const float*>, Copy> copies_;
};

}  // namespace gemmlab::gpu
