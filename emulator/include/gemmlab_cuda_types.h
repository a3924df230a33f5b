#pragma once

// CUDA's vector types and dim3. Those of 8 and 16 bytes are copied as a whole, as the card does: member by member they
// would be counted as several accesses.

#include <cstddef>
#include <cstdint>

namespace gemmlab::emulation {

template <int BYTES>
struct Lump {
  typedef unsigned char Type __attribute__((vector_size(BYTES), may_alias));
};

}  // namespace gemmlab::emulation

#define GEMMLAB_VECTOR_COPIES(Name, BYTES)                                                 \
  using GemmlabLump = ::gemmlab::emulation::Lump<BYTES>::Type;                             \
  Name() = default;                                                                        \
  Name(const Name& other) {                                                                \
    *reinterpret_cast<GemmlabLump*>(this) = *reinterpret_cast<const GemmlabLump*>(&other); \
  }                                                                                        \
  Name& operator=(const Name& other) {                                                     \
    *reinterpret_cast<GemmlabLump*>(this) = *reinterpret_cast<const GemmlabLump*>(&other); \
    return *this;                                                                          \
  }

#define GEMMLAB_VECTOR_TYPES(type, prefix, ALIGN2, ALIGN4)                                      \
  struct prefix##1 {                                                                            \
    type x;                                                                                     \
  };                                                                                            \
  struct alignas(ALIGN2) prefix##2 {                                                            \
    type x, y;                                                                                  \
    constexpr prefix##2(type a, type b = 0) : x(a), y(b) {}                                     \
    GEMMLAB_VECTOR_COPIES(prefix##2, 2 * sizeof(type))                                          \
  };                                                                                            \
  struct prefix##3 {                                                                            \
    type x, y, z;                                                                               \
  };                                                                                            \
  struct alignas(ALIGN4) prefix##4 {                                                            \
    type x, y, z, w;                                                                            \
    constexpr prefix##4(type a, type b = 0, type c = 0, type d = 0) : x(a), y(b), z(c), w(d) {} \
    GEMMLAB_VECTOR_COPIES(prefix##4, 4 * sizeof(type))                                          \
  };                                                                                            \
  inline prefix##1 make_##prefix##1(type x) {                                                   \
    return {x};                                                                                 \
  }                                                                                             \
  inline prefix##2 make_##prefix##2(type x, type y) {                                           \
    return {x, y};                                                                              \
  }                                                                                             \
  inline prefix##3 make_##prefix##3(type x, type y, type z) {                                   \
    return {x, y, z};                                                                           \
  }                                                                                             \
  inline prefix##4 make_##prefix##4(type x, type y, type z, type w) {                           \
    return {x, y, z, w};                                                                        \
  }

GEMMLAB_VECTOR_TYPES(signed char, char, 2, 4)
GEMMLAB_VECTOR_TYPES(unsigned char, uchar, 2, 4)
GEMMLAB_VECTOR_TYPES(short, short, 4, 8)
GEMMLAB_VECTOR_TYPES(unsigned short, ushort, 4, 8)
GEMMLAB_VECTOR_TYPES(int, int, 8, 16)
GEMMLAB_VECTOR_TYPES(unsigned int, uint, 8, 16)
GEMMLAB_VECTOR_TYPES(long long, longlong, 16, 16)
GEMMLAB_VECTOR_TYPES(unsigned long long, ulonglong, 16, 16)
GEMMLAB_VECTOR_TYPES(float, float, 8, 16)
GEMMLAB_VECTOR_TYPES(double, double, 16, 16)

#undef GEMMLAB_VECTOR_TYPES
#undef GEMMLAB_VECTOR_COPIES

struct dim3 {
  unsigned x = 1, y = 1, z = 1;
  constexpr dim3(unsigned x_ = 1, unsigned y_ = 1, unsigned z_ = 1) : x(x_), y(y_), z(z_) {}
  constexpr dim3(uint3 of) : x(of.x), y(of.y), z(of.z) {}
  operator uint3() const { return {x, y, z}; }
};
