#include "submissions/matrices.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <string>

#include "core/backend.h"
#include "core/inputs/inputs.h"
#include "core/rounding.h"
#include "submissions/diagnosis/diagnosis.h"

namespace gemmlab::submissions {
namespace {

std::int64_t page_bytes() {
  static const std::int64_t bytes = sysconf(_SC_PAGESIZE);
  return bytes;
}

/// Of the band at a byte of the room.
unsigned char band_byte(std::int64_t at) {
  return static_cast<unsigned char>(kPoisonBand >> (8 * (at % 4)));
}

/// The room of that many elements, and a page more, so that there is a band on the far side, too.
std::shared_ptr<Room> room_for(std::int64_t count, ElementType type) {
  const std::int64_t bytes = count * static_cast<std::int64_t>(bytes_of(type));
  return std::make_shared<Room>(rounded_up(bytes, page_bytes()) + page_bytes(), type);
}

}  // namespace

Room::Room(std::int64_t bytes, ElementType type)
    : bytes_(rounded_up(std::max<std::int64_t>(bytes, 1), page_bytes())), type_(type) {
  fd_ = memfd_create("gemmlab-matrix", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (fd_ < 0 || ftruncate(fd_, bytes_) != 0 ||
      fcntl(fd_, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0) {
    throw std::runtime_error(std::string("no shared memory: ") + std::strerror(errno));
  }
  // another opening of the same memory: who has this one alone cannot map it for writing
  read_only_fd_ = open(("/proc/self/fd/" + std::to_string(fd_)).c_str(), O_RDONLY | O_CLOEXEC);
  void* data = mmap(nullptr, static_cast<std::size_t>(bytes_), PROT_READ | PROT_WRITE, MAP_SHARED, fd_, 0);
  if (read_only_fd_ < 0 || data == MAP_FAILED)
    throw OutOfMemory("no room for a matrix of " + std::to_string(bytes_) + " bytes");
  data_ = static_cast<char*>(data);
}

Room::~Room() {
  if (data_ != nullptr) munmap(data_, static_cast<std::size_t>(bytes_));
  if (read_only_fd_ >= 0) close(read_only_fd_);
  if (fd_ >= 0) close(fd_);
}

std::int64_t Room::offset_of(std::int64_t count, Placement placement) const {
  return placement == Placement::kAtStart ? 0 : bytes_ - rounded_up(count * element_bytes(), kAlignment);
}

void Room::put(std::int64_t offset, const std::vector<float>& values) {
  const auto count = static_cast<std::int64_t>(values.size());
  narrow(type_, values.data(), count, data_ + offset);
  if (element_bytes() != 2) return;  // float32 keeps a NaN's bits, and of the others nothing is poisoned so
  for (std::int64_t i = 0; i < count; ++i) {
    const auto bits = std::bit_cast<std::uint32_t>(values[static_cast<std::size_t>(i)]);
    if (bits != kPoisonC && bits != kPoisonBand) continue;
    const auto half = static_cast<std::uint16_t>(bits);
    std::memcpy(data_ + offset + 2 * i, &half, sizeof half);
  }
}

void Room::fill(std::int64_t offset, std::int64_t count, float value) {
  if (std::bit_cast<std::uint32_t>(value) != kPoisonC)
    return put(offset, std::vector<float>(static_cast<std::size_t>(count), value));
  for (std::int64_t at = 0; at < count * element_bytes(); ++at)
    data_[offset + at] = static_cast<char>(kPoisonC >> (8 * (at % 4)));
}

std::vector<float> Room::get(std::int64_t offset, std::int64_t count) const {
  std::vector<float> values(static_cast<std::size_t>(count));
  widen(type_, data_ + offset, count, values.data());
  if (type_ == ElementType::kFloat32 || element_bytes() == 1) return values;
  constexpr std::uint32_t kSign = 0x8000;
  const bool wide = element_bytes() == 4;
  for (std::int64_t i = 0; i < count; ++i) {
    std::uint32_t bits = 0;
    std::memcpy(&bits, data_ + offset + i * element_bytes(), static_cast<std::size_t>(element_bytes()));
    float& value = values[static_cast<std::size_t>(i)];
    if (bits == (wide ? kPoisonC : kPoisonC & 0xffff)) value = std::bit_cast<float>(kPoisonC);
    if (!wide && (bits & ~kSign) == (kPoisonBand & 0xffff)) value = std::bit_cast<float>(kPoisonBand);
  }
  return values;
}

void Room::band(std::int64_t offset, std::int64_t count) {
  const std::int64_t end = offset + count * element_bytes();
  const std::int64_t from = std::max<std::int64_t>(0, offset - page_bytes());
  const std::int64_t to = std::min(bytes_, end + page_bytes());
  const auto fill = [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t at = first; at < last; ++at) data_[at] = static_cast<char>(band_byte(at));
  };
  fill(from, offset);
  fill(end, to);
}

Side Room::touched(std::int64_t offset, std::int64_t count, std::int64_t& distance_bytes) {
  const std::int64_t end = offset + count * element_bytes();
  const std::int64_t to = std::min(bytes_, end + page_bytes());
  const auto whole = [&](std::int64_t at) { return static_cast<unsigned char>(data_[at]) == band_byte(at); };
  for (std::int64_t at = end; at < to; ++at) {
    distance_bytes = at - end;
    if (!whole(at)) return Side::kBehind;
  }
  for (std::int64_t at = offset - 1; at >= std::max<std::int64_t>(0, offset - page_bytes()); --at) {
    distance_bytes = offset - at;
    if (!whole(at)) return Side::kBefore;
  }
  return Side::kNone;
}

Matrices Matrices::for_shapes(const std::vector<Shape>& shapes, const GemmTypes& types) {
  std::int64_t most[2] = {};
  for (const Shape& shape : shapes) {
    most[0] = std::max(most[0], shape.a_count());
    most[1] = std::max(most[1], shape.b_count());
  }
  Matrices matrices;
  matrices.a = room_for(most[0], types.type);
  matrices.b = room_for(most[1], types.type);
  matrices.c = room_for_c(shapes, types.result);
  return matrices;
}

void Matrices::fill_with_ones(const Shape& shape) {
  std::vector<float> values(static_cast<std::size_t>(shape.a_count()));
  gemmlab::fill(values.data(), shape.m, shape.k, Distribution::kInteger, 1, Operand::kA, 0, 1);
  a->put(0, values);
  values.resize(static_cast<std::size_t>(shape.b_count()));
  gemmlab::fill(values.data(), shape.k, shape.n, Distribution::kInteger, 1, Operand::kB, 0, 1);
  b->put(0, values);
}

std::shared_ptr<Room> Matrices::room_for_c(const std::vector<Shape>& shapes, ElementType type) {
  std::int64_t most = 0;
  for (const Shape& shape : shapes) most = std::max(most, shape.c_count());
  return room_for(most, type);
}

}  // namespace gemmlab::submissions
