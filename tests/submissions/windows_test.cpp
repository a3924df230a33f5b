// Times by windows, on a card that is none: what holds of them holds whatever the card is.

#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>
#include <set>

#include "core/statistics.h"
#include "submissions/judge/inputs/sealed.h"
#include "submissions/judge/inputs/timed_inputs.h"
#include "submissions/judge/inputs/window_inputs.h"
#include "submissions/judge/timing/timer.h"

namespace gemmlab::submissions {
namespace {

namespace fs = std::filesystem;

class Windows : public ::testing::Test {
 protected:
  void SetUp() override {
    if (std::string(GEMMLAB_FAKE_CARD).empty()) GTEST_SKIP() << "the sandbox refuses a sanitizer's memory";
    leave_out_bubblewrap(true);
    std::string name = (fs::canonical(fs::temp_directory_path()) / "gemmlab-windows-XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    scratch_ = name;
    fs::permissions(scratch_, fs::perms::owner_all | fs::perms::others_exec);
  }
  void TearDown() override {
    if (!scratch_.empty()) fs::remove_all(scratch_);
    leave_out_bubblewrap(false);
  }

  Racer racer(const char* role, const std::string& kind) {
    Racer made{role, role, role, {}};
    made.setup.program = {fs::canonical(GEMMLAB_FAKE_CARD).string()};
    made.setup.gpu = true;
    made.setup.library =
        (fs::canonical(GEMMLAB_FAKE_CARD).parent_path() / ("libgemmlab_windowed_" + kind + ".so")).string();
    made.setup.confinement.scratch = fs::path(scratch_) / role;
    made.setup.confinement.readable = {made.setup.program.front(), made.setup.library};
    fs::create_directory(made.setup.confinement.scratch);
    return made;
  }

  TimingResult timed(const std::string& kind) {
    Rule rule;
    rule.rounds = 3;
    rule.again = 0;
    rule.limits.call_s = 5;
    DeviceRule device;
    device.timed = {{40, 56, 48}};
    return time_submission({racer(kSubmission, kind), racer(kTwin, kind), racer(kLibrary, "right")}, device,
                           rule, plain_double_product, Secret::drawn(), 1, {});
  }

  std::string scratch_;
};

TEST_F(Windows, time_what_is_right_by_the_judges_clock_and_the_cards) {
  const TimingResult result = timed("right");
  ASSERT_TRUE(result.failures.empty()) << result.failures.front().explanation;
  ASSERT_EQ(result.timings.size(), 2U);
  for (const Timing& one : result.timings) {
    EXPECT_EQ(one.skipped, "");
    ASSERT_GE(one.samples_s.size(), 3U);
    ASSERT_EQ(one.events_s.size(), one.samples_s.size());
    // a tenth of what the clock showed stays, whatever was taken off, and the calls are within it
    EXPECT_GT(median(one.samples_s), median(one.events_s) / 10);
  }
  EXPECT_GT(result.timings.front().of_library, 0);
}

TEST_F(Windows, find_out_whoever_leaves_out_every_second_call) {
  const TimingResult result = timed("every_second");
  ASSERT_FALSE(result.failures.empty());
  EXPECT_GE(result.failures.front().verdict, Judged::kIncorrect);
}

TEST_F(Windows, find_out_whoever_finishes_after_the_clock_was_read) {
  const TimingResult result = timed("late");
  ASSERT_FALSE(result.failures.empty());
  EXPECT_EQ(result.failures.front().pattern, "unfinished-work") << result.failures.front().explanation;
}

TEST_F(Windows, find_out_whoever_takes_equal_addresses_for_equal_inputs) {
  const TimingResult result = timed("by_address");
  ASSERT_FALSE(result.failures.empty());
  EXPECT_EQ(result.failures.front().pattern, "remembered") << result.failures.front().explanation;
}

TEST_F(Windows, find_reduced_precision) {
  const TimingResult result = timed("half");
  EXPECT_TRUE(result.failures.empty());
  ASSERT_FALSE(result.imprecise.empty());
  EXPECT_EQ(result.imprecise.front().verdict, Judged::kReducedPrecision);
}

TEST(Seals, tell_any_other_c_key_or_call_before_apart) {
  std::vector<float> c(10'000, 0.5F);
  const auto count = static_cast<std::int64_t>(c.size());
  const WindowKey key{{1, 2, 3, 4}}, other{{1, 2, 3, 5}};
  std::set<std::string> seen;
  const auto note = [&](const Seal& seal) {
    seen.insert(std::string(reinterpret_cast<const char*>(seal.words), sizeof seal.words));
  };
  const Seal first = seal_of(c.data(), count, key, Seal{});
  note(first);
  note(seal_of(c.data(), count, other, Seal{}));
  note(seal_of(c.data(), count, key, first));
  note(seal_of(c.data(), count - 1, key, Seal{}));
  for (const std::size_t at : {std::size_t{0}, std::size_t{2916}, c.size() - 1}) {
    c[at] = 0.50000006F;
    note(seal_of(c.data(), count, key, Seal{}));
    c[at] = 0.5F;
  }
  EXPECT_EQ(seen.size(), 7U);
  EXPECT_TRUE(first == seal_of(c.data(), count, key, Seal{}));
}

TEST(WindowInputs, follow_from_the_key_and_the_seal_and_are_another_windows_for_other_numbers) {
  const Secret secret = Secret::drawn();
  const Shape shape{20, 24, 28};
  const DoubleProduct product = plain_double_product;
  WindowInputs inputs(shape, secret, 3, product);
  const WindowKey key = inputs.key(5);
  const Seal before{{7, 7, 7, 7}};
  Secret::Key words{};
  inputs_key(key, before, words.data());
  std::vector<float> a(static_cast<std::size_t>(shape.a_count())),
      b(static_cast<std::size_t>(shape.b_count())), c(static_cast<std::size_t>(shape.c_count()));
  fill_uniform(a.data(), shape.a_count(), Secret::of(words), {0, 0, 0});
  fill_uniform(b.data(), shape.b_count(), Secret::of(words), {1, 0, 0});
  for (std::size_t i = 0; i < 20; ++i)
    for (std::size_t l = 0; l < 28; ++l)
      for (std::size_t j = 0; j < 24; ++j) c[i * 24 + j] += a[i * 28 + l] * b[l * 24 + j];
  const std::int64_t call = inputs.call_after(key, before);
  EXPECT_EQ(overall(inputs.check(c.data(), call)), Verdict::kOk);
  EXPECT_EQ(inputs.call_after(key, before), call);
  for (std::uint64_t number = 6; number < 60; ++number) {  // more than are kept
    const std::int64_t other = inputs.call_after(inputs.key(number), Seal{});
    EXPECT_NE(overall(inputs.check(c.data(), other)), Verdict::kOk) << number;
  }
  EXPECT_EQ(overall(inputs.check(c.data(), inputs.call_after(key, before))), Verdict::kOk);
}

}  // namespace
}  // namespace gemmlab::submissions
