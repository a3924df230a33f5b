#include <omp.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <limits>

#include "core/machine.h"
#include "core/statistics.h"
#include "cpu/table.h"

namespace gemmlab::cpu {
namespace {

constexpr std::size_t kAlignment = 64;
constexpr std::int64_t kUnknownCacheBytes = 32 << 20;

/// Calls part(begin, end) for equal shares of 0..count on all cores: whoever writes a page first decides
/// which NUMA node it lies on, and the methods share rows out in the same order.
template <typename Part>
void share_out(std::int64_t count, const Part& part) {
  constexpr std::int64_t kWorthThreads = 1 << 18;
  const int threads = count < kWorthThreads ? 1 : cpu_info().cores;
#pragma omp parallel num_threads(threads)
  {
    const std::int64_t parts = omp_get_num_threads();
    const std::int64_t mine = omp_get_thread_num();
    part(count / parts * mine + std::min(mine, count % parts),
         count / parts * (mine + 1) + std::min(mine + 1, count % parts));
  }
}

void copy(float* to, const float* from, std::int64_t count) {
  share_out(count, [=](std::int64_t begin, std::int64_t end) {
    std::memcpy(to + begin, from + begin, static_cast<std::size_t>(end - begin) * sizeof(float));
  });
}

/// Host memory in cache lines, and the steady clock.
class HostBackend : public Backend {
 public:
  Device device() const override { return Device::kCpu; }

  float* allocate(std::int64_t count) override {
    const std::size_t bytes =
        std::max(kAlignment, (static_cast<std::size_t>(count) * sizeof(float) + kAlignment - 1) / kAlignment *
                                 kAlignment);
    // Linux grants more than there is and kills the process when it is used, so large requests are compared
    // first
    constexpr std::size_t kWorthAsking = 64 << 20;
    const std::int64_t available =
        bytes < kWorthAsking ? std::numeric_limits<std::int64_t>::max() : free_bytes();
    void* memory =
        bytes > static_cast<std::size_t>(available) ? nullptr : std::aligned_alloc(kAlignment, bytes);
    if (memory == nullptr) {
      throw OutOfMemory("host memory: " + std::to_string(bytes) + " bytes asked for, " +
                        std::to_string(free_bytes()) + " available");
    }
    return static_cast<float*>(memory);
  }
  void release(float* memory) override { std::free(memory); }
  void upload(float* device_to, const float* host_from, std::int64_t count) override {
    copy(device_to, host_from, count);
  }
  void download(float* host_to, const float* device_from, std::int64_t count) override {
    copy(host_to, device_from, count);
  }
  void poison(float* memory, std::int64_t count) override {
    share_out(count, [=](std::int64_t begin, std::int64_t end) {
      std::fill(memory + begin, memory + end, std::numeric_limits<float>::quiet_NaN());
    });
  }
  void synchronize() override {}

  std::int64_t free_bytes() override { return available_memory_bytes(); }
  std::int64_t last_level_cache_bytes() const override {
    const CpuInfo& info = cpu_info();
    if (info.l3_bytes > 0) return info.l3_bytes;
    return info.l2_bytes > 0 ? info.l2_bytes * info.cores : kUnknownCacheBytes;
  }

  /// A call has returned when its work is done, so every scope is the same clock, and a batch is its calls in
  /// a row.
  double sample(const std::vector<Call>& calls, Scope, Timing, std::uint64_t) override {
    const auto start = std::chrono::steady_clock::now();
    for (const Call& call : calls) call();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }
  double clock_overhead_s() override {
    std::vector<double> samples(1001);
    for (double& seconds : samples) seconds = sample({}, Scope::kKernel, Timing::kLaunch, 0);
    return median(samples);
  }
};

}  // namespace

std::unique_ptr<Backend> make_backend() {
  return std::make_unique<HostBackend>();
}

}  // namespace gemmlab::cpu
