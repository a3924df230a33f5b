#include "experiments/runner/store.h"

#include <gmock/gmock.h>

#include "experiments/runner/usage_error.h"
#include "tests/runner/support.h"

namespace gemmlab::runner {
namespace {

Json run_line(const std::string& run_id, const std::string& sources = "s",
              const std::string& driver = "580") {
  return {{"kind", "run"},
          {"run_id", run_id},
          {"program", {{"source_sha256", sources}}},
          {"build", {{"compiler", "gcc"}, {"flags", "-O3"}}},
          {"host", {{"cpu", "a"}, {"cores", 2}}},
          {"gpus", Json::array({{{"name", "H200"}, {"driver", driver}}})}};
}

Json case_line(const std::string& run_id, const std::string& case_id, const std::string& status = "ok") {
  return {{"kind", "case"},
          {"run_id", run_id},
          {"case_id", case_id},
          {"status", status},
          {"implementation", "cpu.ikj"},
          {"parameters", Json::object()},
          {"m", 10},
          {"n", 10},
          {"k", 10},
          {"median_s", 1e-3}};
}

class StoreTest : public test::Scratch {
 protected:
  std::string file() const { return path("results/x.jsonl"); }
};

TEST_F(StoreTest, a_record_counts_only_for_the_same_sources_and_machine) {
  Store store(file());
  store.open_for_writing();
  store.append(run_line("r1"));
  store.append(case_line("r1", "c1"));
  EXPECT_TRUE(store.recorded("c1", fingerprint(run_line("r2"))));
  EXPECT_FALSE(store.recorded("c2", fingerprint(run_line("r2"))));
  EXPECT_FALSE(store.recorded("c1", fingerprint(run_line("r2", "other sources"))));
  EXPECT_FALSE(store.recorded("c1", fingerprint(run_line("r2", "s", "another driver"))));
}

TEST_F(StoreTest, what_was_written_is_read_again) {
  {
    Store store(file());
    store.open_for_writing();
    store.append(run_line("r1"));
    store.append(case_line("r1", "c1", "crashed"));
  }
  const Store again(file());
  EXPECT_EQ(again.status("c1", fingerprint(run_line("r1"))), "crashed");
  EXPECT_EQ(again.torn_lines(), 0);
  EXPECT_TRUE(again.measured().empty()) << "a crashed point teaches no time";
}

TEST_F(StoreTest, a_torn_last_line_is_passed_over_and_closed_before_the_next) {
  {
    Store store(file());
    store.open_for_writing();
    store.append(run_line("r1"));
    store.append(case_line("r1", "c1"));
  }
  std::string text = read(file());
  text.resize(text.size() - 10);
  std::ofstream(file()) << text;
  Store store(file());
  EXPECT_EQ(store.torn_lines(), 1);
  EXPECT_FALSE(store.recorded("c1", fingerprint(run_line("r1"))));
  store.open_for_writing();
  store.append(case_line("r1", "c2"));
  const Store again(file());
  EXPECT_TRUE(again.recorded("c2", fingerprint(run_line("r1"))));
  EXPECT_EQ(again.torn_lines(), 1);
}

TEST_F(StoreTest, a_line_that_is_no_record_of_ours_is_passed_over) {
  const auto other = [](const char* key, const Json& value) {
    Json record = case_line("r1", "c1");
    record[key] = value;
    return record.dump() + "\n";
  };
  std::filesystem::create_directories(path("results"));
  Json lacking = case_line("r1", "c1");
  lacking.erase("m");
  write("results/x.jsonl", run_line("r1").dump() + "\n[1]\n7\n{\"kind\": 7}\n" + lacking.dump() + "\n" +
                               other("case_id", 1) + other("status", nullptr) + other("scope", "future") +
                               case_line("r1", "c2").dump() + "\n");
  const Store store(file());
  EXPECT_EQ(store.torn_lines(), 7);
  EXPECT_FALSE(store.recorded("c1", fingerprint(run_line("r1"))));
  EXPECT_TRUE(store.recorded("c2", fingerprint(run_line("r1"))));
}

TEST_F(StoreTest, bytes_that_are_no_utf_8_are_replaced) {
  Store store(file());
  store.open_for_writing();
  Json record = case_line("r1", "c1");
  record["reason"] = "caf\xe9";
  store.append(record);
  EXPECT_EQ(records(file()).at(0).at("reason"), "caf\xef\xbf\xbd");
}

TEST_F(StoreTest, a_second_writer_is_refused) {
  Store first(file());
  first.open_for_writing();
  Store second(file());
  EXPECT_THROW(second.open_for_writing(), UsageError);
}

TEST_F(StoreTest, a_folder_that_cannot_be_written_is_named) {
  write("results", "a file where the folder should be");
  Store store(file());
  try {
    store.open_for_writing();
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr("results/x.jsonl: cannot be written"));
  }
}

}  // namespace
}  // namespace gemmlab::runner
