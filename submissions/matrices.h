#pragma once

// A, B and C in memory that the judge and a callee share.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "operations/gemm/types.h"
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
  /// Rounded up to whole pages, for elements of `type`.
  explicit Room(std::int64_t bytes, ElementType type = ElementType::kFloat32);
  ~Room();
  Room(const Room&) = delete;
  Room& operator=(const Room&) = delete;

  std::int64_t bytes() const { return bytes_; }
  ElementType type() const { return type_; }
  std::int64_t element_bytes() const { return static_cast<std::int64_t>(bytes_of(type_)); }
  /// Of a room of float32.
  float* at(std::int64_t offset) { return reinterpret_cast<float*>(data_ + offset); }
  /// Writes and reads elements as floats. kPoisonC and kPoisonBand are what they are in each type that has NaN, and kPoisonC in int32.
  void put(std::int64_t offset, const std::vector<float>& values);
  void fill(std::int64_t offset, std::int64_t count, float value);
  std::vector<float> get(std::int64_t offset, std::int64_t count) const;
  int fd() const { return fd_; }
  int read_only_fd() const { return read_only_fd_; }

  std::int64_t offset_of(std::int64_t count, Placement placement) const;
  /// Fills what lies round a matrix, up to a page each side, with kPoisonBand.
  void band(std::int64_t offset, std::int64_t count);
  /// Is a band changed? kBefore or kBehind, and how many bytes from the matrix; kNone where it is whole.
  Side touched(std::int64_t offset, std::int64_t count, std::int64_t& distance_bytes);

 private:
  std::int64_t bytes_ = 0;
  ElementType type_;
  int fd_ = -1;
  int read_only_fd_ = -1;
  char* data_ = nullptr;
};

/// The rooms of one product. A and B may be shared by several callees, each with a C of its own.
struct Matrices {
  std::shared_ptr<Room> a, b, c;

  /// Room for any of these shapes.
  static Matrices for_shapes(const std::vector<Shape>& shapes, const GemmTypes& types = {});
  static std::shared_ptr<Room> room_for_c(const std::vector<Shape>& shapes,
                                          ElementType type = ElementType::kFloat32);
  /// A and B, at the start of their rooms, of 1 and -1.
  void fill_with_ones(const Shape& shape);
};

}  // namespace gemmlab::submissions
