// The kernels round a GPU's calls, run by the emulator, beside what the judge computes by itself: were they to differ, every
// hand-in would be found dishonest.

#include "submissions/callee/device_work.h"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "emulator/exports.h"
#include "submissions/judge/inputs/sealed.h"
#include "submissions/judge/inputs/timed_inputs.h"

namespace gemmlab::submissions {
namespace {

template <class Element>
Element* on_card(std::int64_t count) {
  return static_cast<Element*>(
      gemmlab_emulation_allocate(static_cast<std::size_t>(count) * sizeof(Element), "test"));
}

void wait_for_card() {
  char text[200] = "";
  ASSERT_EQ(gemmlab_emulation_synchronize(text, sizeof text), 0) << text;
}

class DeviceWork : public ::testing::TestWithParam<std::int64_t> {
 protected:
  void SetUp() override {
    GemmlabEmulationLimits limits{};
    limits.memory_bytes = std::uint64_t{1} << 28;
    limits.seconds = 60;
    gemmlab_emulation_begin(&limits);
  }
};
// of one leaf, one group, two groups, and so many that groups of groups have groups
INSTANTIATE_TEST_SUITE_P(, DeviceWork, ::testing::Values(1, 13, 2916, 2917, 2'130'000));

TEST_P(DeviceWork, makes_and_seals_what_the_judge_makes_and_seals) {
  const std::int64_t a_count = GetParam(), b_count = a_count / 3 + 7;
  float* a = on_card<float>(a_count);
  float* b = on_card<float>(b_count);
  Seal* room = on_card<Seal>(seal_room(a_count));
  Seal* seals = on_card<Seal>(2);
  unsigned* done = on_card<unsigned>(1);
  *done = 0;
  const WindowKey key{{1, 2, 3, 0xfffffff0}};
  Seal before{};
  for (int call = 0; call < 2; ++call) {
    const Seal* previous = call == 0 ? nullptr : seals;
    make_inputs(a, a_count, b, b_count, key, previous);
    seal(a, a_count, key, previous, room, done, seals + call);
    wait_for_card();
    Secret::Key words{};
    inputs_key(key, before, words.data());
    std::vector<float> expected_a(static_cast<std::size_t>(a_count)),
        expected_b(static_cast<std::size_t>(b_count));
    fill_uniform(expected_a.data(), a_count, Secret::of(words), {0, 0, 0});
    fill_uniform(expected_b.data(), b_count, Secret::of(words), {1, 0, 0});
    EXPECT_EQ(std::memcmp(a, expected_a.data(), expected_a.size() * sizeof(float)), 0) << call;
    EXPECT_EQ(std::memcmp(b, expected_b.data(), expected_b.size() * sizeof(float)), 0) << call;
    EXPECT_TRUE(seals[call] == seal_of(expected_a.data(), a_count, key, before)) << call;
    EXPECT_EQ(*done, 0U);
    before = seals[call];
  }
  for (void* memory : {static_cast<void*>(a), static_cast<void*>(b), static_cast<void*>(room),
                       static_cast<void*>(seals), static_cast<void*>(done)})
    gemmlab_emulation_release(memory);
}

TEST(DeviceWorkOf, fills_every_word) {
  std::uint32_t* words = on_card<std::uint32_t>(1000);
  fill_words(words, 1000, 7);
  wait_for_card();
  EXPECT_EQ(std::vector<std::uint32_t>(words, words + 1000), std::vector<std::uint32_t>(1000, 7));
  gemmlab_emulation_release(words);
}

}  // namespace
}  // namespace gemmlab::submissions
