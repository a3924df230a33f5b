#include "runner/recording/store.h"

#include <gmock/gmock.h>

#include <filesystem>

#include "runner/recording/fingerprint.h"
#include "runner/usage_error.h"
#include "tests/runner/support.h"

namespace gemmlab::runner {
namespace {

Json run_line(const std::string& run_id, const std::string& host = "0123456789ab",
              const std::string& driver = "580") {
  return {{"kind", "run"},
          {"run_id", run_id},
          {"host", {{"id", host}, {"cpu", "a"}, {"cores", 2}}},
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

TEST_F(StoreTest, a_file_that_got_no_record_goes_unless_it_was_there_before) {
  { Store(file()).open_for_writing(); }
  EXPECT_FALSE(std::filesystem::exists(file()));
  write("results/x.jsonl", "");
  { Store(file()).open_for_writing(); }
  EXPECT_TRUE(std::filesystem::exists(file()));
  std::filesystem::remove(file());
  {
    Store store(file());
    store.open_for_writing();
    store.append(run_line("r1"));
  }
  EXPECT_TRUE(std::filesystem::exists(file()));
}

TEST_F(StoreTest, a_record_counts_only_for_the_same_host_and_driver) {
  Store store(file());
  store.open_for_writing();
  store.append(run_line("r1"));
  store.append(case_line("r1", "c1"));
  EXPECT_TRUE(store.recorded("c1", fingerprint(run_line("r2"))));
  EXPECT_FALSE(store.recorded("c2", fingerprint(run_line("r2"))));
  EXPECT_FALSE(store.recorded("c1", fingerprint(run_line("r2", "another host"))));
  EXPECT_FALSE(store.recorded("c1", fingerprint(run_line("r2", "0123456789ab", "another driver"))));
  Json before_hosts = run_line("r3");
  before_hosts["host"].erase("id");
  store.append(before_hosts);
  store.append(case_line("r3", "c3"));
  EXPECT_FALSE(store.recorded("c3", fingerprint(run_line("r2"))))
      << "records without a host are another host's";
}

TEST_F(StoreTest, a_record_counts_only_while_what_it_depends_on_is_as_it_was) {
  const std::string now = point_fingerprint("cpu.ikj");
  Json stale = case_line("r1", "c1");
  stale["fingerprint"] = "0123456789abcdef";
  Json fresh = stale;
  fresh["fingerprint"] = now;
  const std::string begin = run_line("r1").dump() + "\n";
  std::filesystem::create_directories(path("results"));
  const auto recorded = [&](const std::string& lines) {
    write("results/x.jsonl", begin + lines);
    return Store(file()).recorded("c1", fingerprint(run_line("r2")));
  };
  EXPECT_TRUE(recorded(fresh.dump() + "\n"));
  EXPECT_FALSE(recorded(stale.dump() + "\n"));
  EXPECT_FALSE(recorded(case_line("r1", "c1").dump() + "\n")) << "an older record has no fingerprint";
  EXPECT_FALSE(recorded(fresh.dump() + "\n" + stale.dump() + "\n")) << "readers take the last record";
  EXPECT_TRUE(recorded(stale.dump() + "\n" + fresh.dump() + "\n"));
}

TEST_F(StoreTest, what_is_appended_gets_the_fingerprint_of_its_implementation) {
  Store store(file());
  store.open_for_writing();
  store.append(run_line("r1"));
  store.append(case_line("r1", "c1"));
  EXPECT_EQ(records(file()).at(1).at("fingerprint"), point_fingerprint("cpu.ikj"));
  EXPECT_NE(point_fingerprint("cpu.ikj"), point_fingerprint("cpu.serial"));
  EXPECT_EQ(point_fingerprint("cpu.ikj").size(), 16u);
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
  Json right = case_line("r1", "c2");
  right["fingerprint"] = point_fingerprint("cpu.ikj");
  lacking.erase("m");
  const std::string deep = "{\"kind\":\"run\",\"run_id\":\"r1\",\"shard\":" + std::string(200000, '[') +
                           std::string(200000, ']') + "}\n";
  write("results/x.jsonl", run_line("r1").dump() + "\n[1]\n7\n{\"kind\": 7}\n" + deep + lacking.dump() +
                               "\n" + other("case_id", 1) + other("status", nullptr) +
                               other("scope", "future") + right.dump() + "\n");
  const Store store(file());
  EXPECT_EQ(store.torn_lines(), 8);
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
