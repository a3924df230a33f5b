#pragma once

// Which bytes of an allocation a work has touched.

#include <algorithm>
#include <cstdint>
#include <vector>

namespace gemmlab::emulation {

class Touched {
 public:
  /// [from, from + bytes) of its allocation; bytes: 1 to 16, and from a multiple of it.
  void add(std::uint64_t from, unsigned bytes) {
    const std::uint64_t word = from / 64;
    if (word >= words_.size()) words_.resize(std::max<std::size_t>(word + 1, 2 * words_.size()));
    words_[word] |= ((std::uint64_t{1} << bytes) - 1) << from % 64;
  }

  /// Calls `visit(from, to)` for each stretch without gaps.
  template <typename Visit>
  void each_stretch(const Visit& visit) const {
    const std::uint64_t end = 64 * words_.size();
    const auto next = [&](std::uint64_t at, bool touched) {
      const std::uint64_t other = touched ? 0 : ~std::uint64_t{0};
      while (at < end) {
        if (at % 64 == 0 && words_[at / 64] == other) {
          at += 64;
        } else if (((words_[at / 64] >> at % 64) & 1) == (touched ? 1 : 0)) {
          break;
        } else {
          ++at;
        }
      }
      return std::min(at, end);
    };
    for (std::uint64_t from = next(0, true); from < end;) {
      const std::uint64_t to = next(from, false);
      visit(from, to);
      from = next(to, true);
    }
  }

 private:
  std::vector<std::uint64_t> words_;  ///< a bit per byte
};

}  // namespace gemmlab::emulation
