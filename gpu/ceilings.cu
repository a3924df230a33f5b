// What the GPU could do at most: FFMA issue and DRAM bandwidth, each measured, and measured again at half the
// work.

#include <algorithm>
#include <cstdio>
#include <functional>

#include "core/backend.h"
#include "gpu/check.h"
#include "gpu/device.h"
#include "gpu/table.h"

namespace gemmlab::gpu {
namespace {

constexpr int kChains = 8;  // independent sums a thread: FFMA takes 4 cycles, and warps hide the rest
constexpr int kUnrolled =
    32;  // FFMA a chain for each turn of the loop: its own instructions vanish among 256
constexpr int kFmaThreads = 256;
constexpr int kFmaBlocksPerSm = 8;

/// Each thread runs kChains·kUnrolled·turns multiply-adds that wait for nothing but their own chain.
__global__ void __launch_bounds__(kFmaThreads) fma_chains(float* out, float a, float b, int turns) {
  float chain[kChains];
#pragma unroll
  for (int i = 0; i < kChains; ++i) chain[i] = static_cast<float>(threadIdx.x + i);
#pragma unroll 1
  for (int turn = 0; turn < turns; ++turn) {
#pragma unroll
    for (int j = 0; j < kUnrolled; ++j) {
#pragma unroll
      for (int i = 0; i < kChains; ++i) chain[i] = fmaf(chain[i], a, b);
    }
  }
  float sum = 0;
#pragma unroll
  for (int i = 0; i < kChains; ++i) sum += chain[i];
  if (sum == -1.0f) *out = sum;  // never so, but the compiler cannot know: the chains must be computed
}

constexpr int kStreamThreads = 512;
constexpr int kStreamBlocksPerSm = 2;
constexpr int kInFlight = 8;  // 16-byte loads a thread issues before it waits: 128 KiB an SM

/// Reads `count` float4, kStreamThreads·kInFlight at a time a block; count is a multiple of that.
__global__ void __launch_bounds__(kStreamThreads, kStreamBlocksPerSm)
    read_all(const float4* from, float* out, std::int64_t count) {
  constexpr int kTile = kStreamThreads * kInFlight;
  float sum = 0;
  for (std::int64_t tile = blockIdx.x; tile < count / kTile; tile += gridDim.x) {
    float4 values[kInFlight];
#pragma unroll
    for (int i = 0; i < kInFlight; ++i)
      values[i] = __ldcs(&from[tile * kTile + i * kStreamThreads + threadIdx.x]);
#pragma unroll
    for (int i = 0; i < kInFlight; ++i) sum += values[i].x + values[i].y + values[i].z + values[i].w;
  }
  if (sum == -1.0f) *out = sum;
}

/// Copies `count` float4 likewise.
__global__ void __launch_bounds__(kStreamThreads, kStreamBlocksPerSm)
    copy_all(const float4* from, float4* to, std::int64_t count) {
  constexpr int kTile = kStreamThreads * kInFlight;
  for (std::int64_t tile = blockIdx.x; tile < count / kTile; tile += gridDim.x) {
    float4 values[kInFlight];
#pragma unroll
    for (int i = 0; i < kInFlight; ++i)
      values[i] = __ldcs(&from[tile * kTile + i * kStreamThreads + threadIdx.x]);
#pragma unroll
    for (int i = 0; i < kInFlight; ++i)
      __stcs(&to[tile * kTile + i * kStreamThreads + threadIdx.x], values[i]);
  }
}

/// Work of an amount that the caller sets: launches what does `amount` of it.
using Work = std::function<void(std::int64_t amount)>;

double least_s(const Work& work, std::int64_t amount, EventTimer& timer) {
  constexpr double kWarmUp_s = 30e-3;  // for the clock to rise
  double spent_s = 0;
  double best_s = 1e30;
  for (int run = 0; run < 12 || spent_s < kWarmUp_s; ++run) {
    timer.start(nullptr);
    work(amount);
    GEMMLAB_CUDA_CHECK(cudaGetLastError());
    const double time_s = timer.stop_s(nullptr);
    spent_s += time_s;
    best_s = std::min(best_s, time_s);
  }
  return best_s;
}

/// `units` (1e9 of them make one of `unit`) for each of `amount`; timed at `amount` and at half of it.
Ceiling measure(const char* what, const char* level, const char* unit, const std::string& loop,
                const Work& work, std::int64_t amount, double units_each) {
  EventTimer timer;
  double half_s = 0;
  double whole_s = 0;
  double ratio = 0;
  constexpr double kTolerance = 0.05;
  for (int attempt = 0; attempt < 3; ++attempt) {
    half_s = least_s(work, amount / 2, timer);
    whole_s = least_s(work, amount, timer);
    ratio = whole_s / half_s;
    if (ratio > 2 - 2 * kTolerance && ratio < 2 + 2 * kTolerance) break;
  }
  const bool doubled = ratio > 2 - 2 * kTolerance && ratio < 2 + 2 * kTolerance;
  char check[96];
  std::snprintf(check, sizeof(check), "; %stwice the work took %.3f times the time",
                doubled ? "" : "SELF-CHECK FAILED: ", ratio);
  Ceiling ceiling;
  ceiling.device = "gpu";
  ceiling.what = what;
  ceiling.level = level;
  ceiling.value = units_each * static_cast<double>(amount) / whole_s / 1e9;
  ceiling.unit = unit;
  ceiling.how = loop + check;
  return ceiling;
}

int attribute(cudaDeviceAttr which) {
  int value = 0;
  GEMMLAB_CUDA_CHECK(cudaDeviceGetAttribute(&value, which, 0));
  return value;
}

Ceiling measure_fma(int sm_count) {
  const DeviceMemory out(sizeof(float));
  const int blocks = sm_count * kFmaBlocksPerSm;
  // a and b keep every chain near its start: x·a + b with a just under 1 stays finite
  const Work work = [&](std::int64_t turns) {
    fma_chains<<<blocks, kFmaThreads>>>(out.floats(), 0.999999f, 1e-6f, static_cast<int>(turns));
  };
  constexpr std::int64_t kTurns = 4096;  // about 15 ms on an H200
  const double flop_each = 2.0 * kChains * kUnrolled * kFmaThreads * blocks;
  return measure("fma", "ffma", "GFLOP/s",
                 "8 independent FFMA chains a thread, 2048 threads an SM, best of 12", work, kTurns,
                 flop_each);
}

/// Bytes of the memory sweep: many times the L2, within a quarter of what is free; a multiple of two blocks'
/// tiles.
std::int64_t sweep_bytes() {
  std::size_t free = 0;
  std::size_t total = 0;
  GEMMLAB_CUDA_CHECK(cudaMemGetInfo(&free, &total));
  constexpr std::int64_t kWanted = std::int64_t{4} << 30;
  const std::int64_t least = std::int64_t{16} * attribute(cudaDevAttrL2CacheSize);
  const std::int64_t most = std::max(least, static_cast<std::int64_t>(free / 4));
  constexpr std::int64_t kStep = std::int64_t{2} * kStreamThreads * kInFlight * sizeof(float4);
  return std::min(kWanted, most) / kStep * kStep;
}

void measure_memory(int sm_count, std::vector<Ceiling>& ceilings) {
  const std::int64_t bytes = sweep_bytes();
  const DeviceMemory from(bytes);
  const DeviceMemory to(bytes);
  GEMMLAB_CUDA_CHECK(cudaMemset(from.data(), 0, bytes));
  GEMMLAB_CUDA_CHECK(cudaMemset(to.data(), 0, bytes));
  const int blocks = sm_count * kStreamBlocksPerSm;
  const auto* source = static_cast<const float4*>(from.data());
  const std::int64_t vectors = bytes / static_cast<std::int64_t>(sizeof(float4));
  const std::string sweep =
      " of " + std::to_string(bytes >> 20) + " MiB, 8 16-byte loads in flight a thread, best of 12";

  ceilings.push_back(measure(
      "memory_read", "dram", "GB/s", "read" + sweep,
      [&](std::int64_t count) { read_all<<<blocks, kStreamThreads>>>(source, to.floats(), count); }, vectors,
      sizeof(float4)));
  ceilings.push_back(measure(
      "memory_copy", "dram", "GB/s", "copy" + sweep + ", bytes read and written",
      [&](std::int64_t count) {
        copy_all<<<blocks, kStreamThreads>>>(source, static_cast<float4*>(to.data()), count);
      },
      vectors, 2.0 * sizeof(float4)));
}

}  // namespace

std::vector<Ceiling> measure_ceilings() {
  if (!unavailable().empty()) return {};
  GEMMLAB_CUDA_CHECK(cudaSetDevice(0));
  const int sm_count = attribute(cudaDevAttrMultiProcessorCount);
  std::vector<Ceiling> ceilings = {measure_fma(sm_count)};
  try {
    measure_memory(sm_count, ceilings);
  } catch (const OutOfMemory&) {
    // someone else fills the card: the ceiling of arithmetic stands alone
  }
  return ceilings;
}

}  // namespace gemmlab::gpu
