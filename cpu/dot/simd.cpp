// Limit: memory. 8 bytes are read per multiply-add, so that past the caches the read bandwidth of all cores
// decides. Prediction for 2^26 elements: 0.95 of the read roof, which is measured with one stream per thread
// instead of two.

#include "cpu/device/simd.h"

#include <omp.h>

#include "cpu/call.h"

namespace GEMMLAB_KERNEL_NAMESPACE {

// A multiply-add takes four cycles and two start per cycle: eight sums that do not wait for each other.
constexpr int kSums = 8;
constexpr int kMostThreads = 4096;  ///< of the parameter `threads`

static float dot_of(const float* x, const float* y, std::int64_t count) {
  Vector sums[kSums];
  for (Vector& sum : sums) sum = zero();
  std::int64_t i = 0;
  for (; i + kSums * kLanes <= count; i += kSums * kLanes) {
#pragma GCC unroll 8
    for (int s = 0; s < kSums; ++s) {
      sums[s] = fused(load(x + i + s * kLanes), load(y + i + s * kLanes), sums[s]);
    }
  }
  for (; i + kLanes <= count; i += kLanes) sums[0] = fused(load(x + i), load(y + i), sums[0]);
  const Mask rest = first_lanes(count - i);
  sums[1] = fused(load_first(x + i, rest), load_first(y + i, rest), sums[1]);
  for (int width = kSums / 2; width > 0; width /= 2) {
    for (int s = 0; s < width; ++s) sums[s] = added(sums[s], sums[s + width]);
  }
  return sum_of_lanes(sums[0]);
}

/// Each thread sums a contiguous share; the shares are added in order, so that the result has the same
/// bits every time.
static int run(const Call& call) {
  const float* x = call.in<float>(0);
  const float* y = call.in<float>(1);
  float partial[kMostThreads];
  int threads = 0;
#pragma omp parallel num_threads(call.threads)
  {
    const int index = omp_get_thread_num();
#pragma omp master
    threads = omp_get_num_threads();
    const Share mine = share_of(call.dims[0], omp_get_num_threads(), index, kSums * kLanes);
    partial[index] = dot_of(x + mine.begin, y + mine.begin, mine.end - mine.begin);
  }
  float sum = 0;
  for (int thread = 0; thread < threads; ++thread) sum += partial[thread];
  *call.out<float>(2) = sum;
  return threads;
}

extern const CallMethod dot_simd = {
    .id = "cpu.dot_simd",
    .name = "dot SIMD",
    .family = "register tiles",
    .summary = "eight registers of partial sums per thread, shares of the threads added in order",
    .source = "Intel 64 and IA-32 Optimization Reference Manual, reductions",
    .counterpart = "gpu.dot_tuned",
    .threaded = true,
    .run = run,
    .elements_per_thread = 1 << 15,
};

}  // namespace GEMMLAB_KERNEL_NAMESPACE
