#include "runner/planning/shard.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "runner/planning/estimate.h"
#include "runner/planning/plan.h"
#include "runner/recording/provenance.h"
#include "tests/runner/support.h"

namespace gemmlab::runner {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class Sharding : public test::Scratch {
 protected:
  /// 2 lines at each size, one point of each size left out of the second.
  Definition definition(int sizes) const {
    const std::string text =
        "title = \"t\"\nquestion = \"q\"\n[[group]]\nname = \"g\"\nsize = { from = 1, to = " +
        std::to_string(sizes) +
        ", step = 1 }\n[[group.run]]\nimplementation = \"cpu.ikj\"\n[[group.run]]\n"
        "implementation = \"cpu.serial\"\n[[group.exclude]]\nimplementation = \"cpu.serial\"\n"
        "size_below = 4\nreason = \"r\"\n";
    return load_definition(write("x.toml", text), catalogue_);
  }
  static std::vector<std::string> case_ids(const Definition& definition) {
    std::vector<std::string> ids;
    for (const Group& group : definition.groups) {
      for (const Point& point : group.points) ids.push_back(point.case_id());
    }
    for (const Excluded& excluded : definition.excluded) ids.push_back(excluded.point.case_id());
    std::sort(ids.begin(), ids.end());
    return ids;
  }
  static Definition shard_of(Definition definition, int index, int count) {
    keep_shard(definition, {index, count});
    return definition;
  }
  Catalogue catalogue_;
};

TEST_F(Sharding, all_shards_together_are_the_plan) {
  const Definition whole = definition(50);
  for (const int count : {1, 3, 16, 200}) {
    std::vector<std::string> all;
    std::set<std::string> plans;
    for (int index = 0; index < count; ++index) {
      const Definition part = shard_of(whole, index, count);
      const std::vector<std::string> ids = case_ids(part);
      all.insert(all.end(), ids.begin(), ids.end());
      plans.insert(part.part->plan);
      EXPECT_EQ(part.part->points, whole.point_count());
      for (const Group& group : part.groups) {
        const auto same = [&](const Group& other) { return other.instance.dims == group.instance.dims; };
        const auto found = std::find_if(whole.groups.begin(), whole.groups.end(), same);
        EXPECT_EQ(group.points.size(), found->points.size()) << "a group at a shape stays whole";
      }
    }
    std::sort(all.begin(), all.end());
    EXPECT_EQ(all, case_ids(whole)) << count;
    EXPECT_EQ(plans.size(), 1u);
  }
}

TEST_F(Sharding, no_shard_is_longer_than_another_by_more_than_its_longest_group) {
  const Definition whole = definition(300);
  const std::vector<int> shards = shards_of(whole, 7);
  const Estimator model = Estimator::same_everywhere();
  std::vector<double> loads(7), longest(7);
  for (std::size_t i = 0; i < shards.size(); ++i) {
    const double cost_s = model.whole(whole.groups[i], whole.groups[i].points).likely_s;
    loads[static_cast<std::size_t>(shards[i])] += cost_s;
    longest[0] = std::max(longest[0], cost_s);
  }
  const auto [least, most] = std::minmax_element(loads.begin(), loads.end());
  EXPECT_GT(*least, 0);
  EXPECT_LE(*most - *least, longest[0] + 1e-3);
}

// What takes quadratic time does not end here within the test's limit.
TEST_F(Sharding, a_hundred_thousand_points_are_cut_into_a_hundred) {
  Definition whole = definition(50000);
  ASSERT_EQ(whole.point_count(), 100000u);
  keep_shard(whole, {99, 100});
  EXPECT_GT(whole.groups.size(), 0u);
  EXPECT_LT(whole.groups.size(), 50000u / 10);
}

TEST_F(Sharding, files_are_named_for_their_shard_and_found_by_the_others) {
  const Definition part = shard_of(definition(5), 3, 16);
  EXPECT_EQ(results_file_name(part), "x.shard-03-of-16.jsonl");
  EXPECT_EQ(results_file_name(definition(5)), "x.jsonl");
  for (const char* name : {"x.jsonl", "x.shard-03-of-16.jsonl", "x.shard-2-of-4.jsonl",
                           "x.shard-a-of-4.jsonl", "xy.jsonl", "x.shard-1-of-4.jsonl.gz"})
    write(name, "");
  EXPECT_THAT(other_results_files(part, path("")),
              ElementsAre(path("x.jsonl"), path("x.shard-2-of-4.jsonl")));
}

TEST_F(Sharding, what_is_no_shard_is_refused_in_one_line) {
  EXPECT_EQ(shard_from("15/16").index, 15);
  for (const char* text : {"3/2", "2/2", "0/0", "x/y", "-1/2", "1/-2", "1", "1/2/3", "", "/", " 1/2", "1/2 ",
                           "99999999999/2", "0/200000"}) {
    try {
      shard_from(text);
      ADD_FAILURE() << text << " was taken";
    } catch (const UsageError& error) {
      EXPECT_THAT(error.what(), HasSubstr("allowed: I/N"));
    }
  }
}

class ShardRecords : public Sharding {
 protected:
  static Json run(const std::string& run_id, const std::string& host, const std::string& plan = "") {
    Json record{{"kind", "run"},
                {"run_id", run_id},
                {"definition_sha256", "d"},
                {"program", program_facts().at("program")},
                {"host", {{"id", host}, {"cpu", "a"}, {"cores", 2}}},
                {"gpus", Json::array()}};
    if (!plan.empty()) record["shard"] = {{"index", 0}, {"count", 4}, {"plan", plan}, {"points", 9}};
    return record;
  }
  void record(const Group& group, std::size_t points, const std::string& host) const {
    Store store(path("x.shard-1-of-4.jsonl"));
    store.open_for_writing();
    store.append(run(host, host));
    for (std::size_t i = 0; i < points; ++i) store.append(case_record(host, "x", group.points[i], {}, 0, ""));
  }
  std::size_t left(const Group& group, bool shard) const {
    const Store store(path("x.shard-2-of-4.jsonl"), {path("x.shard-1-of-4.jsonl")});
    return store.left(group.points, fingerprint(run("now", "here")), shard).size();
  }
};

TEST_F(ShardRecords, a_group_that_an_equal_host_measured_whole_is_done) {
  const Group group = definition(9).groups.back();
  ASSERT_EQ(group.points.size(), 2u);
  record(group, 1, "there");
  EXPECT_EQ(left(group, true), 2u) << "broken off there: its rounds would be of two hosts";
  record(group, 2, "there");
  EXPECT_EQ(left(group, true), 0u);
  EXPECT_EQ(left(group, false), 2u) << "a run of all measures this host";
}

TEST_F(ShardRecords, the_rest_of_a_group_begun_on_this_host_is_left) {
  const Group group = definition(9).groups.back();
  record(group, 1, "here");
  EXPECT_EQ(left(group, true), 1u);
}

TEST_F(ShardRecords, shards_of_another_plan_are_refused) {
  Store store(path("out/x.shard-1-of-4.jsonl"));
  store.open_for_writing();
  store.append(run("r", "there", "another"));
  Definition part = shard_of(definition(9), 0, 4);
  const auto plan = [&] {
    std::vector<Definition> definitions{part};
    return plan_experiments(std::move(definitions), path("out")).size();
  };
  EXPECT_EQ(plan(), 1u) << "of another definition";
  part.sha256 = "d";
  EXPECT_THAT(refusal_of([&] { plan(); }, path("out/x.shard-0-of-4.jsonl")),
              HasSubstr("was cut from another plan of 'x'"));
  part.part->plan = "another";
  EXPECT_EQ(plan(), 1u);
}

}  // namespace
}  // namespace gemmlab::runner
