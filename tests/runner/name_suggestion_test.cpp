#include "runner/name_suggestion.h"

#include <gtest/gtest.h>

namespace gemmlab::runner {
namespace {

const std::vector<std::string> kNames{"quick", "block_size", "cpu.ikj", "cpu.blocked", "gpu.tiled"};

TEST(Guess, finds_the_name_that_a_slip_of_the_hand_missed) {
  EXPECT_EQ(guess("qiuck", kNames), " (did you mean 'quick'?)") << "two letters swapped";
  EXPECT_EQ(guess("quik", kNames), " (did you mean 'quick'?)") << "one left out";
  EXPECT_EQ(guess("quiick", kNames), " (did you mean 'quick'?)") << "one too many";
  EXPECT_EQ(guess("gpu.tilad", kNames), " (did you mean 'gpu.tiled'?)") << "one wrong";
  EXPECT_EQ(guess("CPU.Blocked", kNames), " (did you mean 'cpu.blocked'?)") << "in another case";
  EXPECT_EQ(guess("block-sizes", kNames), " (did you mean 'block_size'?)") << "two slips in a long word";
}

TEST(Guess, finds_an_implementation_without_its_device) {
  EXPECT_EQ(guess("ikj", kNames), " (did you mean 'cpu.ikj'?)");
  EXPECT_EQ(guess("tild", kNames), " (did you mean 'gpu.tiled'?)");
}

TEST(Guess, names_the_nearest_in_their_order) {
  EXPECT_EQ(nearest("cpu.ikk", kNames, 2), (std::vector<std::string>{"cpu.ikj", "quick"}));
  EXPECT_EQ(nearest("tild", kNames, 1), std::vector<std::string>{"gpu.tiled"});
  EXPECT_EQ(nearest(std::string(100000, 'q'), kNames, 9).size(), kNames.size());
  EXPECT_TRUE(nearest("quick", {}, 5).empty());
}

TEST(Guess, is_silent_where_nothing_is_near) {
  for (const char* word : {"", "nonsense", "quack!", "cpu.fast", "gpu.naive"})
    EXPECT_EQ(guess(word, kNames), "") << word;
  EXPECT_EQ(guess(std::string(100000, 'q'), kNames), "");
  EXPECT_EQ(guess("quick", {}), "");
}

}  // namespace
}  // namespace gemmlab::runner
