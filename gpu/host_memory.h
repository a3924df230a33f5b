#pragma once

#include <cstddef>
#include <cstdint>

#include "core/backend.h"

namespace gemmlab::gpu {

/// Host memory that a GPU's transfers start from or end in: ordinary memory whose pages exist, or page-locked
/// memory. Throws OutOfMemory.
float* allocate_host(std::int64_t count, HostMemory kind);
/// Gives it back; nullptr is nothing.
void release_host(float* memory, HostMemory kind);

/// Such memory with an owner.
class HostBuffer {
 public:
  HostBuffer(std::int64_t count, HostMemory kind) : data_(allocate_host(count, kind)), kind_(kind) {}
  ~HostBuffer();
  HostBuffer(const HostBuffer&) = delete;
  HostBuffer& operator=(const HostBuffer&) = delete;

  float* data() const { return data_; }

 private:
  float* data_;
  HostMemory kind_;
};

}  // namespace gemmlab::gpu
