#include "gpu/device/host_memory.h"

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <future>
#include <string>
#include <thread>
#include <vector>

#include "core/machine/machine.h"
#include "core/rounding.h"
#include "gpu/device/check.h"

namespace gemmlab::gpu {
namespace {

[[noreturn]] void throw_out_of_memory(HostMemory kind, std::size_t bytes) {
  throw OutOfMemory(std::string(to_string(kind)) + " host memory: " + std::to_string(bytes) +
                    " bytes asked for, " + std::to_string(available_memory_bytes()) + " available");
}

}  // namespace

void* allocate_host(std::int64_t wanted, HostMemory kind, Pages pages) {
  constexpr std::size_t kPage = 4096;
  const std::size_t bytes = (static_cast<std::size_t>(wanted) + kPage) / kPage * kPage;  // never nothing
  // Linux grants more than there is and kills the process when it is used, so large requests
  // are compared first
  constexpr std::size_t kWorthAsking = std::size_t{64} << 20;
  if (bytes >= kWorthAsking && static_cast<std::int64_t>(bytes) > available_memory_bytes()) {
    throw_out_of_memory(kind, bytes);
  }
  void* memory = nullptr;
  if (kind == HostMemory::kPinned) {
    const cudaError_t error = cudaMallocHost(&memory, bytes);
    if (error == cudaErrorMemoryAllocation) {
      cudaGetLastError();  // not sticky: the context lives on, and the next check must not see it
      throw_out_of_memory(kind, bytes);
    }
    throw_if_failed(error, "cudaMallocHost", __FILE__, __LINE__);
  } else {
    memory = std::aligned_alloc(kPage, bytes);
    if (memory == nullptr) throw_out_of_memory(kind, bytes);
    // a page that is first touched inside the clock would be measured
    if (pages == Pages::kThere) std::memset(memory, 0, bytes);
  }
  return memory;
}

void give_pages(void* memory, std::int64_t bytes) {
  constexpr std::int64_t kPage = 4096;
  auto* const first = static_cast<volatile char*>(memory);
  const auto each = static_cast<std::int64_t>(std::max(1U, std::thread::hardware_concurrency()));
  const std::int64_t share = ceil_div(ceil_div(bytes, each), kPage) * kPage;
  std::vector<std::future<void>> parts;
  for (std::int64_t at = 0; at < bytes; at += share) {
    parts.push_back(std::async(std::launch::async, [=] {
      for (std::int64_t i = at; i < std::min(bytes, at + share); i += kPage) first[i] = 0;
    }));
  }
  if (bytes > 0) first[bytes - 1] = 0;  // where the memory does not begin with a page
}

void release_host(void* memory, HostMemory kind) {
  if (memory == nullptr) return;
  if (kind == HostMemory::kPinned) {
    GEMMLAB_CUDA_CHECK(cudaFreeHost(memory));
  } else {
    std::free(memory);
  }
}

HostBuffer::~HostBuffer() {
  if (kind_ == HostMemory::kPinned) {
    cudaFreeHost(data_);  // a failure here would have been reported by the work that caused it
  } else {
    std::free(data_);
  }
}

}  // namespace gemmlab::gpu
