#pragma once

// How TMA sees a tensor: what cuTensorMapEncodeTiled leaves in a CUtensorMap.

#include <cstdint>

namespace gemmlab::emulation {

inline constexpr int kMostRank = 5;

struct TensorMap {
  static constexpr std::uint32_t kMark = 0x74656e73;
  std::uint32_t mark;
  std::uint8_t element_bytes, rank, swizzle, interleave;
  char* address;
  std::uint64_t strides[kMostRank - 1];  ///< bytes, of all dimensions but the innermost
  std::uint32_t lengths[kMostRank];
  std::uint16_t box[kMostRank];
};
static_assert(sizeof(TensorMap) <= 128, "a CUtensorMap holds it");

/// A swizzle moves bits 4… of an address by those above: which of 16 bytes within its span is meant.
inline std::uint32_t swizzled(std::uint32_t at, int swizzle) {
  constexpr std::uint32_t kBits[] = {0, 1, 3, 7};
  return at ^ (at >> 7 & kBits[swizzle]) << 4;
}

}  // namespace gemmlab::emulation
