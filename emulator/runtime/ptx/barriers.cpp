// Inline PTX by which threads wait for each other, and what orders memory.

#include <algorithm>

#include "emulator/include/gemmlab_cuda_api.h"
#include "emulator/runtime/checks/check.h"
#include "emulator/runtime/checks/clocks.h"
#include "emulator/runtime/phases.h"
#include "emulator/runtime/ptx/program.h"
#include "emulator/runtime/run.h"
#include "emulator/runtime/shared_memory.h"

namespace gemmlab::emulation::ptx {
namespace {

using Bits = std::uint64_t;

// ---- bar and barrier

void named_barrier(Machine& machine, const Instruction& instruction) {
  const bool reduces = instruction.has("red");
  const bool predicate_result = instruction.has("and") || instruction.has("or");
  const std::size_t first = reduces ? 1 : 0;
  const std::size_t inputs = instruction.operands.size() - first - (reduces ? 1 : 0);
  const auto number = static_cast<unsigned>(machine.get(instruction.operands[first]));
  const bool counted = inputs > 1;
  const auto count = counted
                         ? static_cast<unsigned>(machine.get(instruction.operands[first + 1]))
                         : static_cast<unsigned>((run().threads_of_block() + kLanes - 1) / kLanes * kLanes);
  const int predicate = reduces && machine.truth(instruction.operands.back()) ? 1 : 0;
  if (number > 15 || count % kLanes != 0 || count == 0)
    refuse(instruction.text + " " + std::to_string(number) + ", " + std::to_string(count));
  const bool arrives = instruction.has("arrive");
  const Bits result = !counted && number == 0 && !arrives
                          ? run().at_block_barrier(predicate)
                          : run().at_named(number, count, !arrives, predicate);
  if (!reduces) return;
  const Bits all = result & 1;
  const Bits sum = result >> 1;
  machine.set(instruction.operands[0], !predicate_result        ? sum
                                       : instruction.has("and") ? all
                                                                : static_cast<Bits>(sum != 0 ? 1 : 0));
}

void cluster_barrier(Machine&, const Instruction& instruction) {
  if (instruction.name == "barrier.cluster.wait") run().at_cluster_barrier();
}

void fence(Machine&, const Instruction& instruction) {
  if (instruction.name == "fence.proxy" || instruction.has("mbarrier_init")) {
    proxy_fence(*current);
  } else if (instruction.has("cta")) {
    __threadfence_block();
  } else {
    __threadfence();
  }
}

// ---- mbarrier

char* barrier_at(const Machine& machine, const Instruction& instruction, std::size_t operand) {
  auto* at = static_cast<char*>(address_of(machine, instruction.operands[operand], true));
  if ((reinterpret_cast<std::uintptr_t>(at) & 7) != 0)
    access_here(at, 8, Operation::kAtomic);  // tells of the alignment
  return at;
}

void init(Machine& machine, const Instruction& instruction) {
  char* at = barrier_at(machine, instruction, 0);
  access_here(at, 8, Operation::kStore);
  init_phase_barrier(at, static_cast<std::uint32_t>(machine.get(instruction.operands[1])));
}
void invalidate(Machine& machine, const Instruction& instruction) {
  run().meetings().phases.erase(barrier_at(machine, instruction, 0));
}

/// mbarrier.arrive with its forms: `state, [barrier], count` or `_, [barrier], bytes, count`.
void arrive(Machine& machine, const Instruction& instruction) {
  const std::size_t first = instruction.operands[0].kind == Operand::kMemory ? 0 : 1;
  char* at = barrier_at(machine, instruction, first);
  std::size_t next = first + 1;
  std::int64_t bytes = 0;
  if (instruction.has("expect_tx"))
    bytes = static_cast<std::int64_t>(machine.get(instruction.operands[next++]) & 0xffffffffu);
  std::uint32_t count = 1;
  if (next < instruction.operands.size())
    count = static_cast<std::uint32_t>(machine.get(instruction.operands[next]));
  const Bits phase = arrive_at_phase_barrier(at, count, bytes, instruction.name == "mbarrier.arrive_drop");
  if (first == 1) machine.set(instruction.operands[0], phase);
}
void expect(Machine& machine, const Instruction& instruction) {
  const auto bytes = static_cast<std::int64_t>(machine.get(instruction.operands[1]) & 0xffffffffu);
  expect_bytes(barrier_at(machine, instruction, 0),
               instruction.name == "mbarrier.expect_tx" ? bytes : -bytes);
}

void wait(Machine& machine, const Instruction& instruction) {
  char* at = barrier_at(machine, instruction, 1);
  const Bits which = machine.get(instruction.operands[2]);
  const bool blocks = instruction.name == "mbarrier.try_wait";
  const bool over = instruction.has("parity") ? wait_for_parity(at, static_cast<unsigned>(which & 1), blocks)
                                              : wait_for_phase_barrier(at, which, blocks);
  machine.set(instruction.operands[0], over ? 1 : 0);
}

/// The copies so far arrive once they are over: for the emulator, here.
void arrive_by_copies(Machine& machine, const Instruction& instruction) {
  async_wait(-1);
  char* at = barrier_at(machine, instruction, 0);
  if (!instruction.has("noinc")) expect_arrival(at);
  arrive_at_phase_barrier(at, 1, 0, false);
}

void nothing(Machine&, const Instruction&) {}
/// The grid in front is over: launches run one after another.
void take_registers(Machine& machine, const Instruction& instruction) {
  const Bits count = machine.get(instruction.operands[0]);
  if (count % 8 != 0 || count < 24 || count > 256) refuse(instruction.text + " " + std::to_string(count));
}

}  // namespace

const Entry kBarrierHandlers[] = {{"bar", named_barrier},
                                  {"barrier", named_barrier},
                                  {"barrier.cluster.arrive", cluster_barrier},
                                  {"barrier.cluster.wait", cluster_barrier},
                                  {"membar", fence},
                                  {"fence", fence},
                                  {"fence.proxy", fence},
                                  {"mbarrier.init", init},
                                  {"mbarrier.inval", invalidate},
                                  {"mbarrier.arrive", arrive},
                                  {"mbarrier.arrive_drop", arrive},
                                  {"mbarrier.expect_tx", expect},
                                  {"mbarrier.complete_tx", expect},
                                  {"mbarrier.test_wait", wait},
                                  {"mbarrier.try_wait", wait},
                                  {"cp.async.mbarrier.arrive", arrive_by_copies},
                                  {"griddepcontrol", nothing},
                                  {"setmaxnreg", take_registers},
                                  {nullptr, nullptr}};

}  // namespace gemmlab::emulation::ptx
