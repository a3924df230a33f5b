#include "submissions/judge/failures/crash_words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <initializer_list>

namespace gemmlab::submissions {
namespace {

Instruction instruction(std::initializer_list<int> bytes) {
  Instruction made;
  std::copy(bytes.begin(), bytes.end(), made.bytes);
  return made;
}

TEST(CrashWords, moves_that_need_alignment_are_known_by_their_bytes) {
  EXPECT_TRUE(needs_alignment(instruction({0x0f, 0x28, 0x04, 0x07}))) << "movaps (%rdi,%rax),%xmm0";
  EXPECT_TRUE(needs_alignment(instruction({0x41, 0x0f, 0x29, 0x00}))) << "movaps %xmm0,(%r8)";
  EXPECT_TRUE(needs_alignment(instruction({0x66, 0x0f, 0x6f, 0x07}))) << "movdqa (%rdi),%xmm0";
  EXPECT_TRUE(needs_alignment(instruction({0xc5, 0xfc, 0x28, 0x07}))) << "vmovaps (%rdi),%ymm0";
  EXPECT_TRUE(needs_alignment(instruction({0xc4, 0xc1, 0x7c, 0x28, 0x00}))) << "vmovaps (%r8),%ymm0";
  EXPECT_TRUE(needs_alignment(instruction({0x62, 0xf1, 0x7c, 0x48, 0x28, 0x07}))) << "vmovaps (%rdi),%zmm0";
  EXPECT_FALSE(needs_alignment(instruction({0x0f, 0x10, 0x07}))) << "movups (%rdi),%xmm0";
  EXPECT_FALSE(needs_alignment(instruction({0xc5, 0xfc, 0x10, 0x07}))) << "vmovups (%rdi),%ymm0";
  EXPECT_FALSE(needs_alignment(instruction({0xf3, 0x0f, 0x6f, 0x07}))) << "movdqu (%rdi),%xmm0";
  EXPECT_FALSE(needs_alignment(instruction({0x48, 0x8b, 0x07}))) << "mov (%rdi),%rax";
  EXPECT_FALSE(needs_alignment(Instruction{}));
}

TEST(CrashWords, an_illegal_instruction_is_named_by_what_the_processor_lacks) {
  const ProcessorHas nothing{false, false, false}, all{true, true, true};
  EXPECT_EQ(illegal_kind(instruction({0x62, 0xf1, 0x7c, 0x48, 0x58, 0xc1}), nothing), "AVX-512");
  EXPECT_EQ(illegal_kind(instruction({0x62, 0xf1, 0x7c, 0x48, 0x58, 0xc1}), all), "");
  EXPECT_EQ(illegal_kind(instruction({0xc4, 0xe2, 0x7b, 0x4b, 0x04, 0x07}), nothing), "AMX") << "tileloadd";
  EXPECT_EQ(illegal_kind(instruction({0xc5, 0xfc, 0x58, 0xc1}), nothing), "AVX");
  EXPECT_EQ(illegal_kind(instruction({0x0f, 0x0b}), all), "trap");
  EXPECT_EQ(illegal_kind(Instruction{}, nothing), "");
}

TEST(CrashWords, last_words_of_the_library_say_what_was_overwritten) {
  EXPECT_STREQ(said_by_library("free(): double free detected in tcache 2\n")->pattern, "double-free");
  EXPECT_STREQ(said_by_library("double free or corruption (fasttop)\n")->pattern, "double-free");
  EXPECT_STREQ(said_by_library("double free or corruption (out)\n")->pattern, "heap-overflow");
  const auto either = said_by_library("double free or corruption (!prev)\n");
  EXPECT_THAT(either->explanation,
              testing::AllOf(testing::HasSubstr("twice"), testing::HasSubstr("past the end")));
  EXPECT_STREQ(said_by_library("malloc(): corrupted top size\n")->pattern, "heap-overflow");
  EXPECT_STREQ(said_by_library("free(): invalid next size (normal)\n")->pattern, "heap-overflow");
  EXPECT_STREQ(said_by_library("corrupted size vs. prev_size\n")->pattern, "heap-overflow");
  EXPECT_STREQ(said_by_library("free(): invalid pointer\n")->pattern, "invalid-free");
  EXPECT_STREQ(said_by_library("munmap_chunk(): invalid pointer\n")->pattern, "heap-overflow");
  EXPECT_STREQ(said_by_library("*** stack smashing detected ***: terminated\n")->pattern, "stack-overrun");
  EXPECT_NE(said_by_library("malloc(): corrupted top size\n")->hint, nullptr);
  EXPECT_FALSE(said_by_library("terminate called after throwing"));
  EXPECT_FALSE(said_by_library("multiply: misaligned address"));
  EXPECT_STREQ(said_of_cuda("multiply: misaligned address\n")->pattern, "misaligned-address");
  EXPECT_STREQ(said_of_cuda("CUDA: an illegal memory access was encountered")->pattern, "illegal-address");
  EXPECT_STREQ(said_of_cuda("invalid configuration argument")->pattern, "device-error");
  EXPECT_FALSE(said_of_cuda("Assertion `aligned' failed"));
}

TEST(CrashWords, each_device_gets_its_own_parts) {
  const std::string text = "{gpu:A grid or a}{cpu:A} loop{gpu:, __syncthreads()}.";
  EXPECT_EQ(for_device(text, true), "A grid or a loop, __syncthreads().");
  EXPECT_EQ(for_device(text, false), "A loop.");
  EXPECT_EQ(for_device("{gpu:no end", false), "{gpu:no end");
  EXPECT_EQ(for_device("", true), "");
}

}  // namespace
}  // namespace gemmlab::submissions
