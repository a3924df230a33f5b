#pragma once

// Inline PTX as it is run: a text taken apart once, then interpreted by each thread.

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace gemmlab::emulation::ptx {

struct Type {
  char kind = 'b';  ///< b, s, u, f (IEEE), g (bfloat16), t (tf32), p (predicate), 4 (e4m3), 5 (e5m2)
  int bits = 32;    ///< of an element
  int count = 1;    ///< 2: a pair in one register
};

struct Operand {
  enum Kind { kRegister, kNumber, kSpecial, kMemory, kGroup, kNothing, kLabel };
  Kind kind = kNothing;
  int index = 0;  ///< of a register, a special one, or an instruction
  bool negated = false;
  bool floating = false;   ///< a number that is written as one: its bits as a double
  std::uint64_t bits = 0;  ///< of a number; what is added to an address
  std::vector<Operand> parts;
};

struct Instruction;
struct Machine;
using Handler = void (*)(Machine&, const Instruction&);

struct Instruction {
  Handler run = nullptr;
  std::string name;                ///< "ld"
  std::string text;                ///< "ld.shared.b32"
  std::vector<std::string> words;  ///< "shared", "b32"
  std::vector<Type> types;         ///< of them, in their order
  std::vector<Operand> operands;
  int predicate = -1;
  bool negated = false;
  bool two_results = false;  ///< p|q
  // what words often mean
  char rounding = 'n';
  bool flush = false, saturate = false, wide = false, high = false, shared = false, remote = false;
  int vector = 1;

  bool has(const char* word) const;
  Type type(std::size_t which = 0) const { return which < types.size() ? types[which] : Type(); }
};

struct Program {
  std::vector<Instruction> instructions;
  int registers = 0;  ///< operands of the statement, then those that the text declares
  std::string fault;  ///< why it cannot be read
};

/// `operands`: how many %0, %1 … there are.
Program read_program(const char* text, int operands);

/// Special registers by name; -1 where there is none of it.
int special_register(const std::string& name);
std::uint64_t special_value(int which);

/// One thread's registers.
struct Machine {
  std::uint64_t* registers;
  std::size_t next = 0;  ///< instruction
  bool done = false;

  std::uint64_t get(const Operand& operand) const;
  std::uint64_t get(const Operand& operand, const Type& type) const;  ///< cut to the type, and sign-extended
  void set(const Operand& operand, std::uint64_t bits);
  double number(const Operand& operand, const Type& type) const;  ///< of a floating-point type
  bool truth(const Operand& operand) const;
};

/// What runs an instruction of this name; nullptr where none does.
Handler handler_of(const std::string& name);

// The parts that handler_of() looks through: name and handler, up to an empty name.
struct Entry {
  const char* name;
  Handler run;
};
extern const Entry kValueHandlers[];
extern const Entry kMemoryHandlers[];
extern const Entry kWarpHandlers[];
extern const Entry kMatrixHandlers[];
extern const Entry kBarrierHandlers[];
extern const Entry kBulkHandlers[];

std::uint64_t mask_of(int bits);
/// The bits as a value of the type, sign-extended where it is signed.
std::uint64_t cut(std::uint64_t bits, const Type& type);
double as_number(std::uint64_t bits, const Type& type);
std::uint64_t as_bits(double value, const Type& type);
/// Ends the kernel: the instruction's form is none that is run.
[[noreturn]] void refuse(const std::string& what);
/// A 32-bit address of shared memory, or a generic one, as a pointer.
void* address_of(const Machine& machine, const Operand& operand, bool shared);
std::uint32_t place_now();

}  // namespace gemmlab::emulation::ptx
