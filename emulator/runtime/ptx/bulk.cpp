// Inline PTX of TMA: copies of whole pieces of memory, plain or of a tensor, and the groups that a thread waits for.

#include <algorithm>
#include <cstring>

#include "emulator/include/gemmlab_cuda_api.h"
#include "emulator/runtime/checks/check.h"
#include "emulator/runtime/checks/clocks.h"
#include "emulator/runtime/checks/wording.h"
#include "emulator/runtime/phases.h"
#include "emulator/runtime/ptx/program.h"
#include "emulator/runtime/run.h"
#include "emulator/runtime/shared_memory.h"
#include "emulator/runtime/tensor_map.h"

namespace gemmlab::emulation::ptx {
namespace {

using Bits = std::uint64_t;

constexpr unsigned kPiece = 16;         // bytes
constexpr unsigned kTensorAlign = 128;  // of shared memory, for tensors
constexpr int kLoads = 1, kStores = 2;  // sorts of agents

/// What the issuing thread knows, its own doings included.
Seen known() {
  Seen seen = current->seen;
  if (seen.size() <= current->number) seen.resize(current->number + std::size_t{1});
  seen[current->number] = current->clock++;
  return seen;
}

void check_global_pieces(const void* at, std::size_t bytes, Operation operation) {
  const auto* from = static_cast<const char*>(at);
  run().count_bulk(Space::kGlobal, operation, at, bytes);
  while (bytes > 0) {
    unsigned step = kPiece;
    while (step > bytes || reinterpret_cast<std::uintptr_t>(from) % step != 0) step /= 2;
    access_here(from, step, operation, false, false);  // counted as one above
    from += step;
    bytes -= step;
  }
}

[[noreturn]] void refuse_copy(const char* kind, const std::string& text, int error) {
  Finding finding = finding_at(kind, Operation::kLoad, 0);
  finding.text = "At " + place_text(current->place) + " " + who() + " " + text + ".";
  run().end_kernel(std::move(finding), error);
}

void check_alignment(std::uint32_t at, unsigned alignment) {
  if (at % alignment == 0) return;
  refuse_copy("misaligned",
              "has TMA use shared memory at byte " + std::to_string(at) + ", no multiple of " +
                  std::to_string(alignment),
              cudaErrorMisalignedAddress);
}

/// Where it is told what TMA has brought: behind a fence of who made it.
void check_barrier(const void* barrier) {
  const auto& all = run().meetings().phases;
  const auto found = all.find(barrier);
  if (found == all.end()) return;  // deliver() tells
  const PhaseBarrier& its = found->second;
  const Thread& maker = run().thread(its.owner);
  if (maker.fenced >= its.made || current->fenced_epoch > its.made_epoch ||
      knows(current->fenced_seen, its.owner, its.made) ||
      run().findings().known("missing-fence", current->place, its.place))
    return;
  Finding finding = finding_at("missing-fence", Operation::kLoad, 0);
  finding.other_place = its.place;
  finding.text = "At " + place_text(current->place) + " TMA is given an mbarrier that " +
                 thread_text(maker.index) + " has initialised at " + place_text(its.place) +
                 " with neither fence.mbarrier_init nor fence.proxy.async behind it: TMA may not see it.";
  run().add(std::move(finding));
}

std::uint32_t window_at(const Machine& machine, const Operand& operand) {
  return static_cast<std::uint32_t>(machine.get(operand.parts[0]) + operand.bits);
}

/// Blocks of the cluster that a copy goes to: their ranks.
std::vector<unsigned> destinations(const Machine& machine, const Instruction& instruction, std::size_t mask,
                                   std::uint32_t to) {
  if (!instruction.has("multicast::cluster")) return {run().rank_of_window(to)};
  std::vector<unsigned> ranks;
  const Bits all = machine.get(instruction.operands[mask]);
  for (unsigned rank = 0; rank < run().launch_now()->blocks_of_cluster(); ++rank) {
    if ((all >> rank & 1) != 0) ranks.push_back(rank);
  }
  return ranks;
}

/// `bytes` on their way to shared memory, of every destination at the same place, and told at the same barrier.
void send(const std::vector<unsigned>& ranks, std::uint32_t to, std::uint32_t barrier,
          const std::vector<char>& bytes) {
  Seen seen = known();
  const int agent = run().agent_for(kLoads, current->number, "a copy by TMA");
  const Actor actor = run().begin_agent(agent, seen);
  for (const unsigned rank : ranks) {
    auto* const at = static_cast<char*>(shared_memory().from_window(SharedMemory::within_block(to), rank));
    run().count_bulk(Space::kShared, Operation::kStore, at, bytes.size());
    for (std::size_t i = 0; i < bytes.size(); i += kPiece)
      check_shared_by(actor, at + i, kPiece, Operation::kStore);
  }
  if (seen.size() <= static_cast<std::size_t>(agent)) seen.resize(static_cast<std::size_t>(agent) + 1);
  seen[static_cast<std::size_t>(agent)] = actor.clock;
  for (const unsigned rank : ranks) {
    void* const its = shared_memory().from_window(SharedMemory::within_block(barrier), rank);
    check_barrier(its);
    deliver(its, shared_memory().from_window(SharedMemory::within_block(to), rank), bytes, seen);
  }
}

/// Who reads shared memory for this thread's copies out of it.
Actor reader(Seen& seen) {
  seen = known();
  return run().begin_agent(run().agent_for(kStores, current->number, "a store by TMA"), seen);
}

// ---- plain copies

void copy_bulk(Machine& machine, const Instruction& instruction) {
  const auto& operands = instruction.operands;
  const auto bytes = static_cast<std::size_t>(machine.get(operands[2]) & 0xffffffffu);
  if (bytes % kPiece != 0)
    refuse_copy("misaligned", "has TMA copy " + std::to_string(bytes) + " bytes, no multiple of 16",
                cudaErrorMisalignedAddress);
  const bool out = instruction.words.front() == "global";
  const std::uint32_t window = window_at(machine, operands[out ? 1 : 0]);
  check_alignment(SharedMemory::within_block(window), kPiece);
  if (out) {
    auto* const to = static_cast<char*>(address_of(machine, operands[0], false));
    const auto* from = static_cast<const char*>(shared_memory().from_window(window, run().rank_in_cluster()));
    Seen seen;
    const Actor actor = reader(seen);
    for (std::size_t i = 0; i < bytes; i += kPiece)
      check_shared_by(actor, from + i, kPiece, Operation::kLoad);
    check_global_pieces(to, bytes, Operation::kStore);
    std::memcpy(to, from, bytes);
    return;
  }
  if (!instruction.has("global")) refuse(instruction.text + " from shared memory to shared memory");
  const void* from = address_of(machine, operands[1], false);
  if (reinterpret_cast<std::uintptr_t>(from) % kPiece != 0)
    refuse_copy("misaligned", "has TMA read memory at an address that is no multiple of 16",
                cudaErrorMisalignedAddress);
  check_global_pieces(from, bytes, Operation::kLoad);
  const auto* begin = static_cast<const char*>(from);
  send(destinations(machine, instruction, 4, window), window, window_at(machine, operands[3]),
       {begin, begin + bytes});
}

// ---- tensors

/// The box of a map at its coordinates.
class Box {
 public:
  Box(const Machine& machine, const Operand& operand, const Instruction& instruction) {
    const auto* at = reinterpret_cast<const void*>(machine.get(operand.parts[0]));
    std::memcpy(&map_, at, sizeof map_);
    if (map_.mark != TensorMap::kMark)
      refuse_copy("not-a-tensor-map", "gives TMA a tensor map that cuTensorMapEncodeTiled has not made",
                  cudaErrorIllegalAddress);
    const auto rank = static_cast<std::size_t>(instruction.text[instruction.text.find("tensor.") + 7] - '0');
    const Operand& at_box = operand.parts[1];
    if (rank != map_.rank || at_box.parts.size() != rank)
      refuse_copy("not-a-tensor-map", "asks for a box of another rank than its tensor map has",
                  cudaErrorIllegalAddress);
    for (std::size_t d = 0; d < rank; ++d)
      corner_[d] = static_cast<std::int32_t>(machine.get(at_box.parts[d]));
    for (std::size_t d = 1; d < rank; ++d) rows_ *= map_.box[d];
  }

  std::size_t row_bytes() const { return std::size_t{map_.box[0]} * map_.element_bytes; }
  std::size_t bytes() const { return rows_ * row_bytes(); }
  int swizzle() const { return map_.swizzle; }

  /// Calls act(where in the box, where in memory, bytes) for the part of each row that lies inside.
  template <typename Act>
  void each_row(const Act& act) const {
    const std::int64_t first = std::max<std::int64_t>(0, -std::int64_t{corner_[0]});
    const std::int64_t end = std::min<std::int64_t>(map_.box[0], std::int64_t{map_.lengths[0]} - corner_[0]);
    for (std::size_t row = 0; row < rows_ && first < end; ++row) {
      std::size_t rest = row;
      char* at = map_.address + (corner_[0] + first) * map_.element_bytes;
      bool inside = true;
      for (std::size_t d = 1; d < map_.rank; ++d) {
        const std::int64_t index = corner_[d] + static_cast<std::int64_t>(rest % map_.box[d]);
        rest /= map_.box[d];
        inside = inside && index >= 0 && index < std::int64_t{map_.lengths[d]};
        at += index * static_cast<std::int64_t>(map_.strides[d - 1]);
      }
      if (inside)
        act(row * row_bytes() + static_cast<std::size_t>(first) * map_.element_bytes, at,
            static_cast<std::size_t>(end - first) * map_.element_bytes);
    }
  }

 private:
  TensorMap map_;
  std::int64_t corner_[kMostRank] = {};
  std::size_t rows_ = 1;
};

/// Where byte `at` of a box lies that begins at `window`, from there.
std::size_t place_in_box(std::uint32_t window, std::size_t at, int swizzle) {
  return swizzled(window + static_cast<std::uint32_t>(at), swizzle) - window;
}

void copy_tensor(Machine& machine, const Instruction& instruction) {
  const auto& operands = instruction.operands;
  const bool out = operands[0].parts.size() == 2;
  const std::uint32_t window = window_at(machine, operands[out ? 1 : 0]);
  const std::uint32_t within = SharedMemory::within_block(window);
  check_alignment(within, kTensorAlign);
  const Box box(machine, operands[out ? 0 : 1], instruction);
  if (out) {
    const auto* from = static_cast<const char*>(shared_memory().from_window(window, run().rank_in_cluster()));
    Seen seen;
    const Actor actor = reader(seen);
    box.each_row([&](std::size_t at, char* to, std::size_t bytes) {
      for (std::size_t i = 0; i < bytes; ++i) {
        const char* byte = from + place_in_box(within, at + i, box.swizzle());
        if (i % kPiece == 0 || (at + i) % kPiece == 0)
          check_shared_by(actor, shared_memory().aligned_down(byte, kPiece), kPiece, Operation::kLoad);
      }
      check_global_pieces(to, bytes, Operation::kStore);
      for (std::size_t i = 0; i < bytes; ++i) to[i] = from[place_in_box(within, at + i, box.swizzle())];
    });
    return;
  }
  std::vector<char> bytes(box.bytes(), 0);
  box.each_row([&](std::size_t at, const char* from, std::size_t count) {
    check_global_pieces(from, count, Operation::kLoad);
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t place = place_in_box(within, at + i, box.swizzle());
      if (place < bytes.size()) bytes[place] = from[i];
    }
  });
  send(destinations(machine, instruction, 3, window), window, window_at(machine, operands[2]), bytes);
}

// ---- groups of copies out of shared memory

void commit(Machine&, const Instruction&) {
  const int agent = run().agent_for(kStores, current->number, "a store by TMA");
  current->bulk.push_back({current->bulk_open++, run().agent(agent)->clock});
}

void wait(Machine& machine, const Instruction& instruction) {
  const auto left = static_cast<std::size_t>(machine.get(instruction.operands[0]));
  auto& groups = current->bulk;
  if (groups.size() <= left) return;
  const int agent = run().agent_for(kStores, current->number, "a store by TMA");
  Seen done(static_cast<std::size_t>(agent) + 1);
  done.back() = groups[groups.size() - left - 1].clock;
  acquire(*current, done);
  groups.erase(groups.begin(), groups.end() - static_cast<std::ptrdiff_t>(left));
}

void map_address(Machine& machine, const Instruction& instruction) {
  const auto rank = static_cast<unsigned>(machine.get(instruction.operands[2]));
  const Bits at = machine.get(instruction.operands[1]);
  if (rank >= run().launch_now()->blocks_of_cluster())
    refuse_copy("illegal-address",
                "names block " + std::to_string(rank) + " of a cluster of " +
                    std::to_string(run().launch_now()->blocks_of_cluster()),
                cudaErrorIllegalAddress);
  if (instruction.type().bits == 64) {
    auto* const own = reinterpret_cast<void*>(at);
    const std::uint32_t window = shared_memory().to_window(own);
    return machine.set(instruction.operands[0], reinterpret_cast<Bits>(shared_memory().from_window(
                                                    SharedMemory::within_block(window), rank)));
  }
  machine.set(instruction.operands[0], SharedMemory::of_block(static_cast<std::uint32_t>(at), rank));
}

void nothing(Machine&, const Instruction&) {}

}  // namespace

const Entry kBulkHandlers[] = {{"cp.async.bulk", copy_bulk},
                               {"cp.async.bulk.prefetch", nothing},
                               {"cp.async.bulk.prefetch.tensor", nothing},
                               {"cp.async.bulk.tensor", copy_tensor},
                               {"cp.async.bulk.commit_group", commit},
                               {"cp.async.bulk.wait_group", wait},
                               {"mapa", map_address},
                               {nullptr, nullptr}};

}  // namespace gemmlab::emulation::ptx
