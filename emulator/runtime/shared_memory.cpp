#include "emulator/runtime/shared_memory.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <new>

#include "emulator/runtime/checks/wording.h"
#include "emulator/runtime/run.h"

namespace gemmlab::emulation {
namespace {

// Room beside each array, so that no access beyond its end lies in the next one; a multiple of all banks.
constexpr std::uint64_t kGap = 256;

std::uint64_t rounded(std::uint64_t value, std::uint64_t step) {
  return (value + step - 1) / step * step;
}

/// Told only as what may be behind a wrong result: two types of one memory may be meant.
void tell_same_address(const char* one, const char* other) {
  if (current == nullptr || run().findings().known("same-shared-address", current->place)) return;
  Finding finding = finding_at("same-shared-address", Operation::kLoad, 0);
  finding.array = one;
  finding.text = std::string(one) + " and " + other +
                 " are both extern __shared__ arrays of one kernel, so they begin at the same address: what "
                 "is stored in "
                 "one overwrites the other. One array, with the second part at an offset, keeps them apart.";
  run().add(std::move(finding));
}

}  // namespace

SharedMemory& make_shared_memory() {
  static SharedMemory memory;
  return memory;
}

SharedMemory::SharedMemory() : words_(kBytes >> shift_) {
  void* memory = mmap(nullptr, kBytes * kMostBlocks, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  base_ = static_cast<char*>(memory);
}

void SharedMemory::begin_launch(std::uint64_t dynamic_bytes, unsigned blocks) {
  ++launch_;
  rank_ = 0;
  blocks_ = blocks;
  if (words_.size() < kBytes * blocks >> shift_) words_.resize(kBytes * blocks >> shift_);
  running_ = true;
  static_.resize(fixed_);
  static_end_ = fixed_end_;
  static_used_ = 0;
  for (const SharedPlace& place : static_) static_used_ += place.bytes;
  dynamic_bytes_ = dynamic_bytes;
  last_[0] = last_[1] = {};
}

void SharedMemory::begin_block() {
  first_epoch_ = last_epoch_ + 1;
  for (unsigned rank = 0; rank < blocks_; ++rank) epochs_[rank] = ++last_epoch_;
}

void* SharedMemory::place(SharedArray* array) {
  const auto of_block = [&] { return static_cast<char*>(array->address) + rank_ * kBytes; };
  if (array->launch == launch_ && array->address != nullptr) return of_block();
  const bool fixed = !running_;
  if (array->address != nullptr && array->launch == 0) return of_block();  // outside a function
  const std::uint64_t at = rounded(static_end_, kGap);
  if (at + array->bytes + kGap > kStaticBytes) return nullptr;
  static_.push_back({at, array->bytes, array});
  static_end_ = at + array->bytes + kGap;
  static_used_ = rounded(static_used_, array->alignment) + array->bytes;
  array->address = base_ + at;
  array->launch = fixed ? 0 : launch_;
  if (fixed) {
    fixed_end_ = static_end_;
    fixed_ = static_.size();
  }
  return of_block();
}

std::uint32_t SharedMemory::to_window(const void* address) const {
  const std::uint64_t all = offset(address);
  const std::uint64_t at = all % kBytes;
  const auto window = static_cast<std::uint32_t>(at >= kStaticBytes ? kFirstInWindow + at - kStaticBytes
                                                                    : kArraysInWindow + at - kFirst);
  return all / kBytes == rank_ ? window : of_block(window, static_cast<unsigned>(all / kBytes));
}

void* SharedMemory::from_window(std::uint32_t at, unsigned own_rank) const {
  const unsigned said = at >> kRankShift;
  const std::uint64_t rank = said == 0 ? own_rank : said - 1;
  at = within_block(at);
  return base_ + rank * kBytes +
         (at < kArraysInWindow ? kStaticBytes + at - kFirstInWindow : kFirst + at - kArraysInWindow);
}

void* SharedMemory::dynamic(const char* name, std::size_t element_bytes) {
  if (name != dynamic_name_) {
    const bool other = dynamic_launch_ == launch_ && std::strcmp(name, dynamic_name_) != 0;
    if (other) tell_same_address(dynamic_name_, name);
    dynamic_launch_ = launch_;
  }
  dynamic_name_ = name;
  dynamic_element_ = element_bytes;
  return base_ + rank_ * kBytes + kStaticBytes;
}

const SharedPlace* SharedMemory::search(std::uint64_t offset) {
  const std::uint64_t of_block = offset / kBytes * kBytes;
  offset -= of_block;
  if (offset >= kStaticBytes) {
    oldest_ ^= 1;
    last_[oldest_] = {of_block + kStaticBytes, dynamic_bytes_, nullptr};
    return &last_[oldest_];
  }
  const auto after =
      std::upper_bound(static_.begin(), static_.end(), offset,
                       [](std::uint64_t value, const SharedPlace& place) { return value < place.at; });
  if (after == static_.begin()) return nullptr;
  oldest_ ^= 1;
  last_[oldest_] = *(after - 1);
  last_[oldest_].at += of_block;
  return &last_[oldest_];
}

std::string SharedMemory::name(const SharedPlace& place) const {
  return place.array == nullptr ? dynamic_name_ : place.array->name;
}

std::size_t SharedMemory::element_bytes(const SharedPlace& place) const {
  return place.array == nullptr ? dynamic_element_ : place.array->element_bytes;
}

std::string SharedMemory::element(const SharedPlace& place, std::int64_t bytes_from_begin) const {
  const auto size = static_cast<std::int64_t>(element_bytes(place));
  std::int64_t index = bytes_from_begin / size;
  if (place.array == nullptr || place.array->dims[1] == 0) {
    return name(place) + "[" + std::to_string(index) + "] of " +
           std::to_string(static_cast<std::int64_t>(place.bytes) / size);
  }
  std::string indices;
  std::string extents;
  std::int64_t inner = 1;
  for (int d = 2; d > 0; --d)
    inner *= place.array->dims[d] > 0 ? static_cast<std::int64_t>(place.array->dims[d]) : 1;
  for (int d = 0; d < 3 && place.array->dims[d] > 0; ++d) {
    indices += "[" + std::to_string(index / inner) + "]";
    extents += (d > 0 ? "×" : "") + std::to_string(place.array->dims[d]);
    index %= inner;
    if (d < 2 && place.array->dims[d + 1] > 0) inner /= static_cast<std::int64_t>(place.array->dims[d + 1]);
  }
  return name(place) + indices + " of " + extents;
}

std::vector<SharedPlace> SharedMemory::places() const {
  std::vector<SharedPlace> all = static_;
  if (dynamic_bytes_ > 0) all.push_back({kStaticBytes, dynamic_bytes_, nullptr});
  return all;
}

SharedMemory::Image SharedMemory::put_aside() const {
  Image image;
  image.shift = shift_;
  image.epoch = epoch();
  image.first_epoch = first_epoch_;
  const std::uint64_t ends[] = {static_end_, kStaticBytes + dynamic_bytes_};
  for (std::uint64_t part = 0; part < 2; ++part) {
    const std::uint64_t from = part * kStaticBytes, to = rounded(ends[part], 4);
    image.bytes[part].assign(base_ + from, base_ + to);
    image.words[part].assign(words_.begin() + static_cast<std::ptrdiff_t>(from >> shift_),
                             words_.begin() + static_cast<std::ptrdiff_t>(to >> shift_));
  }
  return image;
}

void SharedMemory::take_back(const Image& image) {
  epochs_[0] = image.epoch;
  first_epoch_ = image.first_epoch;
  for (std::uint64_t part = 0; part < 2; ++part) {
    const std::uint64_t from = part * kStaticBytes;
    std::copy(image.bytes[part].begin(), image.bytes[part].end(), base_ + from);
    const unsigned finer = image.shift - shift_;  // others may have split words meanwhile
    for (std::uint64_t i = 0; i < image.bytes[part].size() >> shift_; ++i)
      words_[(from >> shift_) + i] = image.words[part][i >> finer];
  }
}

void SharedMemory::split_words() {
  std::vector<Word> finer(words_.size() << shift_);
  for (std::uint64_t i = 0; i < finer.size(); ++i) finer[i] = words_[i >> shift_];
  words_ = std::move(finer);
  shift_ = 0;
}

}  // namespace gemmlab::emulation
