// Limit: memory. 12 bytes move per multiply-add: x and y are read, y is written. The lines that are written
// are those that were read, so stores past the cache would save nothing. Prediction for 2^26 elements: 0.92
// of the read roof, since memory turns round between reads and writes.

#include "cpu/device/simd.h"

#include <omp.h>

#include "cpu/call.h"

namespace GEMMLAB_KERNEL_NAMESPACE {

constexpr int kInFlight = 4;  ///< registers of each vector that are loaded before the first store

static void add_scaled(float alpha, const float* x, float* y, std::int64_t count) {
  const Vector scale = broadcast(&alpha);
  std::int64_t i = 0;
  for (; i + kInFlight * kLanes <= count; i += kInFlight * kLanes) {
    Vector sums[kInFlight];
#pragma GCC unroll 4
    for (int r = 0; r < kInFlight; ++r) {
      sums[r] = fused(scale, load(x + i + r * kLanes), load(y + i + r * kLanes));
    }
#pragma GCC unroll 4
    for (int r = 0; r < kInFlight; ++r) store(y + i + r * kLanes, sums[r]);
  }
  for (; i + kLanes <= count; i += kLanes) store(y + i, fused(scale, load(x + i), load(y + i)));
  const Mask rest = first_lanes(count - i);
  store_first(y + i, rest, fused(scale, load_first(x + i, rest), load_first(y + i, rest)));
}

/// A contiguous share per thread, cut at cache lines so that no line has two writers.
static int run(const Call& call) {
  int threads = 0;
#pragma omp parallel num_threads(call.threads)
  {
#pragma omp master
    threads = omp_get_num_threads();
    const Share mine =
        share_of(call.dims[0], omp_get_num_threads(), omp_get_thread_num(), kInFlight * kLanes);
    add_scaled(call.factor, call.in<float>(0) + mine.begin, call.out<float>(1) + mine.begin,
               mine.end - mine.begin);
  }
  return threads;
}

extern const CallMethod axpy_simd = {
    .id = "cpu.axpy_simd",
    .name = "axpy SIMD",
    .family = "register tiles",
    .summary = "four registers of each vector in flight, a contiguous share per thread",
    .source = "Intel 64 and IA-32 Optimization Reference Manual",
    .counterpart = "gpu.axpy_tuned",
    .threaded = true,
    .run = run,
    .elements_per_thread = 1 << 15,
};

}  // namespace GEMMLAB_KERNEL_NAMESPACE
