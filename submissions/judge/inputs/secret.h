#pragma once

// Where inputs come from: a key that nobody knows before the verdict, and a keyed stream of bits.

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

namespace gemmlab::submissions {

/// A key of 256 bits, and ChaCha20 (RFC 8439) under it. Submitted code never sees the key: what it was given before says
/// nothing of what comes next. Published with the verdict, so that every input can be made again.
class Secret {
 public:
  using Key = std::array<std::uint32_t, 8>;
  /// Which stream: the second half of ChaCha20's nonce and what precedes it.
  using Nonce = std::array<std::uint32_t, 3>;

  /// By the system's generator. Throws std::runtime_error where it gives nothing.
  static Secret drawn();
  /// The reverse of hex(). Throws std::invalid_argument for anything but 64 hexadecimal digits.
  static Secret from_hex(const std::string& digits);
  /// Under a key that is told, as those of windows are.
  static Secret of(const Key& key);
  std::string hex() const;

  /// `words` words of the key stream, from the start of block `block` (16 words each) on.
  void stream(std::uint32_t* to, std::size_t words, const Nonce& nonce, std::uint32_t block) const;
  /// 64 bits of their own for each (purpose, number): a seed that tells nothing of the others.
  std::uint64_t seed(std::uint32_t purpose, std::uint64_t number) const;

 private:
  explicit Secret(const Key& key) : key_(key) {}
  Key key_;
};

}  // namespace gemmlab::submissions
