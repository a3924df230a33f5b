#include "runner/execution/gpu_choice.h"

#include <gmock/gmock.h>

#include "runner/usage_error.h"

namespace gemmlab::runner {
namespace {

using ::testing::HasSubstr;

gpu::Card card(int index, const std::string& uuid) {
  gpu::Card made;
  made.index = index;
  made.uuid = uuid;
  made.name = "a card";
  return made;
}

Json seen(const std::vector<std::string>& uuids) {
  Json gpus = Json::array();
  for (const std::string& uuid : uuids) gpus.push_back({{"uuid", uuid}, {"name", "a card"}});
  return gpus;
}

const std::vector<gpu::Card> kCards{card(0, "GPU-aa11-0"), card(1, "GPU-aa22-0"), card(2, "GPU-12cc-0")};

std::string refusal(const std::string& asked, const std::vector<Choice>& of) {
  try {
    return "chose " + chosen_uuid(asked, of);
  } catch (const UsageError& error) {
    return error.what();
  }
}

TEST(GpuChoice, a_number_is_that_of_the_drivers_list_whatever_the_order_of_cuda) {
  const std::vector<Choice> all = choices(kCards, seen({"GPU-12cc-0", "GPU-aa11-0", "GPU-aa22-0"}));
  EXPECT_EQ(chosen_uuid("0", all), "GPU-aa11-0");
  EXPECT_EQ(chosen_uuid("2", all), "GPU-12cc-0");
}

TEST(GpuChoice, a_uuid_may_be_cut_short_and_written_in_capitals) {
  const std::vector<Choice> all = choices(kCards, seen({"GPU-aa11-0", "GPU-aa22-0", "GPU-12cc-0"}));
  for (const char* asked : {"GPU-aa22-0", "GPU-aa2", "AA22", "gpu-AA2"})
    EXPECT_EQ(chosen_uuid(asked, all), "GPU-aa22-0");
  EXPECT_EQ(chosen_uuid("12c", all), "GPU-12cc-0") << "digits and letters are a uuid";
}

TEST(GpuChoice, what_is_not_there_is_refused_with_what_is) {
  const std::vector<Choice> all = choices(kCards, seen({"GPU-aa11-0", "GPU-aa22-0", "GPU-12cc-0"}));
  for (const char* asked : {"3", "-1", "GPU-ff", "99999999", ""})
    EXPECT_THAT(refusal(asked, all),
                HasSubstr("there is no such GPU; here are 0 (a card, GPU-aa11-0), 1 (a card, GPU-aa22-0), "
                          "2 (a card, GPU-12cc-0)"))
        << asked;
  EXPECT_THAT(refusal("aa", all),
              HasSubstr("the beginning of several: 0 (a card, GPU-aa11-0), 1 (a card, GPU-aa22-0)"));
}

TEST(GpuChoice, a_card_that_cuda_does_not_show_is_refused) {
  ::setenv("CUDA_VISIBLE_DEVICES", "1,2", 1);
  const std::vector<Choice> all = choices(kCards, seen({"GPU-aa22-0", "GPU-12cc-0"}));
  const std::string told = refusal("0", all);
  ::unsetenv("CUDA_VISIBLE_DEVICES");
  EXPECT_EQ(told,
            "--gpu 0: this process may not use that GPU (CUDA_VISIBLE_DEVICES=1,2); here are 0 (a card, "
            "GPU-aa11-0, "
            "hidden), 1 (a card, GPU-aa22-0), 2 (a card, GPU-12cc-0)");
  EXPECT_EQ(chosen_uuid("1", all), "GPU-aa22-0") << "still as nvidia-smi counts";
}

TEST(GpuChoice, without_the_drivers_list_cudas_own_order_counts) {
  const std::vector<Choice> all = choices({}, seen({"GPU-x-0", "GPU-y-0"}));
  EXPECT_EQ(chosen_uuid("1", all), "GPU-y-0");
}

TEST(GpuChoice, a_plan_wants_as_many_cards_as_the_point_that_shares_most) {
  Definition one, other;
  EXPECT_EQ(gpus_wanted({}), 1);
  Point point;
  one.groups.emplace_back().points = {point};
  EXPECT_EQ(gpus_wanted({one}), 1);
  point.parameters["gpus"] = std::int64_t{4};
  other.groups.emplace_back().points = {point};
  point.parameters["gpus"] = std::int64_t{2};
  other.groups.front().points.push_back(point);
  EXPECT_EQ(gpus_wanted({one, other}), 4);
}

TEST(GpuChoice, several_that_are_used_are_all_named) {
  Json facts = {{"gpus", seen({"GPU-aa11-0", "GPU-12cc-0"})}, {"gpu_unavailable", ""}};
  EXPECT_EQ(choice_text(facts), "");
  facts["gpus_here"] = 3;
  EXPECT_EQ(choice_text(facts),
            "3 GPUs are here; these are used: GPU-aa11-0, GPU-12cc-0. --gpu N,N chooses others.");
}

TEST(GpuChoice, a_card_that_is_here_and_not_used_is_told_with_the_reason) {
  const Json without_cuda = {{"gpus", Json::array()}, {"gpu_unavailable", "built without CUDA"}};
  EXPECT_EQ(unused_text(without_cuda, kCards), "The GPU here (a card) is not used: built without CUDA.");
  EXPECT_EQ(unused_text(without_cuda, {}), "") << "none is here";
  // CUDA shows a card that the build has no code for
  const Json other_code = {{"gpus", seen({"GPU-x-0"})}, {"gpu_unavailable", "built without code for it"}};
  EXPECT_EQ(choice_text(other_code), "The GPU here (a card) is not used: built without code for it.");
  EXPECT_EQ(unused_text({{"gpus", seen({"GPU-x-0"})}, {"gpu_unavailable", ""}}, kCards), "");
}

TEST(GpuChoice, a_card_that_is_hidden_on_purpose_is_not_told) {
  for (const char* value : {"", "-1"}) {
    ::setenv("CUDA_VISIBLE_DEVICES", value, 1);
    EXPECT_EQ(unused_text({{"gpus", Json::array()}, {"gpu_unavailable", "no GPU found"}}, kCards), "");
  }
  ::unsetenv("CUDA_VISIBLE_DEVICES");
}

}  // namespace
}  // namespace gemmlab::runner
