// Inline PTX as the runtime reads it: the one table, texts that cannot be read, and values in registers.

#include <gmock/gmock.h>

#include <cstring>

#include "emulator/include/gemmlab_ptx_table.h"
#include "emulator/runtime/ptx/program.h"

namespace gemmlab::emulation {
namespace {

using ptx::Machine;
using ptx::Program;

std::uint64_t bits_of(float value) {
  std::uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

/// %0 of a text, whose other operands are `inputs`.
std::uint64_t result_of(const char* text, std::vector<std::uint64_t> inputs) {
  EXPECT_TRUE(ptx_is_run(text)) << text;
  const Program program = ptx::read_program(text, 1 + static_cast<int>(inputs.size()));
  EXPECT_EQ(program.fault, "") << text;
  inputs.insert(inputs.begin(), 0);
  inputs.resize(static_cast<std::size_t>(program.registers) + 1);
  Machine machine{inputs.data()};
  while (machine.next < program.instructions.size()) {
    const ptx::Instruction& instruction = program.instructions[machine.next++];
    if (instruction.predicate >= 0 &&
        ((inputs[static_cast<std::size_t>(instruction.predicate)] & 1) != 0) == instruction.negated)
      continue;
    instruction.run(machine, instruction);
  }
  return inputs[0];
}

TEST(Ptx, every_instruction_of_the_table_is_run_by_something) {
  for (const PtxInstruction& each : kPtxInstructions)
    EXPECT_NE(ptx::handler_of(each.name), nullptr) << each.name;
}

TEST(Ptx, what_is_not_in_the_table_is_refused_by_name) {
  const char* const text = "{ .reg .b32 r; mov.b32 r, %1;\n tcgen05.ld.sync %0, [r]; }";
  const PtxRefused refused = ptx_refused(text);
  EXPECT_EQ(std::string(refused.begin, refused.end), "tcgen05.ld.sync");
  EXPECT_TRUE(ptx_is_run("// a comment\n again: @!p bra again; /* exit.what; */ "));
  EXPECT_FALSE(ptx_is_run("add.s33 %0, %1, %2;"));
  static_assert(ptx_is_run("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0}, {%1}, {%2}, {%3};"));
  static_assert(
      !ptx_is_run("mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.xor.popc {%0}, {%1}, {%2}, {%3};"));
}

TEST(Ptx, a_text_that_cannot_be_read_says_why) {
  EXPECT_EQ(ptx::read_program("mov.b32 %0, nobody;", 1).fault, "nobody");
  EXPECT_EQ(ptx::read_program("mov.b32 %0, %4;", 2).fault, "%4");
  EXPECT_EQ(ptx::read_program("bra away;", 0).fault, "label away");
}

TEST(Ptx, computes_with_whole_numbers) {
  EXPECT_EQ(result_of("mad.lo.s32 %0, %1, %2, 5;", {7, 0xfffffffe}), 0xfffffff7 | ~std::uint64_t{0xffffffff});
  EXPECT_EQ(result_of("mul.wide.u32 %0, %1, %2;", {0xffffffff, 3}), 0x2fffffffdULL);
  EXPECT_EQ(result_of("mul.hi.u32 %0, %1, %2;", {0xffffffff, 3}), 2u);
  EXPECT_EQ(result_of("bfe.u32 %0, %1, 4, 8;", {0xabcd}), 0xbcu);
  EXPECT_EQ(result_of("bfi.b32 %0, %1, %2, 8, 4;", {0x5, 0xffffffff}), 0xfffff5ffu);
  EXPECT_EQ(result_of("prmt.b32 %0, %1, %2, 0x5410;", {0x22221111, 0x44443333}), 0x33331111u);
  EXPECT_EQ(result_of("lop3.b32 %0, %1, %2, %3, 0x96;", {0xf0, 0xcc, 0xaa}), 0xf0u ^ 0xcc ^ 0xaa);
  EXPECT_EQ(result_of("shf.l.wrap.b32 %0, %1, %2, 8;", {0x11223344, 0x55667788}), 0x66778811u);
  EXPECT_EQ(result_of("dp4a.s32.s32 %0, %1, %2, %3;", {0x01ff02fe, 0x01010101, 10}), 10u);
  EXPECT_EQ(result_of("{ .reg .pred p, q; setp.lt.and.s32 p|q, %1, %2, 1; selp.b32 %0, 3, 4, p; }",
                      {0xffffffff, 1}),
            3u);
  EXPECT_EQ(result_of("{ .reg .b16 h<2>; mov.b32 {h0, h1}, %1; mov.b32 %0, {h1, h0}; }", {0x12345678}),
            0x56781234u);
}

TEST(Ptx, computes_with_floats) {
  EXPECT_EQ(result_of("fma.rn.f32 %0, %1, %2, 0f3F800000;", {bits_of(3), bits_of(5)}), bits_of(16));
  EXPECT_EQ(result_of("add.rz.f32 %0, %1, %2;", {bits_of(1), bits_of(0x1.8p-24F)}), bits_of(1));
  EXPECT_EQ(result_of("add.rn.ftz.f32 %0, %1, 0f00000000;", {1}), 0u);
  EXPECT_EQ(result_of("cvt.rn.f16x2.f32 %0, %1, %2;", {bits_of(2), bits_of(1)}), 0x40003c00u);
  EXPECT_EQ(result_of("cvt.rzi.s32.f32 %0, %1;", {bits_of(-2.7F)}) & 0xffffffff, 0xfffffffeu);
  EXPECT_EQ(result_of("cvt.rna.tf32.f32 %0, %1;", {0x3f801000}), 0x3f802000u);
  EXPECT_EQ(result_of("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;", {bits_of(1000), bits_of(1)}), 0x7e38u);
  EXPECT_EQ(result_of("fma.rn.f16x2 %0, %1, %2, %3;", {0x3c004000, 0x40004000, 0x00003c00}), 0x40004500u);
  EXPECT_EQ(result_of("mul.rn.bf16x2 %0, %1, %2;", {0x3f804000, 0x40404040}), 0x404040c0u);
}

TEST(Ptx, goes_round_a_loop) {
  EXPECT_EQ(result_of("{ .reg .pred p; .reg .b32 i; mov.b32 i, 0; mov.b32 %0, 0;\n"
                      "setp.eq.u32 p, 1, 2; @p bra out; add.u32 %0, %0, 41; out: add.u32 %0, %0, 1; }",
                      {}),
            42u);
}

}  // namespace
}  // namespace gemmlab::emulation
