#pragma once

// Loads of 1 to 16 bytes whose instruction is what it says, and the sum of the whole numbers in
// what they bring.

#include <cstdint>

namespace gemmlab::gpu::accessing {

/// kNear: cached in the L1, as any load; else in the L2 alone (ld.global.cg).
template <int kWidth, bool kNear>
struct Load;

#define GEMMLAB_NARROW_LOAD(width, near, instruction)                                \
  template <>                                                                        \
  struct Load<width, near> {                                                         \
    __device__ static unsigned sum(const char* from) {                               \
      unsigned value;                                                                \
      asm volatile("ld.global." instruction " %0, [%1];" : "=r"(value) : "l"(from)); \
      return value;                                                                  \
    }                                                                                \
  };
GEMMLAB_NARROW_LOAD(1, true, "u8")
GEMMLAB_NARROW_LOAD(1, false, "cg.u8")
GEMMLAB_NARROW_LOAD(2, true, "u16")
GEMMLAB_NARROW_LOAD(2, false, "cg.u16")
GEMMLAB_NARROW_LOAD(4, true, "u32")
GEMMLAB_NARROW_LOAD(4, false, "cg.u32")
#undef GEMMLAB_NARROW_LOAD

#define GEMMLAB_WIDE_LOAD(near, cached)                                                          \
  template <>                                                                                    \
  struct Load<8, near> {                                                                         \
    __device__ static unsigned sum(const char* from) {                                           \
      unsigned x, y;                                                                             \
      asm volatile("ld.global." cached "v2.u32 {%0, %1}, [%2];" : "=r"(x), "=r"(y) : "l"(from)); \
      return x + y;                                                                              \
    }                                                                                            \
  };                                                                                             \
  template <>                                                                                    \
  struct Load<16, near> {                                                                        \
    __device__ static unsigned sum(const char* from) {                                           \
      unsigned x, y, z, w;                                                                       \
      asm volatile("ld.global." cached "v4.u32 {%0, %1, %2, %3}, [%4];"                          \
                   : "=r"(x), "=r"(y), "=r"(z), "=r"(w)                                          \
                   : "l"(from));                                                                 \
      return x + y + z + w;                                                                      \
    }                                                                                            \
  };
GEMMLAB_WIDE_LOAD(true, "")
GEMMLAB_WIDE_LOAD(false, "cg.")
#undef GEMMLAB_WIDE_LOAD

}  // namespace gemmlab::gpu::accessing
