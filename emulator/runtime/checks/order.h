#pragma once

// What is known to have been done before what: for each stream, how many of its works. And of the memory of several cards,
// which work last wrote to it, and which have read that since: who reads or overwrites it without being ordered behind the
// one, or overwrites it without being ordered behind the others, is found. The same of one card, where work lies in more than
// the default stream, and of memory that the host shares: what the host does between two calls is work, too.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "emulator/runtime/checks/touched.h"

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

/// What works have written and read, by ranges of the arena of device memory.
class Uses {
 public:
  /// From now on this work runs; `behind` is what it comes after.
  void begin(std::uint32_t stream, const std::string& name, int line, std::uint32_t place,
             const Order& behind);
  void end();
  bool on() const { return on_; }

  /// A copy reads or writes [address, address + bytes); memory of the host is not followed.
  void copy_reads(const void* address, std::uint64_t bytes);
  void copy_writes(const void* address, std::uint64_t bytes);
  /// A kernel's thread reads or writes [offset, offset + bytes), within an allocation.
  void kernel_reads(std::int32_t allocation, std::uint64_t offset, unsigned bytes);
  void kernel_writes(std::int32_t allocation, std::uint64_t offset, unsigned bytes);
  /// The host's own code reads or writes [offset, offset + bytes) of shared memory, at this place.
  void host_touches(std::int32_t allocation, std::uint64_t offset, unsigned bytes, bool reads,
                    std::uint32_t place);
  /// The host calls the runtime: what it asks for from now on comes behind what it has touched.
  void end_host_work(Order& host);
  void forget();

 private:
  static constexpr std::uint32_t kHost = ~std::uint32_t{0};  ///< in the place of a stream's number
  struct Writer {
    std::uint64_t to = 0;
    std::uint32_t stream = 0;
    std::uint64_t work = 0;
    std::string name;
    int line = 0;             ///< of the launch, or:
    std::uint32_t place = 0;  ///< of the call, or of the host's access
  };
  struct Reader {
    std::uint64_t from = 0;
    Writer who;
  };
  using Ranges = std::map<std::uint64_t, Writer>;
  void kernel_touches(std::uint64_t offset, bool reads);
  Ranges::iterator first_beyond(std::uint64_t offset);
  void check(const Writer& writer, std::uint64_t offset, bool reads);
  void check(std::uint64_t from, std::uint64_t to, bool reads);
  /// Have all that read [from, to) done so, before the present work overwrites it?
  void check_readers(std::uint64_t from, std::uint64_t to);
  void note_read(std::uint64_t from, std::uint64_t to);
  void note(std::uint64_t from, std::uint64_t to);
  Writer present(std::uint64_t to) const;
  bool ordered(const Writer& other) const;
  void tell(const Writer& other, std::uint64_t offset, const char* does, const char* has);

  bool on_ = false;
  std::uint32_t stream_ = 0;
  std::uint64_t work_ = 0;
  std::string name_;
  int line_ = 0;
  std::uint32_t call_place_ = 0;
  const Order* behind_ = nullptr;
  std::uint64_t host_work_ = 1;
  std::uint32_t host_place_ = 0;
  std::map<std::int32_t, Touched> host_written_, host_read_;  ///< since the host last called the runtime
  Ranges ranges_;                                             ///< by beginning; they do not overlap
  std::uint64_t safe_from_ = 0, safe_to_ = 0;       ///< found to be well ordered, for the present work
  std::map<std::int32_t, Touched> written_, read_;  ///< by the present work, a kernel; by allocation
  std::vector<Reader> readers_;
};

Uses& make_uses();
inline Uses& uses() {
  static Uses* const one = &make_uses();
  return *one;
}

}  // namespace gemmlab::emulation
