// Limit: memory. 12 bytes move per multiply-add, b and c in and a out. An ordinary store first reads the line
// that it writes, 16 bytes in all; a store past the cache does not. Prediction for 2^26 elements: 0.90 of the
// read roof with stores past the cache, 0.70 without.

#include "cpu/device/simd.h"

#include <omp.h>

#include <cstdint>

#include "cpu/call.h"

namespace GEMMLAB_KERNEL_NAMESPACE {

constexpr int kInFlight = 4;  ///< registers of b and of c that are loaded before the first store

GEMMLAB_INLINE void put(float* to, Vector v, bool past_cache) {
  past_cache ? store_past_cache(to, v) : store(to, v);
}

/// Elements until `to` is where a store past the cache may begin: at a multiple of a register's bytes.
static std::int64_t until_aligned(const float* to, std::int64_t count) {
  const auto past = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(to) / sizeof(float) % kLanes);
  const std::int64_t until = (kLanes - past) % kLanes;
  return until < count ? until : count;
}

GEMMLAB_INLINE void triad_part(float* a, const float* b, const float* c, float s, std::int64_t count,
                               bool past_cache) {
  const Vector scale = broadcast(&s);
  std::int64_t i = past_cache ? until_aligned(a, count) : 0;
  const Mask before = first_lanes(i);
  if (i > 0) store_first(a, before, fused(scale, load_first(c, before), load_first(b, before)));
  for (; i + kInFlight * kLanes <= count; i += kInFlight * kLanes) {
    Vector sums[kInFlight];
#pragma GCC unroll 4
    for (int r = 0; r < kInFlight; ++r) {
      sums[r] = fused(scale, load(c + i + r * kLanes), load(b + i + r * kLanes));
    }
#pragma GCC unroll 4
    for (int r = 0; r < kInFlight; ++r) put(a + i + r * kLanes, sums[r], past_cache);
  }
  for (; i + kLanes <= count; i += kLanes) put(a + i, fused(scale, load(c + i), load(b + i)), past_cache);
  const Mask rest = first_lanes(count - i);
  store_first(a + i, rest, fused(scale, load_first(c + i, rest), load_first(b + i, rest)));
  if (past_cache) end_stores_past_cache();
}

/// A contiguous share per thread. Past the cache where the three vectors do not fit into it: a, written last,
/// would push out what the next call reads, and would itself be gone before it is read.
static int run(const Call& call) {
  const std::int64_t n = call.dims[0];
  const bool past_cache = 3 * n * static_cast<std::int64_t>(sizeof(float)) > call.last_cache_bytes;
  int threads = 0;
#pragma omp parallel num_threads(call.threads)
  {
#pragma omp master
    threads = omp_get_num_threads();
    const Share mine = share_of(n, omp_get_num_threads(), omp_get_thread_num(), kInFlight * kLanes);
    const float* b = call.in<float>(0) + mine.begin;
    const float* c = call.in<float>(1) + mine.begin;
    float* a = call.out<float>(2) + mine.begin;
    if (past_cache) {
      triad_part(a, b, c, call.factor, mine.end - mine.begin, true);
    } else {
      triad_part(a, b, c, call.factor, mine.end - mine.begin, false);
    }
  }
  return threads;
}

extern const CallMethod triad_simd = {
    .id = "cpu.triad_simd",
    .name = "triad SIMD",
    .family = "register tiles",
    .summary = "four registers in flight, stores past the cache where the vectors exceed it",
    .source = "J. McCalpin, STREAM: nontemporal stores",
    .counterpart = "gpu.triad_tuned",
    .threaded = true,
    .run = run,
    .elements_per_thread = 1 << 15,
};

}  // namespace GEMMLAB_KERNEL_NAMESPACE
