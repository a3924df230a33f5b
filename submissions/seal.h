#pragma once

// What binds the calls of a timed window on a GPU to each other. A window begins when the judge tells its key, out of which
// the first A and B are made on the card; a seal, a hash of C, ends each call, and the A and B of the next call are made out
// of the key and that seal. So no call can begin before the one before it has its C, and the seals, which the judge has in
// its hands when it reads its clock, fix every C: what is brought to the judge afterwards has to fit.
//
// The hash is a tree with three children for each node, over ChaCha8's permutation with its input added.

#include <cstdint>

#include "submissions/chacha.h"

namespace gemmlab::submissions {

struct Seal {
  std::uint32_t words[4];
};
inline bool operator==(const Seal& one, const Seal& other) {
  return one.words[0] == other.words[0] && one.words[1] == other.words[1] && one.words[2] == other.words[2] &&
         one.words[3] == other.words[3];
}

/// Of one window; told when it begins.
struct WindowKey {
  std::uint32_t words[4];
};

inline constexpr int kMostCallsOfWindow = 48;

inline constexpr int kSealLeaves = 243;  ///< 3⁵, of a group of nodes that is hashed at a time
inline constexpr int kLeafWords = 12;    ///< three seals, or so many elements of C
inline constexpr std::int64_t kGroupWords = std::int64_t{kSealLeaves} * kLeafWords;
inline constexpr std::uint32_t kLastNode = 0xffffffff;

/// Hashes 12 words. `level` and `width` tell places in the tree apart.
GEMMLAB_ANYWHERE inline Seal sealed_node(const std::uint32_t* words, std::uint32_t level,
                                         std::uint32_t width) {
  std::uint32_t x[16];
  for (int i = 0; i < 4; ++i) x[i] = chacha_constant(i);
  x[1] ^= level;
  x[2] ^= width;
  for (int i = 0; i < kLeafWords; ++i) x[4 + i] = words[i];
  chacha_permute<4>(x);
  Seal seal;
  for (int i = 0; i < 4; ++i) seal.words[i] = x[4 + i] + words[i];
  return seal;
}

/// From the root of C's tree: of which window, after which call, of how many elements.
GEMMLAB_ANYWHERE inline Seal sealed_root(const Seal& root, const WindowKey& key, const Seal& previous,
                                         std::int64_t count) {
  std::uint32_t words[kLeafWords];
  for (int i = 0; i < 4; ++i) {
    words[i] = root.words[i];
    words[4 + i] = key.words[i];
    words[8 + i] = previous.words[i];
  }
  return sealed_node(words, kLastNode, static_cast<std::uint32_t>(count));
}

/// The key under which A (nonce 0) and B (nonce 1) of a call are ChaCha20's streams: that of the window, and the seal of the
/// call before, zeros for the first.
GEMMLAB_ANYWHERE inline void inputs_key(const WindowKey& key, const Seal& previous, std::uint32_t* words) {
  for (int i = 0; i < 4; ++i) {
    words[i] = key.words[i];
    words[4 + i] = previous.words[i];
  }
}

/// An element of A or B, uniform in [-1, 1), a multiple of 2⁻²³, from a word of the stream.
GEMMLAB_ANYWHERE inline float uniform_element(std::uint32_t word) {
  return static_cast<float>(static_cast<std::int32_t>(word >> 8) - (1 << 23)) * (1.0F / (1 << 23));
}

}  // namespace gemmlab::submissions
