#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <new>

#include "core/rounding.h"

namespace gemmlab::cpu {

/// Floats between two pages that nobody may touch, right against the first or the second of them.
class FencedFloats {
 public:
  explicit FencedFloats(std::int64_t most) {
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    inner_bytes_ = rounded_up(static_cast<std::size_t>(most) * sizeof(float), page);
    all_bytes_ = inner_bytes_ + 2 * page;
    void* memory = mmap(nullptr, all_bytes_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    all_ = static_cast<char*>(memory);
    inner_ = all_ + page;
    if (mprotect(inner_, inner_bytes_, PROT_READ | PROT_WRITE) != 0) throw std::bad_alloc();
  }
  ~FencedFloats() { munmap(all_, all_bytes_); }
  FencedFloats(const FencedFloats&) = delete;
  FencedFloats& operator=(const FencedFloats&) = delete;

  float* place(std::int64_t count, bool at_end) {
    char* first = at_end ? inner_ + inner_bytes_ - static_cast<std::size_t>(count) * sizeof(float) : inner_;
    return reinterpret_cast<float*>(first);
  }

 private:
  char* all_ = nullptr;
  char* inner_ = nullptr;
  std::size_t inner_bytes_ = 0;
  std::size_t all_bytes_ = 0;
};

}  // namespace gemmlab::cpu
