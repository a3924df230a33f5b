#include <omp.h>

#if defined(__AVX2__)
#include <immintrin.h>
#endif

#include "cpu/spmv/method.h"

namespace GEMMLAB_KERNEL_NAMESPACE {

#if defined(__AVX512F__)

/// 16 entries at a time, twice in flight; a mask ends the row, so that short rows are vectors, too.
static float row_of(const SpmvProblem& p, std::int64_t entry, std::int64_t end) {
  __m512 sums[2] = {_mm512_setzero_ps(), _mm512_setzero_ps()};
  for (; entry + 32 <= end; entry += 32) {
#pragma GCC unroll 2
    for (int i = 0; i < 2; ++i) {
      const __m512i columns = _mm512_loadu_si512(p.columns + entry + 16 * i);
      const __m512 x = _mm512_i32gather_ps(columns, p.x, 4);
      sums[i] = _mm512_fmadd_ps(_mm512_loadu_ps(p.values + entry + 16 * i), x, sums[i]);
    }
  }
  for (; entry < end; entry += 16) {
    const __mmask16 there = end - entry < 16 ? static_cast<__mmask16>((1u << (end - entry)) - 1) : 0xffff;
    const __m512i columns = _mm512_maskz_loadu_epi32(there, p.columns + entry);
    const __m512 x = _mm512_mask_i32gather_ps(_mm512_setzero_ps(), there, columns, p.x, 4);
    sums[0] = _mm512_fmadd_ps(_mm512_maskz_loadu_ps(there, p.values + entry), x, sums[0]);
  }
  return _mm512_reduce_add_ps(_mm512_add_ps(sums[0], sums[1]));
}

#elif defined(__AVX2__)

/// 8 entries at a time, the rest of the row one by one.
static float row_of(const SpmvProblem& p, std::int64_t entry, std::int64_t end) {
  float rest = 0;
  __m256 sums = _mm256_setzero_ps();
  for (; entry + 8 <= end; entry += 8) {
    const __m256i columns = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p.columns + entry));
    const __m256 x = _mm256_i32gather_ps(p.x, columns, 4);
    sums = _mm256_fmadd_ps(_mm256_loadu_ps(p.values + entry), x, sums);
  }
  for (; entry < end; ++entry) rest += p.values[entry] * p.x[p.columns[entry]];
  __m128 half = _mm_add_ps(_mm256_castps256_ps128(sums), _mm256_extractf128_ps(sums, 1));
  half = _mm_add_ps(half, _mm_movehl_ps(half, half));
  half = _mm_add_ss(half, _mm_movehdup_ps(half));
  return rest + _mm_cvtss_f32(half);
}

#else

/// No gather in this isa: four sums, so that an addition need not wait for the one before.
static float row_of(const SpmvProblem& p, std::int64_t entry, std::int64_t end) {
  float sums[4] = {};
  for (; entry + 4 <= end; entry += 4) {
#pragma GCC unroll 4
    for (int i = 0; i < 4; ++i) sums[i] += p.values[entry + i] * p.x[p.columns[entry + i]];
  }
  for (; entry < end; ++entry) sums[0] += p.values[entry] * p.x[p.columns[entry]];
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

#endif

/// The shares of cpu.spmv_openmp; x is gathered for as many entries of a row as a register holds.
static int multiply(const SpmvProblem& p) {
  int threads = 0;
#pragma omp parallel num_threads(p.threads)
  {
#pragma omp master
    threads = omp_get_num_threads();
    const std::int64_t count = omp_get_num_threads();
    const std::int64_t mine = omp_get_thread_num();
    const std::int64_t end = first_row_of(p, mine + 1, count);
    for (std::int64_t row = first_row_of(p, mine, count); row < end; ++row) {
      p.y[row] = row_of(p, p.offsets[row], p.offsets[row + 1]);
    }
  }
  return threads;
}

extern const SpmvMethod spmv_simd = {
    .id = "cpu.spmv_simd",
    .name = "spmv SIMD",
    .family = "register tiles",
    .summary =
        "the shares of cpu.spmv_openmp, the entries of a row by vectors, x by gather where the isa has it",
    .source = "Intel 64 and IA-32 Architectures Software Developer's Manual, VGATHERDPS",
    .counterpart = "gpu.spmv_merge",
    .threaded = true,
    .multiply = multiply,
};

}  // namespace GEMMLAB_KERNEL_NAMESPACE
