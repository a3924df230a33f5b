#include "emulator/runtime/checks/global_races.h"

#include <algorithm>
#include <cstring>

#include "emulator/runtime/checks/wording.h"
#include "emulator/runtime/run.h"
#include "emulator/runtime/shared_memory.h"

namespace gemmlab::emulation {
namespace {

constexpr std::uint64_t kMostHeldBytes = std::uint64_t{256}
                                         << 20;  ///< what is written beyond is not followed

bool marked(const std::vector<std::uint32_t>& by_block, std::uint64_t block, std::uint32_t since) {
  return block < by_block.size() && by_block[block] >= since;
}

void tell(const Allocation& allocation, std::uint64_t offset, std::uint32_t other_place, std::uint16_t other,
          std::uint32_t other_epoch, Operation doing, Operation other_doing) {
  if (run().findings().known("race", current->place, other_place)) return;
  const std::uint64_t at = offset - allocation.at;
  Finding finding = finding_at("race", doing, static_cast<std::int64_t>(at));
  finding.other_place = other_place;
  finding.has_other = true;
  finding.other_thread = run().thread_index(other);
  finding.array = allocation.name;
  const uint3 block = run().block_index(global_races().block_of(other_epoch));
  const bool same_block =
      block.x == run().block_now().x && block.y == run().block_now().y && block.z == run().block_now().z;
  finding.text = "Race on element " + std::to_string(at / sizeof(float)) + " of " + allocation.name +
                 " (counted in floats): " + who() + " " + verb(doing) + " it at " +
                 place_text(current->place) + ", and " + thread_text(finding.other_thread) +
                 (same_block ? "" : " of " + block_text(block)) + " " + verb(other_doing) + " it at " +
                 place_text(other_place) +
                 (same_block ? ", with no __syncthreads between them."
                             : ", and nothing says which of the two blocks comes first.");
  run().add(std::move(finding));
}

}  // namespace

GlobalRaces& make_global_races() {
  static GlobalRaces one;
  return one;
}

void GlobalRaces::begin_launch(bool on) {
  on_ = on;
  first_epoch_ = shared_memory().next_epoch();
  blocks_.clear();
  released_.clear();
  acquired_.clear();
}

void GlobalRaces::begin_interval(std::uint32_t epoch, std::uint64_t block) {
  epoch_ = epoch;
  block_ = block;
  if (epoch - first_epoch_ == blocks_.size()) {
    blocks_.push_back(static_cast<std::uint32_t>(block));
  } else {
    met_ = epoch;  // a block that has waited goes on
  }
}

void GlobalRaces::synchronises(bool beyond) {
  if (!on_) return;
  met_ = epoch_;
  if (!beyond) return;
  if (released_.size() <= block_) {
    released_.resize(block_ + 1, 0);
    acquired_.resize(block_ + 1, false);
  }
  released_[block_] = epoch_;
  acquired_[block_] = true;
}

/// nullptr where there is no more room for what is known of memory.
GlobalRaces::Page* GlobalRaces::page_at(std::uint64_t offset, unsigned bytes) {
  const std::uint64_t number = offset / DeviceMemory::kPage;
  if (pages_.size() <= number) pages_.resize(number + 1);
  auto& page = pages_[number];
  const std::uint64_t parts = offset | bytes;
  const unsigned shift = (parts & 1) != 0 ? 0 : (parts & 2) != 0 ? 1 : 2;
  if (page && page->shift <= shift) return page.get();
  const std::uint64_t needed = (DeviceMemory::kPage >> shift) * sizeof(Word);
  if (held_bytes_ + needed > kMostHeldBytes) return nullptr;
  held_bytes_ += needed;
  auto made = std::make_unique<Page>();
  made->shift = shift;
  made->words.resize(DeviceMemory::kPage >> shift);
  if (page) {
    held_bytes_ -= page->words.size() * sizeof(Word);
    const unsigned finer = page->shift - shift;
    for (std::size_t i = 0; i < made->words.size(); ++i) made->words[i] = page->words[i >> finer];
  }
  page = std::move(made);
  return page.get();
}

GlobalRaces::Mark GlobalRaces::now() const {
  return {epoch_, current->place, run().clock(current->warp()).now, current->number};
}

/// Was it made by another thread of this launch, with nothing that put it in front of what happens now?
bool GlobalRaces::collides(const Mark& earlier) const {
  if (!of_this_launch(earlier)) return false;
  const std::uint64_t block = block_of(earlier.epoch);
  if (block != block_) {
    return !marked(released_, block, earlier.epoch) || block_ >= acquired_.size() || !acquired_[block_];
  }
  if (earlier.epoch != epoch_ || earlier.thread == current->number || met_ == epoch_) return false;
  return earlier.thread / kLanes != current->warp() ||
         !run().clock(current->warp()).ordered(current->lane(), earlier.thread % kLanes, earlier.time);
}

void GlobalRaces::read(Word& word, const Allocation& allocation, std::uint64_t offset) const {
  // what atomics change may be read beside them: so begins each loop of atomicCAS
  if (collides(word.written)) {
    tell(allocation, offset, word.written.place, word.written.thread, word.written.epoch, Operation::kLoad,
         Operation::kStore);
  }
  if (word.read.epoch == epoch_ && word.read.thread != current->number) return;  // another's stays
  word.read = now();
}

void GlobalRaces::write(Word& word, std::uint64_t offset, unsigned bytes, bool atomic) const {
  const auto expect = [&](const Mark& earlier, Operation doing) {
    auto& rival = current->rival;
    if (rival.address != nullptr || !collides(earlier)) return;
    rival.address = static_cast<const char*>(device_memory().address(offset));
    rival.bytes = static_cast<std::uint8_t>(bytes);
    std::memcpy(rival.before, rival.address, bytes);
    rival.place = current->place;
    rival.other_place = earlier.place;
    rival.other = earlier.thread;
    rival.other_epoch = earlier.epoch;
    rival.doing = atomic ? Operation::kAtomic : Operation::kStore;
    rival.other_doing = doing;
  };
  expect(word.written, Operation::kStore);
  if (!atomic) {
    expect(word.changed, Operation::kAtomic);
    expect(word.read, Operation::kLoad);
  }
  (atomic ? word.changed : word.written) = now();
}

void GlobalRaces::access(std::int32_t which, const Allocation& allocation, std::uint64_t offset,
                         unsigned bytes, Operation operation, bool alone) {
  if (!on_) return;
  if (alone) return synchronises(true);  // volatile: how threads wait for each other
  const auto index = static_cast<std::size_t>(which);
  if (operation == Operation::kLoad) {
    if (index >= written_.size() || written_[index] != first_epoch_) return;
  } else {
    if (index >= written_.size()) written_.resize(index + 1, 0);
    written_[index] = first_epoch_;
  }
  Page* page = page_at(offset, bytes);
  if (page == nullptr) return;
  const unsigned step = 1u << page->shift;
  const std::uint64_t first = offset % DeviceMemory::kPage >> page->shift;
  const bool atomic = operation == Operation::kAtomic;
  bool meets = atomic;
  for (unsigned i = 0; i * step < bytes; ++i) {
    Word& word = page->words[first + i];
    if (operation == Operation::kLoad) {
      read(word, allocation, offset + i * step);
    } else {
      write(word, offset + i * step, step, atomic);
      // what is also written without atomics is a sum, not a lock or a counter
      meets = meets && !of_this_launch(word.written);
    }
  }
  if (meets) synchronises(true);
}

void settle_global_rival(Thread& thread) {
  const auto rival = thread.rival;
  thread.rival.address = nullptr;
  if (std::memcmp(rival.address, rival.before, rival.bytes) == 0) return;  // the same value: no harm
  const std::uint64_t offset = device_memory().offset(rival.address);
  const std::int32_t which = device_memory().owner(offset);
  const std::uint32_t now = thread.place;
  thread.place = rival.place;
  tell(device_memory().allocation(which), offset, rival.other_place, rival.other, rival.other_epoch,
       rival.doing, rival.other_doing);
  thread.place = now;
}

}  // namespace gemmlab::emulation
