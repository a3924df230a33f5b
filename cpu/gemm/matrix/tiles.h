#pragma once

// The matrix unit's instructions by names of our own (Intel SDM, volume 2: LDTILECFG, TILELOADD, TDPBF16PS,
// TDPBSSD, TILESTORED, TILERELEASE). Eight tiles of 16 rows of 64 bytes; always whole ones here: edges are filled up
// with zeros. The unit takes subnormal factors and sums for zero, rounds to nearest, and asks nobody's
// control register. GEMMLAB_TILES names a header that has the same names by emulation: a test's. Written out: of GCC 12's intrinsics
// the load does not tell the compiler that it reads memory.

#if defined(GEMMLAB_TILES)
#include GEMMLAB_TILES
#else

#include <cstdint>

#define GEMMLAB_MATRIX_NAMESPACE gemmlab::cpu::amx
#define GEMMLAB_TILE static inline __attribute__((always_inline))

namespace GEMMLAB_MATRIX_NAMESPACE {

struct alignas(64) TileConfiguration {
  std::uint8_t palette;
  std::uint8_t start_row;
  std::uint8_t reserved[14];
  std::uint16_t row_bytes[16];
  std::uint8_t rows[16];
};

#if defined(__x86_64__)

/// All eight tiles: 16 rows of 64 bytes. Before any other instruction, in each thread.
GEMMLAB_TILE void configure_tiles() {
  TileConfiguration configuration = {};
  configuration.palette = 1;
  for (int tile = 0; tile < 8; ++tile) {
    configuration.row_bytes[tile] = 64;
    configuration.rows[tile] = 16;
  }
  asm volatile("ldtilecfg %0" : : "m"(configuration));
}
/// Lets the system forget this thread's tiles.
GEMMLAB_TILE void release_tiles() {
  asm volatile("tilerelease");
}
template <int kTile>
GEMMLAB_TILE void clear_tile() {
  asm volatile("tilezero %%tmm%c0" : : "i"(kTile));
}
/// 1,024 bytes one behind another.
template <int kTile>
GEMMLAB_TILE void load_tile(const char* from) {
  asm volatile("tileloadd (%0,%1,1), %%tmm%c2" : : "r"(from), "r"(64L), "i"(kTile) : "memory");
}
template <int kTile>
GEMMLAB_TILE void store_tile(void* to) {
  asm volatile("tilestored %%tmm%c2, (%0,%1,1)" : : "r"(to), "r"(64L), "i"(kTile) : "memory");
}
/// sum[m, n] += Σ over 32 terms: kA's row m holds 16 pairs, kB's row r the pairs r of 16 columns.
template <int kSum, int kA, int kB>
GEMMLAB_TILE void multiply_tiles() {
  asm volatile("tdpbf16ps %%tmm%c2, %%tmm%c1, %%tmm%c0" : : "i"(kSum), "i"(kA), "i"(kB));
}
/// The same of 64 terms in 8-bit integers: kA's row m holds 16 words of four, kB's row r the words r of 16
/// columns. The sum is of 32 bits, exact.
template <int kSum, int kA, int kB>
GEMMLAB_TILE void multiply_digits() {
  asm volatile("tdpbssd %%tmm%c2, %%tmm%c1, %%tmm%c0" : : "i"(kSum), "i"(kA), "i"(kB));
}

#else

// never reached: matrix_unit_missing() refuses such a machine
GEMMLAB_TILE void configure_tiles() {
  __builtin_trap();
}
GEMMLAB_TILE void release_tiles() {}
template <int kTile>
GEMMLAB_TILE void clear_tile() {}
template <int kTile>
GEMMLAB_TILE void load_tile(const char*) {}
template <int kTile>
GEMMLAB_TILE void store_tile(void*) {}
template <int kSum, int kA, int kB>
GEMMLAB_TILE void multiply_tiles() {}
template <int kSum, int kA, int kB>
GEMMLAB_TILE void multiply_digits() {}

#endif

}  // namespace GEMMLAB_MATRIX_NAMESPACE

#endif
