#pragma once

// Which bytes of an allocation a work has touched.

#include <array>
#include <bit>
#include <cstdint>
#include <map>

namespace gemmlab::emulation {

/// Bits are kept of what was touched alone: an allocation may have gigabytes, of which a few blocks touch some.
class Touched {
 public:
  Touched() = default;
  Touched(const Touched&) = delete;
  Touched& operator=(const Touched&) = delete;

  /// [from, from + bytes) of its allocation; bytes: 1 to 16, and from a multiple of it.
  void add(std::uint64_t from, unsigned bytes) {
    if (last_ == nullptr || from / kBytes != which_) {
      which_ = from / kBytes;
      last_ = &parts_[which_];
    }
    (*last_)[from % kBytes / 64] |= ((std::uint64_t{1} << bytes) - 1) << from % 64;
  }

  /// Calls `visit(from, to)` for each stretch without gaps, in their order.
  template <typename Visit>
  void each_stretch(const Visit& visit) const {
    std::uint64_t from = 0, to = 0;
    for (const auto& [which, part] : parts_) {
      for (std::uint64_t i = 0; i < part.size(); ++i) {
        const std::uint64_t first = which * kBytes + 64 * i;
        for (std::uint64_t left = part[i]; left != 0;) {
          const int begin = std::countr_zero(left);
          const int end = begin + std::countr_one(left >> begin);
          left = end == 64 ? 0 : left >> end << end;
          if (first + static_cast<unsigned>(begin) != to) {
            if (from != to) visit(from, to);
            from = first + static_cast<unsigned>(begin);
          }
          to = first + static_cast<unsigned>(end);
        }
      }
    }
    if (from != to) visit(from, to);
  }

 private:
  static constexpr std::uint64_t kBytes = 65'536;
  using Part = std::array<std::uint64_t, kBytes / 64>;  ///< a bit per byte
  std::map<std::uint64_t, Part> parts_;
  std::uint64_t which_ = 0;
  Part* last_ = nullptr;  ///< parts_[which_]
};

}  // namespace gemmlab::emulation
