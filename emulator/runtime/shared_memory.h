#pragma once

// Shared memory: where a launch's arrays lie, and what was done to each word since the last barrier.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "emulator/include/gemmlab_cuda_device.h"
#include "emulator/runtime/threads.h"

namespace gemmlab::emulation {

/// An array as a launch has laid it out.
struct SharedPlace {
  std::uint64_t at = 0;  ///< offset in the arena
  std::uint64_t bytes = 0;
  const SharedArray* array = nullptr;  ///< nullptr: the dynamic one
};

class SharedMemory {
 public:
  static constexpr std::uint64_t kStaticBytes = 512 << 10;
  static constexpr std::uint64_t kBytes = 2 * kStaticBytes;  ///< the dynamic array begins in the middle

  static constexpr std::uint32_t kFirstInWindow = 1 << 10;
  static constexpr std::uint32_t kArraysInWindow = 228 << 10;
  static constexpr unsigned kRankShift = 24;

  SharedMemory();
  bool holds(const void* address) const {
    return static_cast<std::uint64_t>(static_cast<const char*>(address) - base_) < kBytes * blocks_;
  }
  std::uint64_t offset(const void* address) const {
    return static_cast<std::uint64_t>(static_cast<const char*>(address) - base_);
  }
  char* address(std::uint64_t offset) const { return base_ + offset; }
  /// As a card's 32-bit addresses: what a launch asked for begins at the first multiple of 1024 bytes, arrays lie behind
  /// all that it can ask for. Upper bits: the block of a cluster, counted from 1; 0: the own one.
  std::uint32_t to_window(const void* address) const;
  void* from_window(std::uint32_t at, unsigned own_rank) const;
  static std::uint32_t within_block(std::uint32_t window) { return window & ((1u << kRankShift) - 1); }
  static std::uint32_t of_block(std::uint32_t window, unsigned rank) {
    return within_block(window) | (rank + 1) << kRankShift;
  }
  const void* aligned_down(const char* address, unsigned step) const {
    return base_ + offset(address) / step * step;
  }

  static constexpr unsigned kMostBlocks = 16;  ///< of a cluster, whose memory lies one behind the other
  void begin_launch(std::uint64_t dynamic_bytes, unsigned blocks = 1);
  /// The block of the cluster whose thread runs.
  void use_block(unsigned rank) { rank_ = rank; }
  void begin_block();
  void begin_interval() { epochs_[rank_] = ++last_epoch_; }  ///< all threads of the block have met
  void* place(SharedArray* array);                           ///< nullptr where the arena is full
  void* dynamic(const char* name, std::size_t element_bytes);
  std::uint64_t static_bytes() const { return static_used_; }
  std::uint64_t dynamic_bytes() const { return dynamic_bytes_; }

  /// The array that holds the offset, or the nearest in front of it; nullptr where there is none.
  const SharedPlace* find(std::uint64_t offset) {
    if (offset - last_[0].at < last_[0].bytes) return &last_[0];
    if (offset - last_[1].at < last_[1].bytes) return &last_[1];
    return search(offset);
  }
  std::string name(const SharedPlace& place) const;
  std::size_t element_bytes(const SharedPlace& place) const;
  /// "Bs[17][32] of 16×17", also for offsets beyond its end.
  std::string element(const SharedPlace& place, std::int64_t bytes_from_begin) const;
  std::vector<SharedPlace> places() const;

  /// What a word went through: who wrote it last, two who have read it since the last barrier. `clock`: of who did it
  /// (checks/clocks.h). What a load asks for is one line of the cache.
  struct alignas(64) Word {
    std::uint32_t write_epoch = 0, write_place = 0, write_time = 0, write_clock = 0;
    std::uint32_t read_epoch = 0, read_place[2] = {}, read_time[2] = {}, read_clock[2] = {};
    std::uint16_t writer = 0, reader[2] = {};
    std::uint8_t readers = 0;
    bool atomic_write : 1 = false;
    bool asynchronous : 1 = false;  ///< written by TMA
    // of the last store that was no atomic, and of the last write by another than `writer`
    std::uint16_t plain_writer = 0, other_writer = 0;
    std::uint32_t plain_epoch = 0, plain_place = 0, plain_time = 0, plain_clock = 0;
    std::uint32_t other_epoch = 0, other_place = 0, other_time = 0, other_clock = 0;
  };
  /// The words of an access; their number in `count`.
  Word* words(std::uint64_t offset, unsigned bytes, unsigned& count) {
    if (shift_ == 2 && ((offset | bytes) & 3) != 0) split_words();
    count = bytes >> shift_;
    return &words_[offset >> shift_];
  }
  std::uint32_t epoch() const { return epochs_[rank_]; }
  std::uint32_t epoch_of(std::uint64_t offset) const { return epochs_[offset / kBytes]; }
  /// Intervals between barriers are numbered through, over all blocks and launches.
  std::uint32_t next_epoch() const { return last_epoch_ + 1; }
  /// Has a thread of this block written it?
  bool is_set(const Word& word) const { return is_since_begin(word.write_epoch); }
  bool is_since_begin(std::uint32_t epoch) const { return epoch >= first_epoch_; }

  /// What a block has in shared memory, put aside while others run.
  struct Image {
    unsigned shift = 2;
    std::vector<char> bytes[2];  ///< of the static arrays and of the dynamic one
    std::vector<Word> words[2];
    std::uint32_t epoch = 0, first_epoch = 0;
  };
  Image put_aside() const;
  void take_back(const Image& image);

 private:
  void split_words();
  const SharedPlace* search(std::uint64_t offset);
  char* base_ = nullptr;
  // an access in front of the first array is still one of shared memory
  static constexpr std::uint64_t kFirst = 4096;
  std::uint64_t static_end_ = kFirst;
  std::uint64_t static_used_ = 0;
  std::uint64_t fixed_end_ = kFirst;  ///< of arrays outside functions
  std::uint64_t dynamic_bytes_ = 0;
  std::uint64_t launch_ = 0;
  const char* dynamic_name_ = "shared memory";
  std::uint64_t dynamic_launch_ = 0;  ///< in which that name was used
  std::size_t dynamic_element_ = 4;
  std::vector<SharedPlace> static_;  ///< by rising offset
  std::size_t fixed_ = 0;            ///< how many of them stay
  bool running_ = false;
  SharedPlace last_[2];  ///< found last; a kernel goes to and fro between two arrays
  unsigned oldest_ = 0;  ///< of the two
  unsigned shift_ = 2;   ///< a word is 4 bytes, or 1 once smaller elements were touched
  std::vector<Word> words_;
  std::uint32_t last_epoch_ = 0;
  std::uint32_t epochs_[kMostBlocks] = {};  ///< by block of the cluster
  unsigned rank_ = 0;
  unsigned blocks_ = 1;
  std::uint32_t first_epoch_ = 0;  ///< of the block
};

SharedMemory& make_shared_memory();
inline SharedMemory& shared_memory() {
  static SharedMemory* const memory = &make_shared_memory();
  return *memory;
}

}  // namespace gemmlab::emulation
