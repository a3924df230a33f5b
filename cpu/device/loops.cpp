#include "cpu/device/loops.h"

#include "cpu/device/kernel.h"

namespace GEMMLAB_KERNEL_NAMESPACE {

// A register's worth of floats, and as many accumulators as the register file holds beside two operands: two
// units with a latency of four cycles need at least eight chains, twice that where the multiplication and the
// addition are two instructions.
#if defined(__AVX512F__)
constexpr int kLanes = 16;
constexpr int kChains = 24;
#elif defined(__AVX2__)
constexpr int kLanes = 8;
constexpr int kChains = 12;
#elif defined(__aarch64__)
constexpr int kLanes = 4;
constexpr int kChains = 24;
#else
constexpr int kLanes = 4;
constexpr int kChains = 12;
#endif
using Register =
    float __attribute__((vector_size(kLanes * sizeof(float)), may_alias, aligned(sizeof(float))));

static double fma_rounds(std::int64_t iterations) {
  // hidden from the optimiser, which would otherwise compute the whole loop beforehand
  Register scale = Register{} + 0.99999F;
  Register shift = Register{} + 0.00001F;
  asm volatile("" : "+m"(scale), "+m"(shift));
  Register sums[kChains];
  for (auto& sum : sums) sum = shift;
  for (std::int64_t i = 0; i < iterations; ++i) {
#pragma GCC unroll 32
    for (int chain = 0; chain < kChains; ++chain) sums[chain] = sums[chain] * scale + shift;
  }
  for (auto& sum : sums) asm volatile("" : : "m"(sum));
  return 2.0 * kLanes * kChains * static_cast<double>(iterations);
}

// Two additions a cycle with a latency of four need eight chains; twice as many where there are registers.
#if defined(__AVX512F__) || defined(__aarch64__)
constexpr int kSums = 16;
#else
constexpr int kSums = 8;
#endif

static float sum_all(const float* values, std::int64_t count, std::int64_t repeats) {
  constexpr std::int64_t kStep = kLanes * kSums;
  const std::int64_t whole = count / kStep * kStep;
  Register sums[kSums] = {};
  // One loop over all repeats: the end of an inner one would be mispredicted each time, which costs a sweep
  // of a nearest cache a tenth of its speed.
  std::int64_t i = 0;
  for (std::int64_t left = whole / kStep * repeats; left > 0; --left) {
#pragma GCC unroll 16
    for (int s = 0; s < kSums; ++s) sums[s] += *reinterpret_cast<const Register*>(values + i + s * kLanes);
    i += kStep;
    i = i < whole ? i : 0;
  }
  float total = 0;
  for (std::int64_t repeat = 0; repeat < repeats; ++repeat) {
    for (i = whole; i < count; ++i) total += values[i];
  }
  for (const auto& sum : sums) {
    for (int lane = 0; lane < kLanes; ++lane) total += sum[lane];
  }
  return total;
}

extern const Loops loops = {
#if defined(__AVX2__) || defined(__aarch64__)
    .fma_how = "independent fused multiply-adds in registers",
#else
    .fma_how = "independent mulps and addps in registers",
#endif
    .fma = fma_rounds,
    .sum = sum_all,
};

}  // namespace GEMMLAB_KERNEL_NAMESPACE
