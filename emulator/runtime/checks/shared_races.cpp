#include "emulator/runtime/checks/shared_races.h"

#include <cstring>

#include "emulator/runtime/calls/device_memory.h"
#include "emulator/runtime/checks/check.h"
#include "emulator/runtime/checks/clocks.h"
#include "emulator/runtime/checks/global_races.h"
#include "emulator/runtime/checks/wording.h"
#include "emulator/runtime/run.h"

namespace gemmlab::emulation {
namespace {

/// "thread (1, 0, 0)", or "wgmma of thread (0, 0, 0)".
std::string actor_text(int number) {
  const Agent* agent = run().agent(number);
  return agent == nullptr ? thread_text(run().thread(number).index)
                          : agent->name + (" of " + thread_text(run().thread(agent->owner).index));
}

void tell_race(const SharedPlace& place, std::uint64_t at, std::uint32_t other_place, std::uint16_t other,
               Operation doing, Operation other_doing, const Actor& actor) {
  if (run().findings().known("race", current->place, other_place)) return;
  Finding finding = finding_at("race", doing, static_cast<std::int64_t>(at - place.at));
  finding.other_place = other_place;
  finding.has_other = true;
  const Agent* its = run().agent(other);
  const Agent* own = run().agent(actor.number);
  finding.other_thread = run().thread(its == nullptr ? other : its->owner).index;
  finding.array = shared_memory().name(place);
  const bool same_warp = its == nullptr && own == nullptr && current->warp() == other / kLanes;
  const bool barriers = its == nullptr && own == nullptr && !run().has_clocks();
  finding.text = "Race on " + shared_memory().element(place, static_cast<std::int64_t>(at - place.at)) +
                 ": " + (own == nullptr ? who() : actor_text(actor.number)) + " " + verb(doing) + " it at " +
                 place_text(current->place) + ", and " + actor_text(other) + " " + verb(other_doing) +
                 " it at " + place_text(other_place) +
                 (barriers ? std::string(", with no ") + (same_warp ? "__syncwarp or " : "") +
                                 "__syncthreads between them."
                           : ", and no barrier puts one behind the other.");
  run().add(std::move(finding));
}

bool ordered(const Actor& actor, std::uint16_t other, std::uint32_t since, std::uint32_t clock) {
  if (other == actor.number || knows(*actor.seen, other, clock)) return true;
  return run().agent(other) == nullptr && other / kLanes == current->warp() &&
         run().clock(current->warp()).ordered(current->lane(), other % kLanes, since);
}

/// Was it done where barriers of a block say nothing of the order: by a thread of another block of the cluster?
bool apart(const Actor& actor, std::uint16_t other) {
  if (!run().clustered()) return false;
  const int threads = run().threads_of_block();
  const auto block = [&](int number) {
    const Agent* agent = run().agent(number);
    return (agent == nullptr ? number : agent->owner) / threads;
  };
  return block(actor.number) != block(other);
}

/// Can only clocks tell whether it lies behind a barrier?
bool is_recent(std::uint32_t epoch, std::uint64_t at, std::uint16_t other, const Actor& actor) {
  return apart(actor, other) ? shared_memory().is_since_begin(epoch) : epoch == shared_memory().epoch_of(at);
}

/// What a thread has written TMA and wgmma see only behind a fence of the thread, or of who asks them.
void expect_fence(const SharedMemory::Word& word, const SharedPlace& place, std::uint64_t at) {
  if (word.asynchronous || run().agent(word.writer) != nullptr) return;
  const Thread& writer = run().thread(word.writer);
  if (writer.fenced >= word.write_clock) return;
  if (current->fenced_epoch > word.write_epoch || knows(current->fenced_seen, word.writer, word.write_clock))
    return;
  if (run().findings().known("missing-fence", current->place, word.write_place)) return;
  Finding finding = finding_at("missing-fence", Operation::kLoad, static_cast<std::int64_t>(at - place.at));
  finding.other_place = word.write_place;
  finding.has_other = true;
  finding.other_thread = writer.index;
  finding.array = shared_memory().name(place);
  finding.text = "At " + place_text(current->place) + " the asynchronous proxy is asked to read " +
                 shared_memory().element(place, static_cast<std::int64_t>(at - place.at)) + ", which " +
                 thread_text(writer.index) + " wrote at " + place_text(word.write_place) +
                 " with no fence.proxy.async behind it: it may read what was there before.";
  run().add(std::move(finding));
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

void set_read(SharedMemory::Word& word, std::uint32_t epoch, const Actor& actor, std::uint32_t now) {
  if (word.read_epoch != epoch) {
    word.read_epoch = epoch;
    word.readers = 0;
  }
  // the first reader, and the last other one
  const int slot = word.readers > 0 && word.reader[0] != actor.number ? 1 : 0;
  word.reader[slot] = static_cast<std::uint16_t>(actor.number);
  word.read_clock[slot] = actor.clock;
  word.read_place[slot] = current->place;
  word.read_time[slot] = now;
  if (slot == word.readers) ++word.readers;
}

void set_written(SharedMemory::Word& word, std::uint32_t epoch, bool atomic, const Actor& actor,
                 std::uint32_t now) {
  if (word.writer != actor.number) {
    word.other_epoch = word.write_epoch;
    word.other_writer = word.writer;
    word.other_place = word.write_place;
    word.other_time = word.write_time;
    word.other_clock = word.write_clock;
  }
  word.write_epoch = epoch;
  word.writer = static_cast<std::uint16_t>(actor.number);
  word.write_clock = actor.clock;
  word.asynchronous = actor.asynchronous;
  word.write_place = current->place;
  word.write_time = now;
  word.atomic_write = atomic;
  if (atomic) return;
  word.plain_epoch = word.write_epoch;
  word.plain_writer = word.writer;
  word.plain_place = word.write_place;
  word.plain_time = word.write_time;
  word.plain_clock = word.write_clock;
}

void read_word(SharedMemory::Word& word, const SharedPlace& place, std::uint64_t at, const Actor& actor) {
  SharedMemory& shared = shared_memory();
  // rows of a tile that a matrix does not have may hold anything: tensor cores read them all the same
  if (!actor.asynchronous && !shared.is_set(word)) tell_unset(place, at);
  // what TMA has written no __syncthreads alone makes known
  const bool since =
      word.asynchronous ? shared.is_set(word) : is_recent(word.write_epoch, at, word.writer, actor);
  if (since && !ordered(actor, word.writer, word.write_time, word.write_clock)) {
    tell_race(place, at, word.write_place, word.writer, Operation::kLoad, Operation::kStore, actor);
  }
  if (actor.asynchronous && shared.is_set(word)) expect_fence(word, place, at);
  set_read(word, shared.epoch_of(at), actor, run().clock(current->warp()).now);
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
                bool atomic, const Actor& actor) {
  SharedMemory& shared = shared_memory();
  const auto expect = [&](std::uint32_t epoch, std::uint16_t writer, std::uint32_t time, std::uint32_t clock,
                          std::uint32_t from) {
    if (!is_recent(epoch, at, writer, actor) || ordered(actor, writer, time, clock)) return;
    if (actor.asynchronous) {
      tell_race(place, at, from, writer, Operation::kStore, Operation::kStore, actor);
    } else if (current->rival.address == nullptr) {
      expect_rival(at, bytes, from, writer);
    }
  };
  // atomics do not race with each other; what lies between one and a plain store must be known of both
  if (!(atomic && word.atomic_write))
    expect(word.write_epoch, word.writer, word.write_time, word.write_clock, word.write_place);
  if (atomic) {
    expect(word.plain_epoch, word.plain_writer, word.plain_time, word.plain_clock, word.plain_place);
  } else {
    expect(word.other_epoch, word.other_writer, word.other_time, word.other_clock, word.other_place);
  }
  for (int i = 0; i < word.readers; ++i) {
    const bool by_agent = shared.is_since_begin(word.read_epoch) && run().agent(word.reader[i]) != nullptr;
    if (!is_recent(word.read_epoch, at, word.reader[i], actor) && !by_agent) continue;
    if (ordered(actor, word.reader[i], word.read_time[i], word.read_clock[i])) continue;
    tell_race(place, at, word.read_place[i], word.reader[i], Operation::kStore, Operation::kLoad, actor);
  }
  set_written(word, shared.epoch_of(at), atomic, actor, run().clock(current->warp()).now);
}

/// Has no other thread done what a plain access of `actor` could race with since the last barrier of the block, where only
/// these barriers order threads?
bool is_quiet(const SharedMemory::Word& word, std::uint32_t epoch, bool load, const Actor& actor) {
  const auto own = [&](std::uint32_t when, std::uint16_t who) {
    return when != epoch || who == actor.number;
  };
  if (!own(word.write_epoch, word.writer)) return false;
  if (load) return shared_memory().is_set(word) && !word.asynchronous;
  const bool read = word.read_epoch == epoch && (word.readers > 1 || word.reader[0] != actor.number);
  return !read && word.other_epoch != epoch && own(word.plain_epoch, word.plain_writer);
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
    tell_race(*place, at, rival.other_place, rival.other, Operation::kStore, Operation::kStore,
              actor_of(thread));
    thread.place = now;
  }
}

void note_shared(const SharedPlace& place, std::uint64_t at, unsigned bytes, Operation operation,
                 const Actor& actor) {
  SharedMemory& shared = shared_memory();
  unsigned count = 0;
  SharedMemory::Word* words = shared.words(at, bytes, count);
  const unsigned step = bytes / count;
  const bool atomic = operation == Operation::kAtomic;
  const bool plain = !atomic && !actor.asynchronous && !run().has_clocks();
  const std::uint32_t epoch = shared.epoch_of(at), now = run().clock(current->warp()).now;
  const bool load = operation == Operation::kLoad;
  for (; plain && count > 0 && is_quiet(*words, epoch, load, actor); ++words, --count, at += step) {
    load ? set_read(*words, epoch, actor, now) : set_written(*words, epoch, false, actor, now);
  }
  for (unsigned i = 0; i < count; ++i) {
    // an atomic's own reading is no race with another atomic, and the store finds all others
    if (atomic && !shared.is_set(words[i])) tell_unset(place, at + i * step);
    if (operation == Operation::kLoad) read_word(words[i], place, at + i * step, actor);
    if (operation != Operation::kLoad) write_word(words[i], place, at + i * step, step, atomic, actor);
  }
}

}  // namespace gemmlab::emulation
