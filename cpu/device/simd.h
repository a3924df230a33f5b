#pragma once

// One vector register of floats under one name for every isa. A header of a kernel holds no code that could
// become a symbol; these functions are always inlined, and static, so none is left in any object.

#include <cstdint>

#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

#include "cpu/device/kernel.h"

#define GEMMLAB_INLINE static inline __attribute__((always_inline))

namespace GEMMLAB_KERNEL_NAMESPACE {

#if defined(__AVX512F__)

constexpr int kLanes = 16;
using Vector = __m512;
using Mask = __mmask16;
GEMMLAB_INLINE Vector load(const float* from) {
  return _mm512_loadu_ps(from);
}
GEMMLAB_INLINE void store(float* to, Vector v) {
  _mm512_storeu_ps(to, v);
}
GEMMLAB_INLINE void store_past_cache(float* to, Vector v) {
  _mm512_stream_ps(to, v);
}
GEMMLAB_INLINE Vector broadcast(const float* from) {
  return _mm512_set1_ps(*from);
}
// Written out: of _mm512_fmadd_ps GCC 12 makes three forms, of which two overwrite a factor, and then copies
// and spills sums of a tile that fills the register file.
GEMMLAB_INLINE Vector fused(Vector x, Vector y, Vector sum) {
  asm("vfmadd231ps %2, %1, %0" : "+v"(sum) : "v"(x), "v"(y));
  return sum;
}
GEMMLAB_INLINE Vector added(Vector x, Vector y) {
  return _mm512_add_ps(x, y);
}
GEMMLAB_INLINE Vector zero() {
  return _mm512_setzero_ps();
}
GEMMLAB_INLINE Mask first_lanes(std::int64_t count) {
  return static_cast<Mask>((1U << count) - 1);
}
GEMMLAB_INLINE Vector load_first(const float* from, Mask mask) {
  return _mm512_maskz_loadu_ps(mask, from);
}
GEMMLAB_INLINE void store_first(float* to, Mask mask, Vector v) {
  _mm512_mask_storeu_ps(to, mask, v);
}

#elif defined(__AVX2__)

constexpr int kLanes = 8;
using Vector = __m256;
using Mask = __m256i;
GEMMLAB_INLINE Vector load(const float* from) {
  return _mm256_loadu_ps(from);
}
GEMMLAB_INLINE void store(float* to, Vector v) {
  _mm256_storeu_ps(to, v);
}
GEMMLAB_INLINE void store_past_cache(float* to, Vector v) {
  _mm256_stream_ps(to, v);
}
GEMMLAB_INLINE Vector broadcast(const float* from) {
  return _mm256_broadcast_ss(from);
}
// Written out for the same reason: 6×16 spilled four registers a round of _mm256_fmadd_ps.
GEMMLAB_INLINE Vector fused(Vector x, Vector y, Vector sum) {
  asm("vfmadd231ps %2, %1, %0" : "+x"(sum) : "x"(x), "x"(y));
  return sum;
}
GEMMLAB_INLINE Vector added(Vector x, Vector y) {
  return _mm256_add_ps(x, y);
}
GEMMLAB_INLINE Vector zero() {
  return _mm256_setzero_ps();
}
GEMMLAB_INLINE Mask first_lanes(std::int64_t count) {
  const __m256i lane = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
  return _mm256_cmpgt_epi32(_mm256_set1_epi32(static_cast<int>(count)), lane);
}
GEMMLAB_INLINE Vector load_first(const float* from, Mask mask) {
  return _mm256_maskload_ps(from, mask);
}
GEMMLAB_INLINE void store_first(float* to, Mask mask, Vector v) {
  _mm256_maskstore_ps(to, mask, v);
}

#else

// Four lanes without masks: a part of a register goes through an array of four.
constexpr int kLanes = 4;
using Mask = std::int64_t;
GEMMLAB_INLINE Mask first_lanes(std::int64_t count) {
  return count;
}
#if defined(__aarch64__)
using Vector = float32x4_t;
GEMMLAB_INLINE Vector load(const float* from) {
  return vld1q_f32(from);
}
GEMMLAB_INLINE void store(float* to, Vector v) {
  vst1q_f32(to, v);
}
GEMMLAB_INLINE void store_past_cache(float* to, Vector v) {
  store(to, v);  // what stnp does to the caches is left to the processor, and no intrinsic has it
}
GEMMLAB_INLINE Vector broadcast(const float* from) {
  return vld1q_dup_f32(from);
}
GEMMLAB_INLINE Vector fused(Vector x, Vector y, Vector sum) {
  return vfmaq_f32(sum, x, y);
}
GEMMLAB_INLINE Vector added(Vector x, Vector y) {
  return vaddq_f32(x, y);
}
GEMMLAB_INLINE Vector zero() {
  return vdupq_n_f32(0);
}
#else
// what any compiler of the GNU language turns into the target's own four lanes
using Vector = float __attribute__((vector_size(16)));
using UnalignedVector = float __attribute__((vector_size(16), aligned(4), may_alias));
GEMMLAB_INLINE Vector load(const float* from) {
  return *reinterpret_cast<const UnalignedVector*>(from);
}
GEMMLAB_INLINE void store(float* to, Vector v) {
  *reinterpret_cast<UnalignedVector*>(to) = v;
}
GEMMLAB_INLINE void store_past_cache(float* to, Vector v) {
#if defined(__x86_64__)
  _mm_stream_ps(to, v);
#else
  store(to, v);
#endif
}
GEMMLAB_INLINE Vector broadcast(const float* from) {
  return Vector{} + *from;
}
GEMMLAB_INLINE Vector fused(Vector x, Vector y, Vector sum) {
  return sum + x * y;
}
GEMMLAB_INLINE Vector added(Vector x, Vector y) {
  return x + y;
}
GEMMLAB_INLINE Vector zero() {
  return Vector{};
}
#endif
GEMMLAB_INLINE Vector load_first(const float* from, Mask mask) {
  float lanes[kLanes] = {};
  for (Mask lane = 0; lane < mask; ++lane) lanes[lane] = from[lane];
  return load(lanes);
}
GEMMLAB_INLINE void store_first(float* to, Mask mask, Vector v) {
  float lanes[kLanes];
  store(lanes, v);
  for (Mask lane = 0; lane < mask; ++lane) to[lane] = lanes[lane];
}

#endif

/// Before other threads read what store_past_cache() wrote: such stores are not kept in order.
GEMMLAB_INLINE void end_stores_past_cache() {
#if defined(__x86_64__)
  _mm_sfence();
#endif
}
/// The sum of a register's lanes.
GEMMLAB_INLINE float sum_of_lanes(Vector v) {
  float lanes[kLanes];
  store(lanes, v);
  for (int width = kLanes / 2; width > 0; width /= 2) {
    for (int lane = 0; lane < width; ++lane) lanes[lane] += lanes[lane + width];
  }
  return lanes[0];
}

}  // namespace GEMMLAB_KERNEL_NAMESPACE
