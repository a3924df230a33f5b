#pragma once

// Memory on pages of a chosen size, since a chain of loads pays for address translation, too.

#include <cstddef>

namespace gemmlab::cpu {

/// Memory straight from the system at a boundary of a huge page, on huge pages where the system grants them,
/// or on small ones alone. Throws std::bad_alloc.
class Pages {
 public:
  Pages(std::size_t bytes, bool huge);
  ~Pages();
  Pages(const Pages&) = delete;
  Pages& operator=(const Pages&) = delete;

  char* data() const { return data_; }
  /// The share, 0 to 1, that lies on huge pages now, as /proc/self/smaps tells; 0 where it tells nothing.
  double huge_share() const;

 private:
  char* mapped_;
  std::size_t mapped_bytes_;
  char* data_;
  std::size_t bytes_;
};

}  // namespace gemmlab::cpu
