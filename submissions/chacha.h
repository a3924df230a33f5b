#pragma once

// The permutation of ChaCha (RFC 8439), for the judge and for a GPU: a Word is one word, or one of several blocks side by
// side.

#include <cstdint>

#ifdef __CUDACC__
#define GEMMLAB_ANYWHERE __host__ __device__
#else
#define GEMMLAB_ANYWHERE
#endif

namespace gemmlab::submissions {

template <class Word>
GEMMLAB_ANYWHERE inline void chacha_quarter(Word& a, Word& b, Word& c, Word& d) {
  a += b, d ^= a, d = (d << 16) | (d >> 16);
  c += d, b ^= c, b = (b << 12) | (b >> 20);
  a += b, d ^= a, d = (d << 8) | (d >> 24);
  c += d, b ^= c, b = (b << 7) | (b >> 25);
}

/// `DoubleRounds`: 10 is ChaCha20. x: 16 words.
template <int DoubleRounds, class Word>
GEMMLAB_ANYWHERE inline void chacha_permute(Word* x) {
  for (int round = 0; round < DoubleRounds; ++round) {
    chacha_quarter(x[0], x[4], x[8], x[12]);
    chacha_quarter(x[1], x[5], x[9], x[13]);
    chacha_quarter(x[2], x[6], x[10], x[14]);
    chacha_quarter(x[3], x[7], x[11], x[15]);
    chacha_quarter(x[0], x[5], x[10], x[15]);
    chacha_quarter(x[1], x[6], x[11], x[12]);
    chacha_quarter(x[2], x[7], x[8], x[13]);
    chacha_quarter(x[3], x[4], x[9], x[14]);
  }
}

/// The first four words of a block.
GEMMLAB_ANYWHERE inline std::uint32_t chacha_constant(int i) {
  return i == 0 ? 0x61707865U : i == 1 ? 0x3320646eU : i == 2 ? 0x79622d32U : 0x6b206574U;
}

}  // namespace gemmlab::submissions
