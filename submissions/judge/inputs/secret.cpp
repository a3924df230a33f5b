#include "submissions/judge/inputs/secret.h"

#include <sys/random.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <stdexcept>

#include "submissions/chacha.h"

namespace gemmlab::submissions {
namespace {

constexpr std::size_t kWords = 16;      ///< of a block
constexpr std::size_t kSideBySide = 4;  ///< blocks that are computed at once

/// One word of four blocks.
using Lanes = std::uint32_t __attribute__((vector_size(kSideBySide * sizeof(std::uint32_t))));

/// Four blocks, one after the other in `to`.
void four_blocks(std::uint32_t* to, const Secret::Key& key, const Secret::Nonce& nonce, std::uint32_t block) {
  Lanes begin[kWords], x[kWords];
  for (std::size_t i = 0; i < kWords; ++i) {
    const std::uint32_t word = i < 4     ? chacha_constant(static_cast<int>(i))
                               : i < 12  ? key[i - 4]
                               : i == 12 ? block
                                         : nonce[i - 13];
    begin[i] = Lanes{word, word, word, word};
  }
  begin[12] += Lanes{0, 1, 2, 3};
  std::memcpy(x, begin, sizeof x);
  chacha_permute<10>(x);
  for (std::size_t i = 0; i < kWords; ++i) {
    x[i] += begin[i];
    for (std::size_t lane = 0; lane < kSideBySide; ++lane) to[lane * kWords + i] = x[i][lane];
  }
}

}  // namespace

Secret Secret::drawn() {
  Key key;
  ssize_t length = 0;
  do {
    length = getrandom(key.data(), sizeof key, 0);
  } while (length < 0 && errno == EINTR);
  if (length != static_cast<ssize_t>(sizeof key))
    throw std::runtime_error(std::string("the system gives no random numbers: ") + std::strerror(errno));
  return Secret(key);
}

Secret Secret::of(const Key& key) {
  return Secret(key);
}

Secret Secret::from_hex(const std::string& digits) {
  Key key{};
  if (digits.size() != 8 * key.size() || digits.find_first_not_of("0123456789abcdef") != std::string::npos)
    throw std::invalid_argument("a key of inputs has 64 hexadecimal digits");
  for (std::size_t i = 0; i < key.size(); ++i)
    key[i] = static_cast<std::uint32_t>(std::stoul(digits.substr(8 * i, 8), nullptr, 16));
  return Secret(key);
}

std::string Secret::hex() const {
  std::string digits;
  for (const std::uint32_t word : key_) {
    char eight[9];
    std::snprintf(eight, sizeof eight, "%08x", word);
    digits += eight;
  }
  return digits;
}

void Secret::stream(std::uint32_t* to, std::size_t words, const Nonce& nonce, std::uint32_t block) const {
  constexpr std::size_t kTogether = kWords * kSideBySide;
  for (; words >= kTogether; words -= kTogether, to += kTogether, block += kSideBySide)
    four_blocks(to, key_, nonce, block);
  if (words == 0) return;
  std::uint32_t last[kTogether];
  four_blocks(last, key_, nonce, block);
  std::memcpy(to, last, words * sizeof *to);
}

std::uint64_t Secret::seed(std::uint32_t purpose, std::uint64_t number) const {
  std::uint32_t words[2];
  stream(words, 2, {purpose, static_cast<std::uint32_t>(number), static_cast<std::uint32_t>(number >> 32)},
         0);
  return words[0] | (std::uint64_t{words[1]} << 32);
}

}  // namespace gemmlab::submissions
