#include "submissions/matrices.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <string>

#include "core/backend.h"
#include "core/rounding.h"
#include "submissions/diagnosis/diagnosis.h"

namespace gemmlab::submissions {
namespace {

std::int64_t page_bytes() {
  static const std::int64_t bytes = sysconf(_SC_PAGESIZE);
  return bytes;
}

}  // namespace

Room::Room(std::int64_t bytes) : bytes_(rounded_up(std::max<std::int64_t>(bytes, 1), page_bytes())) {
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
  const std::int64_t bytes = count * static_cast<std::int64_t>(sizeof(float));
  return placement == Placement::kAtStart ? 0 : bytes_ - rounded_up(bytes, kAlignment);
}

void Room::band(std::int64_t offset, std::int64_t count) {
  const std::int64_t end = offset + count * static_cast<std::int64_t>(sizeof(float));
  const std::int64_t from = std::max<std::int64_t>(0, offset - page_bytes());
  const std::int64_t to = std::min(bytes_, end + page_bytes());
  const auto fill = [&](std::int64_t first, std::int64_t last) {
    std::fill(reinterpret_cast<std::uint32_t*>(data_ + first), reinterpret_cast<std::uint32_t*>(data_ + last),
              kPoisonBand);
  };
  fill(from, offset);
  fill(end, to);
}

Side Room::touched(std::int64_t offset, std::int64_t count, std::int64_t& distance_bytes) {
  constexpr std::int64_t kWord = sizeof(std::uint32_t);
  const std::int64_t end = offset + count * kWord;
  const std::int64_t to = std::min(bytes_, end + page_bytes());
  const auto whole = [&](std::int64_t at) {
    std::uint32_t word = 0;
    std::memcpy(&word, data_ + at, sizeof word);
    return word == kPoisonBand;
  };
  for (std::int64_t at = end; at < to; at += kWord) {
    distance_bytes = at - end;
    if (!whole(at)) return Side::kBehind;
  }
  for (std::int64_t at = offset - kWord; at >= std::max<std::int64_t>(0, offset - page_bytes());
       at -= kWord) {
    distance_bytes = offset - at;
    if (!whole(at)) return Side::kBefore;
  }
  return Side::kNone;
}

Matrices Matrices::for_shapes(const std::vector<Shape>& shapes) {
  std::int64_t most[2] = {};
  for (const Shape& shape : shapes) {
    most[0] = std::max(most[0], shape.a_count());
    most[1] = std::max(most[1], shape.b_count());
  }
  constexpr std::int64_t kFloat = sizeof(float);
  Matrices matrices;
  matrices.a = std::make_shared<Room>(rounded_up(most[0] * kFloat, page_bytes()) + page_bytes());
  matrices.b = std::make_shared<Room>(rounded_up(most[1] * kFloat, page_bytes()) + page_bytes());
  matrices.c = room_for_c(shapes);
  return matrices;
}

std::shared_ptr<Room> Matrices::room_for_c(const std::vector<Shape>& shapes) {
  std::int64_t most = 0;
  for (const Shape& shape : shapes) most = std::max(most, shape.c_count());
  // a page more than the largest, so that there is a band on the far side, too
  return std::make_shared<Room>(rounded_up(most * static_cast<std::int64_t>(sizeof(float)), page_bytes()) +
                                page_bytes());
}

}  // namespace gemmlab::submissions
