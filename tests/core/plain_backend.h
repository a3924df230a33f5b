#pragma once

#include <algorithm>
#include <limits>

#include "core/backend.h"
#include "core/measure.h"

namespace gemmlab::test {

/// Host memory and no clock: what a planted backend need not say again.
class PlainBackend : public Backend {
 public:
  Device device() const override { return Device::kCpu; }
  float* allocate(std::int64_t count) override { return new float[static_cast<std::size_t>(count)]; }
  void release(float* memory) override { delete[] memory; }
  void upload(float* to, const float* from, std::int64_t count) override {
    std::copy(from, from + count, to);
  }
  void download(float* to, const float* from, std::int64_t count) override {
    std::copy(from, from + count, to);
  }
  void poison(float* memory, std::int64_t count) override {
    std::fill(memory, memory + count, std::numeric_limits<float>::quiet_NaN());
  }
  void synchronize() override {}
  std::int64_t free_bytes() override { return std::int64_t{1} << 30; }
  std::int64_t last_level_cache_bytes() const override { return 1 << 20; }
  double sample(const std::vector<Call>& calls, Scope, Timing, std::uint64_t) override {
    for (const Call& call : calls) call();
    return 1e-3;
  }
  float* allocate_host(std::int64_t count, HostMemory) override { return allocate(count); }
  void release_host(float* memory, HostMemory) override { release(memory); }
  double end_to_end_s(const EndToEnd& work) override {
    work.multiply(work.a, work.b, work.c);
    return 1e-3;
  }
};

/// Nobody is told where the work stands.
class NoWatch : public Watch {
 public:
  void enter(int, const char*, double) override {}
};

}  // namespace gemmlab::test
