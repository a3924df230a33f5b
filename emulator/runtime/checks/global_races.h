#pragma once

// Races in global memory: who wrote each word last in this launch, and who read it. Only memory that a kernel of the launch
// writes is followed. Told is only what nothing can have ordered: no barrier, no __syncwarp, and between blocks no fence or
// atomic behind the one access together with an atomic in front of the other.

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "emulator/runtime/calls/device_memory.h"
#include "emulator/runtime/threads.h"

namespace gemmlab::emulation {

class GlobalRaces {
 public:
  /// `on`: every block is run, so that results, and races, mean something.
  void begin_launch(bool on);
  /// A block begins, or its threads have met.
  void begin_interval(std::uint32_t epoch, std::uint64_t block);
  /// The current thread touches memory of an allocation, within its bounds.
  void access(std::int32_t which, const Allocation& allocation, std::uint64_t offset, unsigned bytes,
              Operation operation, bool alone);
  /// A fence, or an atomic of memory that is not followed: `beyond`: other blocks may see it.
  void synchronises(bool beyond);
  /// Memory that is handed out anew: what was done to it before counts no more.
  void forget(std::uint64_t offset, std::uint64_t bytes) {
    for (std::uint64_t page = offset / DeviceMemory::kPage;
         page * DeviceMemory::kPage < offset + bytes && page < pages_.size(); ++page) {
      if (pages_[page]) std::fill(pages_[page]->words.begin(), pages_[page]->words.end(), Word());
    }
  }
  /// The block that an interval is one of.
  std::uint64_t block_of(std::uint32_t epoch) const { return blocks_[epoch - first_epoch_]; }

 private:
  /// The last access of a sort.
  struct Mark {
    std::uint32_t epoch = 0, place = 0, time = 0;
    std::uint16_t thread = 0;
  };
  struct Word {
    Mark written, changed, read;  ///< by a plain store, by an atomic, by a plain load
  };
  struct Page {
    unsigned shift = 2;  ///< of the bytes that a word has
    std::vector<Word> words;
  };
  Page* page_at(std::uint64_t offset, unsigned bytes);
  bool of_this_launch(const Mark& mark) const { return mark.epoch >= first_epoch_; }
  Mark now() const;
  bool collides(const Mark& earlier) const;
  void read(Word& word, const Allocation& allocation, std::uint64_t offset) const;
  void write(Word& word, std::uint64_t offset, unsigned bytes, bool atomic) const;

  bool on_ = false;
  std::uint32_t first_epoch_ = 0;
  std::uint32_t epoch_ = 0;
  std::uint64_t block_ = 0;
  std::vector<std::uint32_t> blocks_;  ///< by epoch
  std::vector<std::uint32_t>
      released_;                ///< by block: the last interval in which it let others see what it wrote
  std::vector<bool> acquired_;  ///< by block: has it looked at what others did?
  std::uint32_t met_ = 0;       ///< the interval in which a thread of the block last synchronised
  std::vector<std::uint32_t> written_;  ///< by allocation: first epoch of the launch that wrote it last
  std::vector<std::unique_ptr<Page>> pages_;
  std::uint64_t held_bytes_ = 0;
};

GlobalRaces& make_global_races();
inline GlobalRaces& global_races() {
  static GlobalRaces* const one = &make_global_races();
  return *one;
}

/// Two threads have written to it, or one has after another's read: now that the new value is there, is it another?
void settle_global_rival(Thread& thread);

}  // namespace gemmlab::emulation
