#include "gpu/device/ceilings/ceilings.h"
#include "gpu/device/device.h"

namespace gemmlab::gpu {
namespace {

constexpr int kChains = 8;  // independent sums per thread: FFMA takes 4 cycles, and warps hide the rest
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

}  // namespace

Ceiling measure_fma(int sm_count) {
  const DeviceMemory out(sizeof(float));
  const int blocks = sm_count * kFmaBlocksPerSm;
  Limit limit;
  limit.what = "fma";
  limit.level = "ffma";
  limit.unit = "GFLOP/s";
  limit.loop = "8 independent FFMA chains a thread, 2048 threads an SM";
  limit.amount = 4096;  // turns: about 15 ms on an H200
  limit.units_each = 2.0 * kChains * kUnrolled * kFmaThreads * blocks;
  // a and b keep every chain near its start: x·a + b with a just under 1 stays finite
  return measure(limit, [&](std::int64_t turns) {
    fma_chains<<<blocks, kFmaThreads>>>(out.floats(), 0.999999f, 1e-6f, static_cast<int>(turns));
  });
}

}  // namespace gemmlab::gpu
