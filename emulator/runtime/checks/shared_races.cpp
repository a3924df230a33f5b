#include "emulator/runtime/checks/shared_races.h"

#include <cstring>

#include "emulator/runtime/calls/device_memory.h"
#include "emulator/runtime/checks/check.h"
#include "emulator/runtime/checks/global_races.h"
#include "emulator/runtime/checks/wording.h"
#include "emulator/runtime/run.h"

namespace gemmlab::emulation {
namespace {

void tell_race(const SharedPlace& place, std::uint64_t at, std::uint32_t other_place, std::uint16_t other,
               Operation doing, Operation other_doing) {
  if (run().findings().known("race", current->place, other_place)) return;
  Finding finding = finding_at("race", doing, static_cast<std::int64_t>(at - place.at));
  finding.other_place = other_place;
  finding.has_other = true;
  finding.other_thread = run().thread(other).index;
  finding.array = shared_memory().name(place);
  const bool same_warp = current->warp() == other / kLanes;
  finding.text = "Race on " + shared_memory().element(place, static_cast<std::int64_t>(at - place.at)) +
                 ": " + who() + " " + verb(doing) + " it at " + place_text(current->place) + ", and " +
                 thread_text(finding.other_thread) + " " + verb(other_doing) + " it at " +
                 place_text(other_place) + ", with no " + (same_warp ? "__syncwarp or " : "") +
                 "__syncthreads between them.";
  run().add(std::move(finding));
}

bool ordered(std::uint16_t other, std::uint32_t since) {
  return other == current->number ||
         (other / kLanes == current->warp() &&
          run().clock(current->warp()).ordered(current->lane(), other % kLanes, since));
}

void tell_unset(const SharedPlace& place, std::uint64_t at) {
  if (run().findings().known("uninitialised-shared", current->place)) return;
  Finding finding =
      finding_at("uninitialised-shared", Operation::kLoad, static_cast<std::int64_t>(at - place.at));
  finding.array = shared_memory().name(place);
  finding.text = "At " + place_text(current->place) + " " + who() + " reads " +
                 shared_memory().element(place, static_cast<std::int64_t>(at - place.at)) +
                 ", which no thread of the block has written.";
  run().add(std::move(finding));
}

void read_word(SharedMemory::Word& word, const SharedPlace& place, std::uint64_t at) {
  SharedMemory& shared = shared_memory();
  if (!shared.is_set(word)) tell_unset(place, at);
  if (word.write_epoch == shared.epoch() && !ordered(word.writer, word.write_time)) {
    tell_race(place, at, word.write_place, word.writer, Operation::kLoad, Operation::kStore);
  }
  if (word.read_epoch != shared.epoch()) {
    word.read_epoch = shared.epoch();
    word.readers = 0;
  }
  // the first reader, and the last other one
  const int slot = word.readers > 0 && word.reader[0] != current->number ? 1 : 0;
  word.reader[slot] = current->number;
  word.read_place[slot] = current->place;
  word.read_time[slot] = run().clock(current->warp()).now;
  if (slot == word.readers) ++word.readers;
}

void expect_rival(std::uint64_t at, unsigned bytes, std::uint32_t other_place, std::uint16_t other) {
  auto& rival = current->rival;
  rival.address = shared_memory().address(at);
  rival.bytes = static_cast<std::uint8_t>(bytes);
  std::memcpy(rival.before, rival.address, bytes);
  rival.place = current->place;
  rival.other_place = other_place;
  rival.other = other;
}

void write_word(SharedMemory::Word& word, const SharedPlace& place, std::uint64_t at, unsigned bytes,
                bool atomic) {
  SharedMemory& shared = shared_memory();
  const auto expect = [&](std::uint32_t epoch, std::uint16_t writer, std::uint32_t time, std::uint32_t from) {
    if (epoch == shared.epoch() && current->rival.address == nullptr && !ordered(writer, time))
      expect_rival(at, bytes, from, writer);
  };
  // atomics do not race with each other; what lies between one and a plain store must be known of both
  if (!(atomic && word.atomic_write))
    expect(word.write_epoch, word.writer, word.write_time, word.write_place);
  if (atomic) {
    expect(word.plain_epoch, word.plain_writer, word.plain_time, word.plain_place);
  } else {
    expect(word.other_epoch, word.other_writer, word.other_time, word.other_place);
  }
  for (int i = 0; i < word.readers && word.read_epoch == shared.epoch(); ++i) {
    if (ordered(word.reader[i], word.read_time[i])) continue;
    tell_race(place, at, word.read_place[i], word.reader[i], Operation::kStore, Operation::kLoad);
  }
  if (word.writer != current->number) {
    word.other_epoch = word.write_epoch;
    word.other_writer = word.writer;
    word.other_place = word.write_place;
    word.other_time = word.write_time;
  }
  word.write_epoch = shared.epoch();
  word.writer = current->number;
  word.write_place = current->place;
  word.write_time = run().clock(current->warp()).now;
  word.atomic_write = atomic;
  if (atomic) return;
  word.plain_epoch = word.write_epoch;
  word.plain_writer = word.writer;
  word.plain_place = word.write_place;
  word.plain_time = word.write_time;
}

}  // namespace

void settle_rival(Thread& thread) {
  auto& rival = thread.rival;
  if (rival.address == nullptr) return;
  if (device_memory().holds(rival.address)) return settle_global_rival(thread);
  const char* address = rival.address;
  rival.address = nullptr;
  if (std::memcmp(address, rival.before, rival.bytes) == 0) return;  // both stored the same
  const std::uint64_t at = shared_memory().offset(address);
  if (const SharedPlace* place = shared_memory().find(at)) {
    const std::uint32_t now = thread.place;
    thread.place = rival.place;
    tell_race(*place, at, rival.other_place, rival.other, Operation::kStore, Operation::kStore);
    thread.place = now;
  }
}

void note_shared(const SharedPlace& place, std::uint64_t at, unsigned bytes, Operation operation) {
  SharedMemory& shared = shared_memory();
  unsigned count = 0;
  SharedMemory::Word* words = shared.words(at, bytes, count);
  const unsigned step = bytes / count;
  const bool atomic = operation == Operation::kAtomic;
  for (unsigned i = 0; i < count; ++i) {
    // an atomic's own reading is no race with another atomic, and the store finds all others
    if (atomic && !shared.is_set(words[i])) tell_unset(place, at + i * step);
    if (operation == Operation::kLoad) read_word(words[i], place, at + i * step);
    if (operation != Operation::kLoad) write_word(words[i], place, at + i * step, step, atomic);
  }
}

}  // namespace gemmlab::emulation
