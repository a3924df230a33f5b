// Inline PTX by which lanes of a warp exchange values.

#include "emulator/include/gemmlab_cuda_device.h"
#include "emulator/runtime/ptx/program.h"
#include "emulator/runtime/run.h"

namespace gemmlab::emulation::ptx {
namespace {

using Bits = std::uint64_t;

WarpCall call_of(Meeting meeting, unsigned mask, Bits value, int kind = 0) {
  WarpCall call;
  call.meeting = meeting;
  call.mask = mask;
  call.value = value;
  call.kind = kind;
  return call;
}

unsigned mask_at(const Machine& machine, const Instruction& instruction, std::size_t operand) {
  return operand < instruction.operands.size()
             ? static_cast<unsigned>(machine.get(instruction.operands[operand]))
             : kWholeWarp;
}

void shuffle(Machine& machine, const Instruction& instruction) {
  const std::size_t first = instruction.two_results ? 2 : 1;
  const auto by = static_cast<int>(machine.get(instruction.operands[first + 1]) & 31);
  const auto limits = static_cast<unsigned>(machine.get(instruction.operands[first + 2]));
  const int width = 32 - static_cast<int>(limits >> 8 & 31);
  const Shuffle kind = instruction.has("up")     ? Shuffle::kUp
                       : instruction.has("down") ? Shuffle::kDown
                       : instruction.has("bfly") ? Shuffle::kXor
                                                 : Shuffle::kIndex;
  WarpCall call = call_of(Meeting::kShuffle, mask_at(machine, instruction, first + 3),
                          machine.get(instruction.operands[first]) & 0xffffffffu, static_cast<int>(kind));
  call.lane_or_delta = by;
  call.width = width;
  machine.set(instruction.operands[0], run().meet_here(call) & 0xffffffffu);
  if (!instruction.two_results) return;
  const int lane = current->lane();
  const int begin = lane / width * width;
  const int from = kind == Shuffle::kUp     ? lane - by
                   : kind == Shuffle::kDown ? lane + by
                   : kind == Shuffle::kXor  ? lane ^ by
                                            : begin + (by & (width - 1));
  machine.set(instruction.operands[1], from >= begin && from < begin + width ? 1 : 0);
}

void vote(Machine& machine, const Instruction& instruction) {
  const unsigned mask = mask_at(machine, instruction, 2);
  const bool mine = machine.truth(instruction.operands[1]);
  const auto ballot = static_cast<unsigned>(run().meet_here(call_of(Meeting::kBallot, mask, mine ? 1 : 0)));
  const unsigned asked = mask & run().live(current->warp());
  Bits result = ballot;
  if (instruction.has("all")) result = ballot == asked ? 1 : 0;
  if (instruction.has("any")) result = ballot != 0 ? 1 : 0;
  if (instruction.has("uni")) result = ballot == 0 || ballot == asked ? 1 : 0;
  machine.set(instruction.operands[0], result);
}

void match(Machine& machine, const Instruction& instruction) {
  const std::size_t first = instruction.two_results ? 2 : 1;
  const unsigned mask = mask_at(machine, instruction, first + 1);
  const Bits value = machine.get(instruction.operands[first], instruction.type());
  const auto same = static_cast<unsigned>(run().meet_here(call_of(Meeting::kMatch, mask, value)));
  const bool all = same == (mask & run().live(current->warp()));
  const bool any = instruction.name == "match.any.sync";
  machine.set(instruction.operands[0], any ? same : all ? mask : 0);
  if (instruction.two_results) machine.set(instruction.operands[1], all ? 1 : 0);
}

void active(Machine& machine, const Instruction& instruction) {
  machine.set(instruction.operands[0], run().live(current->warp()));
}

void reduce(Machine& machine, const Instruction& instruction) {
  const bool is_signed = instruction.type().kind == 's';
  const auto is = [&](const char* word) { return instruction.has(word); };
  const Reduction kind = is("add")   ? Reduction::kAdd
                         : is("min") ? (is_signed ? Reduction::kSignedMin : Reduction::kMin)
                         : is("max") ? (is_signed ? Reduction::kSignedMax : Reduction::kMax)
                         : is("and") ? Reduction::kAnd
                         : is("or")  ? Reduction::kOr
                                     : Reduction::kXor;
  const Bits value = machine.get(instruction.operands[1]) & 0xffffffffu;
  machine.set(instruction.operands[0],
              run().meet_here(call_of(Meeting::kReduce, mask_at(machine, instruction, 2), value,
                                      static_cast<int>(kind))) &
                  0xffffffffu);
}

void elect(Machine& machine, const Instruction& instruction) {
  const unsigned mask = mask_at(machine, instruction, instruction.two_results ? 2 : 1);
  const auto all = static_cast<unsigned>(run().meet_here(call_of(Meeting::kBallot, mask, 1)));
  const int leader = __builtin_ctz(all);
  machine.set(instruction.operands[0], static_cast<Bits>(leader));
  if (instruction.two_results) machine.set(instruction.operands[1], current->lane() == leader ? 1 : 0);
}

void sync(Machine& machine, const Instruction& instruction) {
  run().meet_here(call_of(Meeting::kSync, mask_at(machine, instruction, 0), 0));
}

}  // namespace

const Entry kWarpHandlers[] = {{"shfl.sync", shuffle},    {"vote.sync", vote},     {"match.any.sync", match},
                               {"match.all.sync", match}, {"activemask", active},  {"redux.sync", reduce},
                               {"elect.sync", elect},     {"bar.warp.sync", sync}, {nullptr, nullptr}};

}  // namespace gemmlab::emulation::ptx
