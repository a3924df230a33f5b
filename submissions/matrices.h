#pragma once

// A, B and C in memory that the judge and a callee share.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "operations/gemm/shape.h"
#include "submissions/protocol.h"

namespace gemmlab::submissions {

/// Promised to submissions on the CPU: where a matrix begins. On a GPU it is 256.
inline constexpr std::int64_t kAlignment = 64;

/// Where a matrix lies in its room: against the end, so that what lies behind it is a page without access
/// (but for the bytes up to the next multiple of kAlignment), or at the start, behind such a page.
enum class Placement { kAtEnd, kAtStart };

/// One matrix' room, as the judge sees it. The size is sealed: nobody can shrink it under the judge's feet.
class Room {
 public:
  explicit Room(std::int64_t bytes);  ///< rounded up to whole pages
  ~Room();
  Room(const Room&) = delete;
  Room& operator=(const Room&) = delete;

  std::int64_t bytes() const { return bytes_; }
  float* at(std::int64_t offset) { return reinterpret_cast<float*>(data_ + offset); }
  int fd() const { return fd_; }
  int read_only_fd() const { return read_only_fd_; }

  std::int64_t offset_of(std::int64_t count, Placement placement) const;
  /// Fills what lies round a matrix, up to a page each side, with kPoisonBand.
  void band(std::int64_t offset, std::int64_t count);
  /// Is a band changed? kBefore or kBehind, and how many bytes from the matrix; kNone where it is whole.
  Side touched(std::int64_t offset, std::int64_t count, std::int64_t& distance_bytes);

 private:
  std::int64_t bytes_ = 0;
  int fd_ = -1;
  int read_only_fd_ = -1;
  char* data_ = nullptr;
};

/// The rooms of one product. A and B may be shared by several callees, each with a C of its own.
struct Matrices {
  std::shared_ptr<Room> a, b, c;

  /// Room for any of these shapes.
  static Matrices for_shapes(const std::vector<Shape>& shapes);
  static std::shared_ptr<Room> room_for_c(const std::vector<Shape>& shapes);
};

}  // namespace gemmlab::submissions
