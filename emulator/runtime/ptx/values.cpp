// Inline PTX that computes in registers, and where it goes next.

#include <algorithm>
#include <cfenv>
#include <cmath>

#include "emulator/include/gemmlab_cuda_api.h"
#include "emulator/include/gemmlab_cuda_device.h"
#include "emulator/runtime/ptx/program.h"
#include "emulator/runtime/run.h"

namespace gemmlab::emulation::ptx {
namespace {

using Bits = std::uint64_t;

bool is_float(const Type& type) {
  return type.kind == 'f' || type.kind == 'g' || type.kind == 't';
}

/// Rounds as an instruction says while it lives.
class Rounding {
 public:
  explicit Rounding(char how) : before_(std::fegetround()) {
    std::fesetround(how == 'z'   ? FE_TOWARDZERO
                    : how == 'm' ? FE_DOWNWARD
                    : how == 'p' ? FE_UPWARD
                                 : FE_TONEAREST);
  }
  ~Rounding() { std::fesetround(before_); }

 private:
  int before_;
};

double flushed(double value) {
  return std::fabs(value) < 0x1p-126 ? std::copysign(0.0, value) : value;
}

/// A result in the instruction's type: what it came to in double is rounded once, for floats by their own arithmetic.
template <typename Of>
Bits each_float(const Machine& machine, const Instruction& instruction, const Type& type, std::size_t inputs,
                const Of& of) {
  Bits result = 0;
  for (int part = 0; part < type.count; ++part) {
    const Type one{type.kind, type.bits, 1};
    double x[3] = {};
    for (std::size_t i = 0; i < inputs; ++i) {
      const Bits all = machine.get(instruction.operands[1 + i], type);
      x[i] = as_number(all >> (part * type.bits) & mask_of(type.bits), one);
      if (instruction.flush && type.bits == 32) x[i] = flushed(x[i]);
    }
    double value = of(x);
    if (instruction.flush && type.bits == 32) value = flushed(value);
    if (instruction.saturate) value = std::isnan(value) ? 0 : std::clamp(value, 0.0, 1.0);
    if (instruction.has("relu")) value = value > 0 ? value : 0;
    result |= as_bits(value, one) << (part * type.bits);
  }
  return result;
}

template <typename Of>
void unary_float(Machine& machine, const Instruction& instruction, const Of& of) {
  const Type type = instruction.type();
  machine.set(instruction.operands[0], each_float(machine, instruction, type, 1, [&](const double* x) {
                return type.bits == 64 ? of(x[0]) : static_cast<double>(static_cast<float>(of(x[0])));
              }));
}

/// a + b, a·b and a·b + c with the rounding asked for.
enum class Sum { kAdd, kSub, kMul, kFma };
Bits summed(const Machine& machine, const Instruction& instruction, Sum sum) {
  const Type type = instruction.type();
  const Rounding rounding(instruction.rounding);
  return each_float(machine, instruction, type, sum == Sum::kFma ? 3 : 2, [&](const double* x) -> double {
    if (type.bits == 64) {
      volatile double a = x[0], b = x[1], c = x[2];
      return sum == Sum::kAdd   ? a + b
             : sum == Sum::kSub ? a - b
             : sum == Sum::kMul ? a * b
                                : std::fma(a, b, c);
    }
    if (type.bits == 32) {
      volatile float a = static_cast<float>(x[0]), b = static_cast<float>(x[1]), c = static_cast<float>(x[2]);
      return sum == Sum::kAdd   ? a + b
             : sum == Sum::kSub ? a - b
             : sum == Sum::kMul ? a * b
                                : std::fmaf(a, b, c);
    }
    // 16 bits: exact in double but for a sum of far exponents, whose rounding it does not change
    return sum == Sum::kAdd   ? x[0] + x[1]
           : sum == Sum::kSub ? x[0] - x[1]
           : sum == Sum::kMul ? x[0] * x[1]
                              : x[0] * x[1] + x[2];
  });
}

Bits product_high(Bits x, Bits y, const Type& type) {
  if (type.bits < 64) {
    const Bits all = type.kind == 's'
                         ? static_cast<Bits>(static_cast<std::int64_t>(x) * static_cast<std::int64_t>(y))
                         : x * y;
    return all >> type.bits;
  }
  if (type.kind == 's')
    return static_cast<Bits>(
        static_cast<__int128>(static_cast<std::int64_t>(x)) * static_cast<std::int64_t>(y) >> 64);
  return static_cast<Bits>(static_cast<unsigned __int128>(x) * y >> 64);
}

Bits saturated_sum(Bits sum, const Instruction& instruction) {
  if (!instruction.saturate) return sum;
  const auto value = static_cast<std::int64_t>(sum);
  return static_cast<Bits>(std::clamp<std::int64_t>(value, INT32_MIN, INT32_MAX));
}

Bits product(const Machine& machine, const Instruction& instruction, const Type& type) {
  const Bits x = machine.get(instruction.operands[1], type);
  const Bits y = machine.get(instruction.operands[2], type);
  return instruction.high ? product_high(x, y, type) : x * y;  // wide: both are extended already
}

Type widened(const Instruction& instruction, Type type) {
  if (instruction.wide) type.bits *= 2;
  return type;
}

void add(Machine& machine, const Instruction& instruction) {
  const Type type = instruction.type();
  if (is_float(type)) return machine.set(instruction.operands[0], summed(machine, instruction, Sum::kAdd));
  const Bits sum = machine.get(instruction.operands[1], type) + machine.get(instruction.operands[2], type);
  machine.set(instruction.operands[0], cut(saturated_sum(sum, instruction), type));
}
void sub(Machine& machine, const Instruction& instruction) {
  const Type type = instruction.type();
  if (is_float(type)) return machine.set(instruction.operands[0], summed(machine, instruction, Sum::kSub));
  const Bits sum = machine.get(instruction.operands[1], type) - machine.get(instruction.operands[2], type);
  machine.set(instruction.operands[0], cut(saturated_sum(sum, instruction), type));
}
void mul(Machine& machine, const Instruction& instruction) {
  const Type type = instruction.type();
  if (is_float(type)) return machine.set(instruction.operands[0], summed(machine, instruction, Sum::kMul));
  machine.set(instruction.operands[0], cut(product(machine, instruction, type), widened(instruction, type)));
}
void mad(Machine& machine, const Instruction& instruction) {
  const Type type = instruction.type();
  if (is_float(type)) return machine.set(instruction.operands[0], summed(machine, instruction, Sum::kFma));
  const Type wide = widened(instruction, type);
  const Bits sum = product(machine, instruction, type) + machine.get(instruction.operands[3], wide);
  machine.set(instruction.operands[0], cut(saturated_sum(sum, instruction), wide));
}
void mul24(Machine& machine, const Instruction& instruction) {
  const Type type{instruction.type().kind, 24, 1};
  Bits value = machine.get(instruction.operands[1], type) * machine.get(instruction.operands[2], type);
  if (instruction.name == "mad24") value += machine.get(instruction.operands[3]);
  machine.set(instruction.operands[0], cut(value, instruction.type()));
}
void div(Machine& machine, const Instruction& instruction) {
  const Type type = instruction.type();
  if (is_float(type)) {
    const Rounding rounding(instruction.rounding);
    return machine.set(instruction.operands[0],
                       each_float(machine, instruction, type, 2, [&](const double* x) -> double {
                         if (type.bits == 64) return x[0] / x[1];
                         volatile float a = static_cast<float>(x[0]), b = static_cast<float>(x[1]);
                         return a / b;
                       }));
  }
  const Bits x = machine.get(instruction.operands[1], type);
  const Bits y = machine.get(instruction.operands[2], type);
  Bits result = mask_of(type.bits);  // of a division by zero
  if (y != 0 && type.kind == 's') {
    result =
        y == ~Bits{0} ? -x : static_cast<Bits>(static_cast<std::int64_t>(x) / static_cast<std::int64_t>(y));
  } else if (y != 0) {
    result = x / y;
  }
  machine.set(instruction.operands[0], cut(result, type));
}
void rem(Machine& machine, const Instruction& instruction) {
  const Type type = instruction.type();
  const Bits x = machine.get(instruction.operands[1], type);
  const Bits y = machine.get(instruction.operands[2], type);
  Bits result = x;
  if (y == ~Bits{0} && type.kind == 's') {
    result = 0;
  } else if (y != 0 && type.kind == 's') {
    result = static_cast<Bits>(static_cast<std::int64_t>(x) % static_cast<std::int64_t>(y));
  } else if (y != 0) {
    result = x % y;
  }
  machine.set(instruction.operands[0], cut(result, type));
}

void absolute(Machine& machine, const Instruction& instruction) {
  const Type type = instruction.type();
  if (is_float(type))
    return machine.set(instruction.operands[0], each_float(machine, instruction, type, 1,
                                                           [](const double* x) { return std::fabs(x[0]); }));
  const auto value = static_cast<std::int64_t>(machine.get(instruction.operands[1], type));
  machine.set(instruction.operands[0], cut(static_cast<Bits>(value < 0 ? -value : value), type));
}
void negate(Machine& machine, const Instruction& instruction) {
  const Type type = instruction.type();
  if (is_float(type))
    return machine.set(instruction.operands[0],
                       each_float(machine, instruction, type, 1, [](const double* x) { return -x[0]; }));
  machine.set(instruction.operands[0], cut(-machine.get(instruction.operands[1], type), type));
}
template <bool kLess>
void extreme(Machine& machine, const Instruction& instruction) {
  const Type type = instruction.type();
  if (is_float(type)) {
    const bool keep = instruction.has("NaN");
    return machine.set(instruction.operands[0],
                       each_float(machine, instruction, type, 2, [&](const double* x) -> double {
                         if (keep && (std::isnan(x[0]) || std::isnan(x[1]))) return NAN;
                         return kLess ? std::fmin(x[0], x[1]) : std::fmax(x[0], x[1]);
                       }));
  }
  const Bits x = machine.get(instruction.operands[1], type);
  const Bits y = machine.get(instruction.operands[2], type);
  const bool less = type.kind == 's' ? static_cast<std::int64_t>(x) < static_cast<std::int64_t>(y) : x < y;
  machine.set(instruction.operands[0], less == kLess ? x : y);
}
void sad(Machine& machine, const Instruction& instruction) {
  const Type type = instruction.type();
  const auto x = static_cast<std::int64_t>(machine.get(instruction.operands[1], type));
  const auto y = static_cast<std::int64_t>(machine.get(instruction.operands[2], type));
  const Bits difference = static_cast<Bits>(x < y ? y - x : x - y);
  machine.set(instruction.operands[0], cut(machine.get(instruction.operands[3], type) + difference, type));
}

template <double (*OF)(double)>
void function(Machine& machine, const Instruction& instruction) {
  const Rounding rounding(instruction.rounding);
  unary_float(machine, instruction, OF);
}
double reciprocal(double x) {
  return 1 / x;
}
double reciprocal_root(double x) {
  return 1 / std::sqrt(x);
}

void logic(Machine& machine, const Instruction& instruction) {
  const Type type = instruction.type();
  const auto of = [&](std::size_t i) {
    const Operand& operand = instruction.operands[i];
    const Bits bits = machine.get(operand, type);
    return operand.negated ? ~bits : bits;
  };
  const Bits x = of(1);
  Bits result = 0;
  if (instruction.name == "not") {
    result = ~x;
  } else if (instruction.name == "cnot") {
    result = x == 0 ? 1 : 0;
  } else {
    const Bits y = of(2);
    result = instruction.name == "and" ? x & y : instruction.name == "or" ? x | y : x ^ y;
  }
  machine.set(instruction.operands[0], cut(result, type));
}
void shift(Machine& machine, const Instruction& instruction) {
  const Type type = instruction.type();
  const Bits x = machine.get(instruction.operands[1], type);
  const Bits by = machine.get(instruction.operands[2]) & 0xffffffffu;
  const auto most = static_cast<Bits>(type.bits);
  Bits result = 0;
  if (instruction.name == "shl") {
    result = by >= most ? 0 : x << by;
  } else if (type.kind == 's') {
    result = static_cast<Bits>(static_cast<std::int64_t>(x) >> std::min(by, most - 1));
  } else {
    result = by >= most ? 0 : x >> by;
  }
  machine.set(instruction.operands[0], cut(result, type));
}
void funnel(Machine& machine, const Instruction& instruction) {
  const Type type;
  const Bits both =
      machine.get(instruction.operands[2], type) << 32 | machine.get(instruction.operands[1], type);
  Bits by = machine.get(instruction.operands[3], type);
  by = instruction.has("wrap") ? by & 31 : std::min<Bits>(by, 32);
  machine.set(instruction.operands[0], (instruction.has("l") ? both << by >> 32 : both >> by) & 0xffffffffu);
}
void count_bits(Machine& machine, const Instruction& instruction) {
  const Type type = instruction.type();
  const Bits x = machine.get(instruction.operands[1], type);
  const int leading = x == 0 ? type.bits : __builtin_clzll(x) - (64 - type.bits);
  machine.set(instruction.operands[0],
              static_cast<Bits>(instruction.name == "popc" ? __builtin_popcountll(x) : leading));
}
void reverse(Machine& machine, const Instruction& instruction) {
  const Type type = instruction.type();
  const Bits x = machine.get(instruction.operands[1], type);
  Bits result = 0;
  for (int i = 0; i < type.bits; ++i) result |= (x >> i & 1) << (type.bits - 1 - i);
  machine.set(instruction.operands[0], result);
}
void field(Machine& machine, const Instruction& instruction) {
  const Type type = instruction.type();
  const Bits x = machine.get(instruction.operands[1], Type{'u', type.bits, 1});
  const int at = static_cast<int>(machine.get(instruction.operands[2]) & 255);
  const int length = std::min(static_cast<int>(machine.get(instruction.operands[3]) & 255), type.bits);
  Bits result = at >= type.bits ? 0 : x >> at & mask_of(length);
  if (type.kind == 's' && length > 0) {
    const int sign = std::min(at + length - 1, type.bits - 1);
    if ((x >> sign & 1) != 0) result |= ~mask_of(std::max(0, sign - at + 1));
  }
  machine.set(instruction.operands[0], cut(result, type));
}
void insert(Machine& machine, const Instruction& instruction) {
  const Type type = instruction.type();
  const Bits x = machine.get(instruction.operands[1], type);
  const Bits y = machine.get(instruction.operands[2], type);
  const int at = static_cast<int>(machine.get(instruction.operands[3]) & 255);
  const int length = static_cast<int>(machine.get(instruction.operands[4]) & 255);
  const Bits mask = at >= type.bits ? 0 : mask_of(std::min(length, type.bits - at)) << at;
  machine.set(instruction.operands[0], cut((y & ~mask) | (at >= type.bits ? 0 : x << at & mask), type));
}
void find_leading(Machine& machine, const Instruction& instruction) {
  const Type type = instruction.type();
  Bits x = machine.get(instruction.operands[1], type);
  if (type.kind == 's' && static_cast<std::int64_t>(x) < 0) x = ~x;
  x &= mask_of(type.bits);
  if (x == 0) return machine.set(instruction.operands[0], 0xffffffffu);
  const int at = 63 - __builtin_clzll(x);
  machine.set(instruction.operands[0],
              static_cast<Bits>(instruction.has("shiftamt") ? type.bits - 1 - at : at));
}
void permute(Machine& machine, const Instruction& instruction) {
  const Type type;
  const Bits both =
      machine.get(instruction.operands[2], type) << 32 | machine.get(instruction.operands[1], type);
  const Bits choice = machine.get(instruction.operands[3], type);
  Bits result = 0;
  for (int i = 0; i < 4; ++i) {
    const Bits which = choice >> (4 * i) & 15;
    Bits byte = both >> (8 * (which & 7)) & 255;
    if ((which & 8) != 0) byte = (byte & 128) != 0 ? 255 : 0;
    result |= byte << (8 * i);
  }
  machine.set(instruction.operands[0], result);
}
void look_up(Machine& machine, const Instruction& instruction) {
  const Type type;
  const Bits a = machine.get(instruction.operands[1], type);
  const Bits b = machine.get(instruction.operands[2], type);
  const Bits c = machine.get(instruction.operands[3], type);
  const Bits table = machine.get(instruction.operands[4]);
  Bits result = 0;
  for (int i = 0; i < 32; ++i) {
    const Bits which = (a >> i & 1) << 2 | (b >> i & 1) << 1 | (c >> i & 1);
    result |= (table >> which & 1) << i;
  }
  machine.set(instruction.operands[0], result);
}
void dot(Machine& machine, const Instruction& instruction) {
  const bool four = instruction.name == "dp4a";
  const Type a{instruction.type(0).kind, four ? 8 : 16, 1};
  const Type b{instruction.type(1).kind, 8, 1};
  const Bits x = machine.get(instruction.operands[1]);
  const Bits y = machine.get(instruction.operands[2]) >> (instruction.high ? 16 : 0);
  Bits sum = machine.get(instruction.operands[3]);
  for (int i = 0; i < (four ? 4 : 2); ++i) sum += cut(x >> (i * a.bits), a) * cut(y >> (8 * i), b);
  machine.set(instruction.operands[0], sum & 0xffffffffu);
}

bool compared(const std::string& how, const Machine& machine, const Operand& x, const Operand& y,
              const Type& type) {
  if (is_float(type)) {
    const double a = machine.number(x, type);
    const double b = machine.number(y, type);
    const bool nan = std::isnan(a) || std::isnan(b);
    if (how == "num") return !nan;
    if (how == "nan") return nan;
    if (nan) return how.size() == 3;  // equ and the like
    const std::string of = how.substr(0, 2);
    return of == "eq"   ? a == b
           : of == "ne" ? a != b
           : of == "lt" ? a < b
           : of == "le" ? a <= b
           : of == "gt" ? a > b
                        : a >= b;
  }
  const Bits a = machine.get(x, type);
  const Bits b = machine.get(y, type);
  const bool less = type.kind == 's' ? static_cast<std::int64_t>(a) < static_cast<std::int64_t>(b) : a < b;
  if (how == "eq") return a == b;
  if (how == "ne") return a != b;
  if (how == "lt" || how == "lo") return less;
  if (how == "le" || how == "ls") return less || a == b;
  if (how == "gt" || how == "hi") return !less && a != b;
  return !less;
}
void set_predicate(Machine& machine, const Instruction& instruction) {
  const std::size_t first = instruction.two_results ? 2 : 1;
  bool one = compared(instruction.words[0], machine, instruction.operands[first],
                      instruction.operands[first + 1], instruction.type());
  bool other = !one;
  if (instruction.operands.size() > first + 2) {
    const bool with = machine.truth(instruction.operands[first + 2]);
    const auto joined = [&](bool value) {
      return instruction.has("and") ? value && with : instruction.has("or") ? value || with : value != with;
    };
    one = joined(one);
    other = joined(other);
  }
  machine.set(instruction.operands[0], one ? 1 : 0);
  if (instruction.two_results) machine.set(instruction.operands[1], other ? 1 : 0);
}
void select(Machine& machine, const Instruction& instruction) {
  const bool first = machine.truth(instruction.operands[3]);
  machine.set(instruction.operands[0], machine.get(instruction.operands[first ? 1 : 2], instruction.type()));
}

void move(Machine& machine, const Instruction& instruction) {
  const Operand& to = instruction.operands[0];
  const Operand& from = instruction.operands[1];
  const Type type = instruction.type();
  if (to.kind == Operand::kGroup) {  // unpacked
    const int each = type.bits * type.count / static_cast<int>(to.parts.size());
    const Bits bits = machine.get(from);
    for (std::size_t i = 0; i < to.parts.size(); ++i)
      machine.set(to.parts[i], bits >> (each * static_cast<int>(i)) & mask_of(each));
  } else if (from.kind == Operand::kGroup) {
    const int each = type.bits * type.count / static_cast<int>(from.parts.size());
    Bits bits = 0;
    for (std::size_t i = 0; i < from.parts.size(); ++i)
      bits |= (machine.get(from.parts[i]) & mask_of(each)) << (each * static_cast<int>(i));
    machine.set(to, bits);
  } else {
    machine.set(to, machine.get(from, type));
  }
}

double to_whole(double value, char rounding) {
  switch (rounding) {
    case 'Z':
    case 'z':
      return std::trunc(value);
    case 'M':
    case 'm':
      return std::floor(value);
    case 'P':
    case 'p':
      return std::ceil(value);
    default:
      return std::nearbyint(value);
  }
}

/// Rounds towards zero: to nearest may have gone beyond.
Bits towards_zero(double value, const Type& to) {
  const Bits bits = as_bits(value, to);
  return std::fabs(as_number(bits, to)) > std::fabs(value) ? bits - 1 : bits;
}

Bits to_integer(double value, const Type& to) {
  if (std::isnan(value)) return 0;
  const double least = to.kind == 's' ? -std::ldexp(1, to.bits - 1) : 0;
  const double most = std::ldexp(1, to.kind == 's' ? to.bits - 1 : to.bits);
  if (value <= least) return cut(to.kind == 's' ? Bits{1} << (to.bits - 1) : 0, to);
  if (value >= most) return mask_of(to.kind == 's' ? to.bits - 1 : to.bits);
  return cut(value < 0 ? static_cast<Bits>(static_cast<std::int64_t>(value)) : static_cast<Bits>(value), to);
}

void convert(Machine& machine, const Instruction& instruction) {
  const Type to = instruction.type(0);
  const Type from = instruction.type(1);
  const bool to_float = is_float(to) || to.kind == '4' || to.kind == '5';
  if (to.count == 2) {  // two values to a pair: the first is the upper one
    const Type one{to.kind, to.bits, 1};
    Bits bits = 0;
    const bool pair = instruction.operands.size() == 2;  // or a pair of another type
    for (int i = 0; i < 2; ++i) {
      const Type its{from.kind, from.bits, 1};
      const double value =
          pair ? as_number(machine.get(instruction.operands[1]) >> (i * from.bits) & mask_of(from.bits), its)
               : machine.number(instruction.operands[2 - static_cast<std::size_t>(i)], from);
      double kept = instruction.has("relu") && !(value > 0) ? 0 : value;
      const double largest = to.kind == '5' ? 57344 : to.kind == '4' ? 448 : INFINITY;
      if (instruction.saturate && std::fabs(kept) > largest) kept = std::copysign(largest, kept);
      bits |= (instruction.rounding == 'z' ? towards_zero(kept, one) : as_bits(kept, one)) << (i * to.bits);
    }
    return machine.set(instruction.operands[0], bits);
  }
  if (from.count == 2) refuse(instruction.text);
  if (!is_float(from) && from.kind != '4' && from.kind != '5') {
    const Bits bits = machine.get(instruction.operands[1], from);
    if (!to_float) {
      if (!instruction.saturate) return machine.set(instruction.operands[0], cut(bits, to));
      const auto value = static_cast<std::int64_t>(bits);
      return machine.set(instruction.operands[0], to_integer(static_cast<double>(value), to));
    }
    const Rounding rounding(instruction.rounding);
    const bool is_signed = from.kind == 's';
    double value =
        is_signed ? static_cast<double>(static_cast<std::int64_t>(bits)) : static_cast<double>(bits);
    if (to.bits == 32)
      value = is_signed ? static_cast<float>(static_cast<std::int64_t>(bits)) : static_cast<float>(bits);
    return machine.set(instruction.operands[0], as_bits(value, to));
  }
  double value = machine.number(instruction.operands[1], from);
  if (instruction.flush && from.bits == 32) value = flushed(value);
  if (!to_float)
    return machine.set(instruction.operands[0], to_integer(to_whole(value, instruction.rounding), to));
  if (instruction.rounding >= 'A' && instruction.rounding <= 'Z')
    value = to_whole(value, instruction.rounding);
  if (instruction.saturate && to.kind != '4' && to.kind != '5')
    value = std::isnan(value) ? 0 : std::clamp(value, 0.0, 1.0);
  if (instruction.has("relu")) value = value > 0 ? value : 0;
  const Rounding rounding(to.bits >= 32 ? instruction.rounding : 'n');
  machine.set(instruction.operands[0],
              instruction.rounding == 'z' && to.bits < 32 ? towards_zero(value, to) : as_bits(value, to));
}

void branch(Machine& machine, const Instruction& instruction) {
  machine.next = static_cast<std::size_t>(instruction.operands[0].index);
  if (--current->left <= 0) leave();  // a loop without memory accesses
}
void end_thread(Machine&, const Instruction&) {
  run().end_thread();
}
void stop(Machine&, const Instruction&) {
  __trap();
}
void sleep(Machine& machine, const Instruction& instruction) {
  __nanosleep(static_cast<unsigned>(machine.get(instruction.operands[0])));
}
void nothing(Machine&, const Instruction&) {}

}  // namespace

const Entry kValueHandlers[] = {{"mov", move},
                                {"add", add},
                                {"sub", sub},
                                {"mul", mul},
                                {"mad", mad},
                                {"fma", mad},
                                {"mul24", mul24},
                                {"mad24", mul24},
                                {"div", div},
                                {"rem", rem},
                                {"abs", absolute},
                                {"neg", negate},
                                {"min", extreme<true>},
                                {"max", extreme<false>},
                                {"sad", sad},
                                {"rcp", function<reciprocal>},
                                {"sqrt", function<std::sqrt>},
                                {"rsqrt", function<reciprocal_root>},
                                {"ex2", function<std::exp2>},
                                {"lg2", function<std::log2>},
                                {"sin", function<std::sin>},
                                {"cos", function<std::cos>},
                                {"tanh", function<std::tanh>},
                                {"and", logic},
                                {"or", logic},
                                {"xor", logic},
                                {"not", logic},
                                {"cnot", logic},
                                {"shl", shift},
                                {"shr", shift},
                                {"shf", funnel},
                                {"popc", count_bits},
                                {"clz", count_bits},
                                {"brev", reverse},
                                {"bfe", field},
                                {"bfi", insert},
                                {"bfind", find_leading},
                                {"prmt", permute},
                                {"lop3", look_up},
                                {"dp4a", dot},
                                {"dp2a", dot},
                                {"setp", set_predicate},
                                {"selp", select},
                                {"cvt", convert},
                                {"bra", branch},
                                {"exit", end_thread},
                                {"trap", stop},
                                {"nanosleep", sleep},
                                {"pmevent", nothing},
                                {nullptr, nullptr}};

}  // namespace gemmlab::emulation::ptx
