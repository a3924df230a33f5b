#pragma once

// What the matrix unit multiplies, as types that a rung is written for once.

#include <omp.h>

#include <cstdint>

#include "cpu/gemm/matrix/tiles.h"
#include "cpu/gemm/typed/method.h"
#include "cpu/gemm/typed/panels.h"

namespace GEMMLAB_MATRIX_NAMESPACE {

#if !defined(GEMMLAB_TILES)
#if defined(__x86_64__)
/// 16 lines of 64 bytes, `stride` bytes apart.
template <int kTile>
GEMMLAB_TILE void load_tile_lines(const char* from, std::int64_t stride) {
  asm volatile("tileloadd (%0,%1,1), %%tmm%c2" : : "r"(from), "r"(stride), "i"(kTile) : "memory");
}
/// As multiply_tiles(), of float16 (AMX-FP16). tdpfp16ps in bytes: Ubuntu 22.04's assembler does not know its name.
template <int kSum, int kA, int kB>
GEMMLAB_TILE void multiply_halves() {
  asm volatile(".byte 0xc4, 0xe2, %c0, 0x5c, %c1" : : "i"(0x7b - 8 * kB), "i"(0xc0 + 8 * kSum + kA));
}
#else
template <int kTile>
GEMMLAB_TILE void load_tile_lines(const char*, std::int64_t) {}
template <int kSum, int kA, int kB>
GEMMLAB_TILE void multiply_halves() {}
#endif
#endif

struct Bfloat16Unit {
  using Element = std::uint16_t;
  template <int kSum, int kA, int kB>
  GEMMLAB_TILE void multiply() {
    multiply_tiles<kSum, kA, kB>();
  }
};
struct Float16Unit {
  using Element = std::uint16_t;
  template <int kSum, int kA, int kB>
  GEMMLAB_TILE void multiply() {
    multiply_halves<kSum, kA, kB>();
  }
};
struct Int8Unit {
  using Element = std::uint8_t;
  template <int kSum, int kA, int kB>
  GEMMLAB_TILE void multiply() {
    multiply_digits<kSum, kA, kB>();
  }
};

/// rung(Unit) for the product's type.
template <typename Rung>
static int on_unit(const TypedProduct& p, Rung rung) {
  switch (p.type) {
    case ElementType::kInt8:
      return rung(Int8Unit{});
    case ElementType::kFloat16:
      return rung(Float16Unit{});
    default:
      return rung(Bfloat16Unit{});
  }
}

/// multiply(row, col) for each kSide×kSide of C, shared out among threads whose tiles are configured; A and B are packed before where
/// the rung has room for it. Returns the number of threads.
template <typename Unit, std::int64_t kSide, typename Part>
static int each_part(const TypedProduct& p, Part multiply) {
  int threads = 1;
#pragma omp parallel num_threads(p.threads)
  {
#pragma omp master
    threads = omp_get_num_threads();
    if (p.panels_a != nullptr) pack_both<typename Unit::Element>(p);
    configure_tiles();
#pragma omp for collapse(2) schedule(static) nowait
    for (std::int64_t row = 0; row < p.m; row += kSide) {
      for (std::int64_t col = 0; col < p.n; col += kSide) multiply(row, col);
    }
    release_tiles();
  }
  return threads;
}

}  // namespace GEMMLAB_MATRIX_NAMESPACE
