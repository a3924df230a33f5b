#pragma once

// What is known to have been done before what: for each stream, how many of its works. And of the memory of several cards,
// which work last wrote to it: who reads or overwrites it without being ordered behind that work is found. Only where more
// than one card is emulated.

#include <cstdint>
#include <map>
#include <string>

namespace gemmlab::emulation {

class Order {
 public:
  void merge(const Order& other);
  void add(std::uint32_t stream, std::uint64_t work);
  bool holds(std::uint32_t stream, std::uint64_t work) const;
  std::uint64_t works_of(std::uint32_t stream) const;

 private:
  std::map<std::uint32_t, std::uint64_t> done_;
};

/// What works have written, by ranges of the arena of device memory.
class Writes {
 public:
  /// From now on this work runs; `behind` is what it comes after.
  void begin(std::uint32_t stream, const std::string& name, const Order& behind);
  void end();
  bool on() const { return on_; }

  /// A copy reads or writes [address, address + bytes); memory of the host is not followed.
  void copy_reads(const void* address, std::uint64_t bytes);
  void copy_writes(const void* address, std::uint64_t bytes);
  /// A kernel's thread reads or writes there, within an allocation.
  void kernel_reads(std::uint64_t offset) { kernel_touches(offset, true); }
  void kernel_writes(std::int32_t allocation, std::uint64_t offset, unsigned bytes);
  void forget();

 private:
  struct Writer {
    std::uint64_t to = 0;
    std::uint32_t stream = 0;
    std::uint64_t work = 0;
    std::string name;
  };
  /// What a kernel has written of an allocation: all of [from, to) where `bytes` says so, and it is noted then only.
  struct Written {
    std::uint64_t from = 0, to = 0, bytes = 0;
  };
  using Ranges = std::map<std::uint64_t, Writer>;
  void kernel_touches(std::uint64_t offset, bool reads);
  Ranges::iterator first_beyond(std::uint64_t offset);
  void check(const Writer& writer, std::uint64_t offset, bool reads);
  void check(std::uint64_t from, std::uint64_t to, bool reads);
  void note(std::uint64_t from, std::uint64_t to);

  bool on_ = false;
  std::uint32_t stream_ = 0;
  std::uint64_t work_ = 0;
  std::string name_;
  const Order* behind_ = nullptr;
  Ranges ranges_;                              ///< by beginning; they do not overlap
  std::uint64_t safe_from_ = 0, safe_to_ = 0;  ///< found to be well ordered, for the present work
  std::map<std::int32_t, Written> written_;
};

Writes& make_writes();
inline Writes& writes() {
  static Writes* const one = &make_writes();
  return *one;
}

}  // namespace gemmlab::emulation
