// Inline PTX that reads and writes memory.

#include <algorithm>
#include <cstring>

#include "emulator/include/gemmlab_cuda_device.h"
#include "emulator/runtime/calls/device_memory.h"
#include "emulator/runtime/checks/check.h"
#include "emulator/runtime/ptx/program.h"
#include "emulator/runtime/run.h"
#include "emulator/runtime/shared_memory.h"

namespace gemmlab::emulation::ptx {
namespace {

using Bits = std::uint64_t;

bool is_alone(const Instruction& instruction) {
  return instruction.has("volatile") || instruction.has("relaxed") || instruction.has("acquire") ||
         instruction.has("release");
}

void load(Machine& machine, const Instruction& instruction) {
  const Type type = instruction.type();
  const auto bytes = static_cast<unsigned>(type.bits / 8);
  const unsigned all = bytes * static_cast<unsigned>(instruction.vector);
  const void* from = address_of(machine, instruction.operands[1], instruction.shared);
  access_here(from, all, Operation::kLoad, is_alone(instruction));
  const Operand& to = instruction.operands[0];
  for (int i = 0; i < instruction.vector; ++i) {
    Bits bits = 0;
    std::memcpy(&bits, static_cast<const char*>(from) + static_cast<unsigned>(i) * bytes, bytes);
    machine.set(to.kind == Operand::kGroup ? to.parts[static_cast<std::size_t>(i)] : to, cut(bits, type));
  }
}

void store(Machine& machine, const Instruction& instruction) {
  const Type type = instruction.type();
  const auto bytes = static_cast<unsigned>(type.bits / 8);
  void* to = address_of(machine, instruction.operands[0], instruction.shared);
  access_here(to, bytes * static_cast<unsigned>(instruction.vector), Operation::kStore,
              is_alone(instruction));
  const Operand& from = instruction.operands[1];
  for (int i = 0; i < instruction.vector; ++i) {
    const Bits bits =
        machine.get(from.kind == Operand::kGroup ? from.parts[static_cast<std::size_t>(i)] : from, type);
    std::memcpy(static_cast<char*>(to) + static_cast<unsigned>(i) * bytes, &bits, bytes);
  }
}

Bits changed(const Instruction& instruction, const Type& type, Bits before, Bits value, Bits last) {
  const auto is = [&](const char* word) { return instruction.has(word); };
  if (is("exch")) return value;
  if (is("cas")) return before == value ? last : before;
  if (type.kind == 'f' || type.kind == 'g') {
    const Type one{type.kind, type.bits, 1};
    Bits result = 0;
    for (int part = 0; part < type.count; ++part) {
      const int shift = part * type.bits;
      const double x = as_number(before >> shift & mask_of(type.bits), one);
      const double y = as_number(value >> shift & mask_of(type.bits), one);
      const double sum =
          type.bits == 32 ? static_cast<double>(static_cast<float>(x) + static_cast<float>(y)) : x + y;
      result |= as_bits(is("min") ? std::min(x, y) : is("max") ? std::max(x, y) : sum, one) << shift;
    }
    return result;
  }
  const bool less = type.kind == 's' ? static_cast<std::int64_t>(value) < static_cast<std::int64_t>(before)
                                     : value < before;
  if (is("add")) return before + value;
  if (is("min")) return less ? value : before;
  if (is("max")) return less ? before : value;
  if (is("and")) return before & value;
  if (is("or")) return before | value;
  if (is("xor")) return before ^ value;
  if (is("inc")) return before >= value ? 0 : before + 1;
  return before == 0 || before > value ? value : before - 1;
}

/// atom and red: the same, but that red hands nothing back.
void atomic(Machine& machine, const Instruction& instruction) {
  const std::size_t first = instruction.name == "atom" ? 1 : 0;
  const Type type = instruction.type();
  const auto bytes = static_cast<unsigned>(type.bits * type.count / 8);
  auto* const at = static_cast<char*>(address_of(machine, instruction.operands[first], instruction.shared));
  const Operand& value = instruction.operands[first + 1];
  const Bits last = instruction.has("cas") ? machine.get(instruction.operands[first + 2], type) : 0;
  for (int i = 0; i < instruction.vector; ++i) {
    char* const to = at + static_cast<unsigned>(i) * bytes;
    access_here(to, bytes, Operation::kAtomic);
    Bits before = 0;
    std::memcpy(&before, to, bytes);
    before = cut(before, type);
    const bool group = value.kind == Operand::kGroup;
    const Bits with = machine.get(group ? value.parts[static_cast<std::size_t>(i)] : value, type);
    const Bits after = changed(instruction, type, before, with, last);
    std::memcpy(to, &after, bytes);
    if (first == 0) continue;
    const Operand& result = instruction.operands[0];
    machine.set(result.kind == Operand::kGroup ? result.parts[static_cast<std::size_t>(i)] : result, before);
  }
}

/// Generic addresses are pointers, those of shared memory 32 bits of their own; of all other spaces both are one.
void convert_address(Machine& machine, const Instruction& instruction) {
  const Bits from = machine.get(instruction.operands[1]);
  Bits to = from;
  if (instruction.shared && instruction.has("to")) {
    to = shared_memory().to_window(reinterpret_cast<const void*>(from));
  } else if (instruction.shared) {
    to = reinterpret_cast<Bits>(address_of(machine, instruction.operands[1], true));
  }
  machine.set(instruction.operands[0], to);
}

void is_space(Machine& machine, const Instruction& instruction) {
  const auto* address = reinterpret_cast<const void*>(machine.get(instruction.operands[1]));
  const bool shared = shared_memory().holds(address);
  const bool global = device_memory().holds(address);
  const bool is = instruction.shared ? shared : instruction.has("global") ? global : !shared && !global;
  machine.set(instruction.operands[0], is ? 1 : 0);
}

void copy_async(Machine& machine, const Instruction& instruction) {
  void* to = address_of(machine, instruction.operands[0], true);
  const void* from = address_of(machine, instruction.operands[1], false);
  const Bits bytes = machine.get(instruction.operands[2]);
  Bits source = bytes;
  if (instruction.operands.size() > 3 &&
      !(instruction.operands.size() == 4 && instruction.has("L2::cache_hint")))
    source = machine.get(instruction.operands[3]) & 0xffffffffu;
  const bool whole = instruction.has("cg") ? bytes == 16 : bytes == 4 || bytes == 8 || bytes == 16;
  if (!whole || source > bytes)
    refuse(instruction.text + " of " + std::to_string(bytes) + " bytes from " + std::to_string(source));
  async_copy_here(to, from, bytes, source);
}
void commit(Machine&, const Instruction&) {
  async_commit();
}
void wait(Machine& machine, const Instruction& instruction) {
  async_wait(instruction.operands.empty() ? -1 : static_cast<int>(machine.get(instruction.operands[0])));
}

void nothing(Machine&, const Instruction&) {}
void policy(Machine& machine, const Instruction& instruction) {
  machine.set(instruction.operands[0], 0);
}

}  // namespace

const Entry kMemoryHandlers[] = {{"ld", load},
                                 {"ldu", load},
                                 {"st", store},
                                 {"atom", atomic},
                                 {"red", atomic},
                                 {"cvta", convert_address},
                                 {"isspacep", is_space},
                                 {"prefetch", nothing},
                                 {"prefetchu", nothing},
                                 {"discard", nothing},
                                 {"applypriority", nothing},
                                 {"createpolicy.fractional", policy},
                                 {"cp.async", copy_async},
                                 {"cp.async.commit_group", commit},
                                 {"cp.async.wait_group", wait},
                                 {"cp.async.wait_all", wait},
                                 {nullptr, nullptr}};

}  // namespace gemmlab::emulation::ptx
