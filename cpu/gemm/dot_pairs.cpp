// C = A·B by the vector instructions that multiply several terms of a word at once: vdpbf16ps adds the products of 16 pairs of bfloat16 to 16
// sums of float32 (AVX-512 BF16), vpdpbusd those of 16 times four bytes to 16 sums of int32 (AVX-512 VNNI): two and four times the multiply-adds
// of a float32 FMA.
//
// B is packed so that a vector holds the same word of 16 columns, A so that a word can be broadcast (typed/panels.h). 8 rows by 32 columns of C are
// summed in 16 registers over all terms: 16 instructions for two vectors of B and eight words of A.
//
// vpdpbusd multiplies unsigned bytes by signed ones. So A is packed with 128 added to each element, which flips its first bit, and the sums
// begin at -128 times those of B's columns. AVX-VNNI-INT8 multiplies signed by signed, but in 256 bits.
//
// Limit: the vector units: twice (bfloat16) and four times (int8) float32's FMA rate, where a processor starts as many of these
// as of those a cycle.

#include <omp.h>

#include "cpu/gemm/typed/method.h"
#include "cpu/gemm/typed/panels.h"
#include "cpu/gemm/typed/to_c.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace gemmlab::cpu::avx512 {

constexpr int kRows = 8;
constexpr std::uint32_t kSigns = 0x80808080;

#if defined(__x86_64__)

struct Bfloat16Dots {
  using Element = std::uint16_t;
  using Sums = __m512;
  static constexpr std::uint32_t kFlip = 0;
  static inline __attribute__((always_inline)) void add(Sums& sums, __m512i a, __m512i b) {
    sums = _mm512_dpbf16_ps(sums, reinterpret_cast<__m512bh>(a), reinterpret_cast<__m512bh>(b));
  }
  /// What the sums of a panel's columns begin with.
  static void begin(const char*, std::int64_t, Sums (&sums)[2]) { sums[0] = sums[1] = _mm512_setzero_ps(); }
};

struct Int8Dots {
  using Element = std::uint8_t;
  using Sums = __m512i;
  static constexpr std::uint32_t kFlip = kSigns;
  static inline __attribute__((always_inline)) void add(Sums& sums, __m512i a, __m512i b) {
    sums = _mm512_dpbusd_epi32(sums, a, b);
  }
  static void begin(const char* b, std::int64_t steps, Sums (&sums)[2]) {
    const __m512i of_128 = _mm512_set1_epi32(static_cast<int>(kSigns));
    sums[0] = sums[1] = _mm512_setzero_si512();
    for (std::int64_t step = 0; step < steps; ++step, b += kPanelStepBytes) {
      for (int word = 0; word < kLines; ++word) {
        add(sums[0], of_128, _mm512_load_si512(b + word * kLineBytes));
        add(sums[1], of_128, _mm512_load_si512(b + kTileBytes + word * kLineBytes));
      }
    }
    sums[0] = _mm512_sub_epi32(_mm512_setzero_si512(), sums[0]);
    sums[1] = _mm512_sub_epi32(_mm512_setzero_si512(), sums[1]);
  }
};

/// 8 rows of A, from `a` on, by a panel of B; the sums go to two tiles of a panel's four.
template <typename Dots>
static void multiply_rows(const char* a, const char* b, std::int64_t steps,
                          const typename Dots::Sums (&begin)[2], char* to) {
  typename Dots::Sums sums[kRows][2];
#pragma GCC unroll 8
  for (int row = 0; row < kRows; ++row) {
    sums[row][0] = begin[0];
    sums[row][1] = begin[1];
  }
  for (std::int64_t step = 0; step < steps; ++step) {
    for (int word = 0; word < kLines; ++word) {
      const __m512i left = _mm512_load_si512(b + word * kLineBytes);
      const __m512i right = _mm512_load_si512(b + kTileBytes + word * kLineBytes);
#pragma GCC unroll 8
      for (int row = 0; row < kRows; ++row) {
        int pair;
        std::memcpy(&pair, a + row * kLineBytes + word * 4, sizeof pair);
        const __m512i of_a = _mm512_set1_epi32(pair);
        Dots::add(sums[row][0], of_a, left);
        Dots::add(sums[row][1], of_a, right);
      }
    }
    a += kPanelStepBytes;
    b += kPanelStepBytes;
  }
#pragma GCC unroll 8
  for (int row = 0; row < kRows; ++row) {
    std::memcpy(to + row * kLineBytes, &sums[row][0], kLineBytes);
    std::memcpy(to + kTileBytes + row * kLineBytes, &sums[row][1], kLineBytes);
  }
}

/// 32×32 elements of C.
template <typename Dots>
static void multiply_panels(const TypedProduct& p, std::int64_t row, std::int64_t col, WriteTile* write) {
  const std::int64_t steps = steps_of<typename Dots::Element>(p.k);
  const char* a = p.panels_a + row / kPanel * steps * kPanelStepBytes;
  const char* b = p.panels_b + col / kPanel * steps * kPanelStepBytes;
  typename Dots::Sums begin[2];
  Dots::begin(b, steps, begin);
  alignas(64) char sums[4 * kTileBytes];
  for (std::int64_t first = 0; first < least(kPanel, p.m - row); first += kRows) {
    const std::int64_t at = first / kLines * kTileBytes + first % kLines * kLineBytes;
    multiply_rows<Dots>(a + at, b, steps, begin, sums + at + first / kLines * kTileBytes);
  }
  write_panel(p, write, sums, row, col);
}

template <typename Dots>
static int multiply_by(const TypedProduct& p) {
  WriteTile* write = writer_of(p);
  int threads = 1;
#pragma omp parallel num_threads(p.threads)
  {
#pragma omp master
    threads = omp_get_num_threads();
    pack_both<typename Dots::Element>(p, Dots::kFlip);
#pragma omp for collapse(2) schedule(static) nowait
    for (std::int64_t row = 0; row < p.m; row += kPanel) {
      for (std::int64_t col = 0; col < p.n; col += kPanel) multiply_panels<Dots>(p, row, col, write);
    }
  }
  return threads;
}

static int multiply(const TypedProduct& p) {
  return p.type == ElementType::kInt8 ? multiply_by<Int8Dots>(p) : multiply_by<Bfloat16Dots>(p);
}

#else

// never reached: typed/row.cpp refuses such a machine
static int multiply(const TypedProduct&) {
  __builtin_trap();
}

#endif

extern const TypedMethod dot_pairs = {
    .id = "cpu.dot_pairs",
    .name = "vector dot products",
    .family = "register tiles",
    .summary =
        "AVX-512's dot products of pairs of bfloat16 and of four bytes, 8×32 elements of C in registers",
    .source = "Intel Architectures Optimization Reference Manual, chapter on VNNI",
    .counterpart = "gpu.naive",
    .packs = true,
    .multiply = multiply};

}  // namespace gemmlab::cpu::avx512
