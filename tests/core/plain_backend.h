#pragma once

#include <cstdlib>
#include <cstring>
#include <utility>
#include <vector>

#include "core/backend.h"
#include "core/timing/measure.h"
#include "operations/gemm/implementation.h"

namespace gemmlab::test {

/// Where an end-to-end call finds its operands on a device whose memory is the host's.
inline Operands operands_of(const EndToEnd& work) {
  std::vector<void*> at;
  for (const EndToEnd::Operand& operand : work.operands) at.push_back(operand.host);
  return Operands(std::move(at));
}

/// Host memory and no clock: what a planted backend need not say again.
class PlainBackend : public Backend {
 public:
  const Device& device() const override { return Device::kCpu; }
  void* allocate_bytes(std::int64_t bytes) override { return std::malloc(static_cast<std::size_t>(bytes)); }
  void release(void* memory) override { std::free(memory); }
  void upload_bytes(void* to, const void* from, std::int64_t bytes) override {
    std::memcpy(to, from, static_cast<std::size_t>(bytes));
  }
  void download_bytes(void* to, const void* from, std::int64_t bytes) override {
    std::memcpy(to, from, static_cast<std::size_t>(bytes));
  }
  void poison_bytes(void* memory, std::int64_t bytes) override {
    std::memset(memory, 0xff, static_cast<std::size_t>(bytes));
  }
  void synchronize() override {}
  std::int64_t free_bytes() override { return std::int64_t{1} << 30; }
  std::int64_t last_level_cache_bytes() const override { return 1 << 20; }
  double sample(const std::vector<Call>& calls, Scope, Timing, std::uint64_t) override {
    for (const Call& call : calls) call();
    return 1e-3;
  }
  void* allocate_host_bytes(std::int64_t bytes, HostMemory) override { return allocate_bytes(bytes); }
  void release_host(void* memory, HostMemory) override { release(memory); }
  double end_to_end_s(const EndToEnd& work) override {
    work.run(operands_of(work));
    return 1e-3;
  }
};

/// Nobody is told where the work stands.
class NoWatch : public Watch {
 public:
  void enter(int, const char*, double) override {}
};

}  // namespace gemmlab::test
