#pragma once

// The rows of A that a strip's tile reads, an element at a time.

#include "cpu/device/simd.h"

namespace GEMMLAB_KERNEL_NAMESPACE {

#if defined(__AVX512F__) || defined(__AVX2__)

/// Where a row of A lies: one pointer in every eight rows, and four strides, which x86 itself takes once, twice
/// or four times. Told to the compiler, it would make a pointer a row, more than there are registers.
template <int kRows>
struct Rows {
  static constexpr int kEight = (kRows + 7) / 8;
  const float* base[kEight];
  std::int64_t stride[4];  ///< once, three, five and seven times, in bytes
};

/// What a row is beyond the eighth before it: `times` one of the strides.
struct Beyond {
  int stride;
  int times;
};
constexpr Beyond kBeyond[8] = {{0, 0}, {0, 1}, {0, 2}, {1, 1}, {0, 4}, {2, 1}, {1, 2}, {3, 1}};

// an instruction's name must be a literal
#define GEMMLAB_SPREAD(INSTRUCTION)                                                         \
  if constexpr (kRow % 8 == 0) {                                                            \
    asm(INSTRUCTION " %c2(%1), %0" : "=v"(value) : "r"(base), "n"(kK * 4), "m"(all));       \
  } else {                                                                                  \
    constexpr Beyond kPart = kBeyond[kRow % 8];                                             \
    asm(INSTRUCTION " %c4(%1,%2,%c3), %0"                                                   \
        : "=v"(value)                                                                       \
        : "r"(base), "r"(a.stride[kPart.stride]), "n"(kPart.times), "n"(kK * 4), "m"(all)); \
  }

/// kCount elements of a row, from k on, spread over a register.
template <int kRow, int kK, int kCount = 1, int kRows>
GEMMLAB_INLINE Vector element(const Rows<kRows>& a) {
  Vector value;
  const float* base = a.base[kRow / 8];
  const auto& all = *reinterpret_cast<const float(*)[]>(base);
  if constexpr (kCount == 1) {
    GEMMLAB_SPREAD("vbroadcastss")
  } else if constexpr (kCount == 2) {
    GEMMLAB_SPREAD("vbroadcastsd")
  } else {
    GEMMLAB_SPREAD("vbroadcastf32x4")
  }
  return value;
}
#undef GEMMLAB_SPREAD

/// sum + x·(the element k of a row).
template <int kRow, int kK, int kRows>
GEMMLAB_INLINE Vector fused_element(Vector x, const Rows<kRows>& a, Vector sum) {
#if defined(__AVX512F__)
  // spread while it is read
  const float* base = a.base[kRow / 8];
  const auto& all = *reinterpret_cast<const float(*)[]>(base);
  if constexpr (kRow % 8 == 0) {
    asm("vfmadd231ps %c3(%2)%{1to16%}, %1, %0" : "+v"(sum) : "v"(x), "r"(base), "n"(kK * 4), "m"(all));
  } else {
    constexpr Beyond kPart = kBeyond[kRow % 8];
    asm("vfmadd231ps %c5(%2,%3,%c4)%{1to16%}, %1, %0"
        : "+v"(sum)
        : "v"(x), "r"(base), "r"(a.stride[kPart.stride]), "n"(kPart.times), "n"(kK * 4), "m"(all));
  }
  return sum;
#else
  return fused(x, element<kRow, kK>(a), sum);
#endif
}

#endif

}  // namespace GEMMLAB_KERNEL_NAMESPACE
