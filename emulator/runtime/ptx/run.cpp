// Interprets inline PTX, instruction by instruction, for the thread that runs.

#include "emulator/runtime/run.h"

#include <cmath>
#include <cstring>
#include <deque>

#include "emulator/include/gemmlab_cuda_api.h"
#include "emulator/include/gemmlab_ptx.h"
#include "emulator/runtime/checks/check.h"
#include "emulator/runtime/ptx/program.h"
#include "emulator/runtime/shared_memory.h"

namespace gemmlab::emulation {
namespace ptx {
namespace {

constexpr std::uint32_t kFullFloat = 0x7f800000;

double of_eight(std::uint64_t bits, int mantissa, int bias, bool e4m3) {
  const int exponent = static_cast<int>(bits >> mantissa & (e4m3 ? 15 : 31));
  const int rest = static_cast<int>(bits & ((1U << mantissa) - 1));
  const double sign = (bits & 0x80) != 0 ? -1 : 1;
  if (e4m3 && (bits & 0x7f) == 0x7f) return NAN;
  if (!e4m3 && exponent == 31) return rest != 0 ? NAN : sign * INFINITY;
  if (exponent == 0) return sign * std::ldexp(rest, 1 - bias - mantissa);
  return sign * std::ldexp((1 << mantissa) + rest, exponent - bias - mantissa);
}

/// To nearest, ties to even, with `mantissa` bits; beyond `largest`: infinity, or the largest where it saturates.
std::uint64_t to_small(double value, int mantissa, int bias, int bits, double largest, bool infinite) {
  const std::uint64_t sign = std::signbit(value) ? std::uint64_t{1} << (bits - 1) : 0;
  const std::uint64_t all = (std::uint64_t{1} << (bits - 1)) - 1;
  const std::uint64_t inf = all & ~((std::uint64_t{1} << mantissa) - 1);
  if (std::isnan(value)) return infinite && bits == 8 ? sign | (all & ~std::uint64_t{0}) : all;
  const double size = std::fabs(value);
  int exponent = 0;
  std::frexp(size, &exponent);
  const int least = 1 - bias;
  const int unit = std::max(exponent - 1, least) - mantissa;
  const double rounded = std::nearbyint(std::ldexp(size, -unit));
  const double result = std::ldexp(rounded, unit);
  if (result > largest) return sign | (infinite ? inf : all);
  if (result == 0) return sign;
  std::frexp(result, &exponent);
  if (exponent - 1 < least) return sign | static_cast<std::uint64_t>(rounded);
  const int stored = exponent - 1 + bias;
  const auto whole = static_cast<std::uint64_t>(std::ldexp(result, mantissa - (exponent - 1)));
  return sign | static_cast<std::uint64_t>(stored) << mantissa |
         (whole & ((std::uint64_t{1} << mantissa) - 1));
}

struct Special {
  const char* name;
  std::uint64_t (*value)();
};
std::uint64_t lane() {
  return static_cast<std::uint64_t>(current->lane());
}
const Special kSpecials[] = {
    {"%tid.x", [] { return std::uint64_t{current->index.x}; }},
    {"%tid.y", [] { return std::uint64_t{current->index.y}; }},
    {"%tid.z", [] { return std::uint64_t{current->index.z}; }},
    {"%ntid.x", [] { return std::uint64_t{run().launch_now()->block.x}; }},
    {"%ntid.y", [] { return std::uint64_t{run().launch_now()->block.y}; }},
    {"%ntid.z", [] { return std::uint64_t{run().launch_now()->block.z}; }},
    {"%ctaid.x", [] { return std::uint64_t{run().block_now().x}; }},
    {"%ctaid.y", [] { return std::uint64_t{run().block_now().y}; }},
    {"%ctaid.z", [] { return std::uint64_t{run().block_now().z}; }},
    {"%nctaid.x", [] { return std::uint64_t{run().launch_now()->grid.x}; }},
    {"%nctaid.y", [] { return std::uint64_t{run().launch_now()->grid.y}; }},
    {"%nctaid.z", [] { return std::uint64_t{run().launch_now()->grid.z}; }},
    {"%cluster_ctarank", [] { return std::uint64_t{run().rank_in_cluster()}; }},
    {"%cluster_nctarank", [] { return std::uint64_t{run().launch_now()->blocks_of_cluster()}; }},
    {"%cluster_ctaid.x", [] { return std::uint64_t{run().block_now().x % run().launch_now()->cluster.x}; }},
    {"%cluster_nctaid.x", [] { return std::uint64_t{run().launch_now()->cluster.x}; }},
    {"%clusterid.x", [] { return std::uint64_t{run().block_now().x / run().launch_now()->cluster.x}; }},
    {"%nclusterid.x",
     [] { return std::uint64_t{run().launch_now()->grid.x / run().launch_now()->cluster.x}; }},
    {"%cluster_ctaid.y", [] { return std::uint64_t{run().block_now().y % run().launch_now()->cluster.y}; }},
    {"%cluster_nctaid.y", [] { return std::uint64_t{run().launch_now()->cluster.y}; }},
    {"%clusterid.y", [] { return std::uint64_t{run().block_now().y / run().launch_now()->cluster.y}; }},
    {"%nclusterid.y",
     [] { return std::uint64_t{run().launch_now()->grid.y / run().launch_now()->cluster.y}; }},
    {"%cluster_ctaid.z", [] { return std::uint64_t{run().block_now().z % run().launch_now()->cluster.z}; }},
    {"%cluster_nctaid.z", [] { return std::uint64_t{run().launch_now()->cluster.z}; }},
    {"%clusterid.z", [] { return std::uint64_t{run().block_now().z / run().launch_now()->cluster.z}; }},
    {"%nclusterid.z",
     [] { return std::uint64_t{run().launch_now()->grid.z / run().launch_now()->cluster.z}; }},
    {"%laneid", lane},
    {"%warpid",
     [] {
       return static_cast<std::uint64_t>(current->warp() %
                                         ((run().threads_of_block() + kLanes - 1) / kLanes));
     }},
    {"%nwarpid",
     [] {
       const dim3& block = run().launch_now()->block;
       return (std::uint64_t{block.x} * block.y * block.z + kLanes - 1) / kLanes;
     }},
    {"%smid", [] { return std::uint64_t{0}; }},
    {"%nsmid", [] { return std::uint64_t{132}; }},
    {"%gridid", [] { return std::uint64_t{0}; }},
    {"%clock", [] { return static_cast<std::uint64_t>(clock64()) & 0xffffffffu; }},
    {"%clock_hi", [] { return static_cast<std::uint64_t>(clock64()) >> 32; }},
    {"%clock64", [] { return static_cast<std::uint64_t>(clock64()); }},
    {"%globaltimer", [] { return static_cast<std::uint64_t>(clock64()); }},
    {"%lanemask_eq", [] { return std::uint64_t{1} << lane(); }},
    {"%lanemask_lt", [] { return (std::uint64_t{1} << lane()) - 1; }},
    {"%lanemask_le", [] { return (std::uint64_t{2} << lane()) - 1; }},
    {"%lanemask_gt", [] { return ~((std::uint64_t{2} << lane()) - 1) & 0xffffffffu; }},
    {"%lanemask_ge", [] { return ~((std::uint64_t{1} << lane()) - 1) & 0xffffffffu; }},
    {"%dynamic_smem_size", [] { return run().launch_now()->shared_bytes; }},
    {"WARP_SZ", [] { return std::uint64_t{kLanes}; }},
};
constexpr int kSpecialCount = static_cast<int>(sizeof kSpecials / sizeof kSpecials[0]);

}  // namespace

int special_register(const std::string& name) {
  for (int i = 0; i < kSpecialCount; ++i) {
    if (name == kSpecials[i].name) return i;
  }
  return -1;
}
std::uint64_t special_value(int which) {
  return kSpecials[which].value();
}

std::uint64_t mask_of(int bits) {
  return bits >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
}

std::uint64_t cut(std::uint64_t bits, const Type& type) {
  const int width = type.bits * type.count;
  if (width >= 64) return bits;
  bits &= mask_of(width);
  if (type.kind == 's' && (bits >> (width - 1) & 1) != 0) bits |= ~mask_of(width);
  return bits;
}

double as_number(std::uint64_t bits, const Type& type) {
  if (type.kind == 'f' && type.bits == 64) {
    double value;
    std::memcpy(&value, &bits, sizeof value);
    return value;
  }
  std::uint32_t word = static_cast<std::uint32_t>(bits);
  if (type.kind == 'g') word <<= 16;
  if (type.kind == 't') word &= ~std::uint32_t{0x1fff};
  if (type.kind == '4') return of_eight(bits, 3, 7, true);
  if (type.kind == '5') return of_eight(bits, 2, 15, false);
  if (type.kind == 'f' && type.bits == 16) {
    const double sign = (word & 0x8000) != 0 ? -1 : 1;
    const int exponent = static_cast<int>(word >> 10 & 31);
    const int rest = static_cast<int>(word & 1023);
    if (exponent == 31) return rest != 0 ? NAN : sign * INFINITY;
    return sign * (exponent == 0 ? std::ldexp(rest, -24) : std::ldexp(1024 + rest, exponent - 25));
  }
  float value;
  std::memcpy(&value, &word, sizeof value);
  return value;
}

std::uint64_t as_bits(double value, const Type& type) {
  if (type.kind == 'f' && type.bits == 64) {
    std::uint64_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    return bits;
  }
  if (type.kind == 'f' && type.bits == 16) return to_small(value, 10, 15, 16, 65504, true);
  if (type.kind == 'g') return to_small(value, 7, 127, 16, 3.3895313892515355e38, true);
  if (type.kind == '4') return to_small(value, 3, 7, 8, 448, false);
  if (type.kind == '5') return to_small(value, 2, 15, 8, 57344, true);
  const auto narrow = static_cast<float>(value);
  std::uint32_t word;
  std::memcpy(&word, &narrow, sizeof word);
  if (type.kind == 't' && (word & kFullFloat) != kFullFloat) word = (word + 0x1000) & ~std::uint32_t{0x1fff};
  return word;
}

std::uint64_t Machine::get(const Operand& operand) const {
  switch (operand.kind) {
    case Operand::kRegister:
      return registers[operand.index];
    case Operand::kNumber:
      return operand.bits;
    case Operand::kSpecial:
      return special_value(operand.index);
    default:
      return 0;
  }
}
std::uint64_t Machine::get(const Operand& operand, const Type& type) const {
  if (operand.floating) {
    double value;
    std::memcpy(&value, &operand.bits, sizeof value);
    return as_bits(value, type);
  }
  return cut(get(operand), type);
}
void Machine::set(const Operand& operand, std::uint64_t bits) {
  if (operand.kind == Operand::kRegister) registers[operand.index] = bits;
}
double Machine::number(const Operand& operand, const Type& type) const {
  return as_number(get(operand, type), type);
}
bool Machine::truth(const Operand& operand) const {
  return ((get(operand) & 1) != 0) != operand.negated;
}

std::uint32_t place_now() {
  return current->place;
}

void refuse(const std::string& what) {
  Finding finding;
  finding.kind = "not-emulated";
  finding.place = current->place;
  finding.text = "At " + place_text(current->place) +
                 " stands inline PTX that cannot be run without a GPU: " + what + ".";
  run().end_kernel(std::move(finding), cudaErrorNotSupported);
}

void* address_of(const Machine& machine, const Operand& operand, bool shared) {
  const Operand& base = operand.kind == Operand::kMemory ? operand.parts[0] : operand;
  const std::uint64_t more = operand.kind == Operand::kMemory ? operand.bits : 0;
  const std::uint64_t at = machine.get(base) + more;
  if (!shared) return reinterpret_cast<void*>(at);
  return shared_memory().from_window(static_cast<std::uint32_t>(at), run().rank_in_cluster());
}

namespace {

const Program& program_of(PtxPlace& place, int operands) {
  if (place.program == nullptr) {
    static std::deque<Program> all;
    all.push_back(read_program(place.text, operands));
    place.program = &all.back();
  }
  return *static_cast<const Program*>(place.program);
}

}  // namespace
}  // namespace ptx

void run_ptx(PtxPlace& place, std::uint64_t* operands, const unsigned char* widths, int count) {
  if (current == nullptr) return;
  const ptx::Program& program = ptx::program_of(place, count);
  settle_rival(*current);
  current->place = place_of(__builtin_return_address(0));
  if (!program.fault.empty()) ptx::refuse(program.fault);
  const std::size_t most = static_cast<std::size_t>(program.registers);
  auto* const registers = static_cast<std::uint64_t*>(__builtin_alloca(sizeof(std::uint64_t) * (most + 1)));
  for (int i = 0; i < count; ++i) registers[i] = operands[i] & ptx::mask_of(8 * widths[i]);
  for (std::size_t i = static_cast<std::size_t>(count); i < most; ++i) registers[i] = 0;
  ptx::Machine machine{registers};
  while (machine.next < program.instructions.size() && !machine.done) {
    const ptx::Instruction& instruction = program.instructions[machine.next++];
    if (instruction.predicate >= 0 && ((registers[instruction.predicate] & 1) != 0) == instruction.negated)
      continue;
    instruction.run(machine, instruction);
  }
  std::memcpy(operands, registers, sizeof(std::uint64_t) * static_cast<std::size_t>(count));
}

}  // namespace gemmlab::emulation
