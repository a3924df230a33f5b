#include "runner/planning/too_long.h"

#include <gmock/gmock.h>

#include "operations/gemm/implementation.h"
#include "tests/runner/support.h"

namespace gemmlab::test {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;

class Foretelling : public Scratch {
 protected:
  static Point point(std::int64_t m, std::int64_t n, std::int64_t k, const std::string& id = "gpu.naive") {
    Point made;
    made.implementation = id;
    made.device = id.rfind("gpu.", 0) == 0 ? Device::kGpu : Device::kCpu;
    made.instance = gemm_at({m, n, k});
    return made;
  }
  /// A results file of one run with these points and their seconds per call.
  runner::Store& store(const std::vector<std::pair<Point, double>>& measured) {
    std::string text = to_text(kRun) + "\n";
    for (const auto& [point, seconds] : measured) {
      Outcome outcome;
      outcome.status = Status::kOk;
      outcome.samples_s = {seconds};
      text += to_text(case_record("r", "e", point, outcome, 0, "")) + "\n";
    }
    store_ = std::make_unique<runner::Store>(write("e.jsonl", text));
    return *store_;
  }
  std::string why(const Point& asked, const std::vector<std::pair<Point, double>>& measured) {
    runner::TooLong foretold;
    foretold.learn(store(measured), runner::fingerprint(kRun));
    return foretold.why(asked, settings_);
  }

  const Json kRun{{"kind", "run"}, {"run_id", "r"}, {"host", {{"id", "abc"}, {"cpu", "x"}, {"cores", 2}}}};
  MeasureSettings settings_ = [] {
    MeasureSettings four_seconds;
    four_seconds.max_time_s = 4;
    return four_seconds;
  }();
  std::unique_ptr<runner::Store> store_;
};

TEST_F(Foretelling, says_how_long_and_from_what_and_what_is_allowed) {
  EXPECT_EQ(why(point(4096, 4096, 4096), {{point(512, 512, 512), 0.1}, {point(1024, 1024, 1024), 1.9}}),
            "one call would take about 2 min 02 s (from 1.9 s at 1024); allowed: 4 s");
}

TEST_F(Foretelling, leaves_what_is_near_the_limit_to_be_tried) {
  EXPECT_EQ(why(point(2048, 2048, 2048), {{point(1024, 1024, 1024), 0.74}}), "") << "5.92 s of 4";
  EXPECT_NE(why(point(2048, 2048, 2048), {{point(1024, 1024, 1024), 0.76}}), "") << "6.08 s of 4";
}

TEST_F(Foretelling, goes_by_the_same_line_alone) {
  Point threads = point(1024, 1024, 1024);
  threads.parameters = {{"threads", std::int64_t{1}}};
  Point end_to_end = point(1024, 1024, 1024);
  end_to_end.scope = Scope::kEndToEnd;
  Point pinned = end_to_end;
  pinned.host_memory = HostMemory::kPinned;
  Point warm = point(1024, 1024, 1024);
  warm.cold = false;
  const Point other = point(1024, 1024, 1024, "gpu.tiled");
  EXPECT_EQ(why(point(4096, 4096, 4096), {{threads, 2}, {end_to_end, 2}, {pinned, 2}, {warm, 2}, {other, 2}}),
            "");
  pinned.instance = gemm_at({4096, 4096, 4096});
  EXPECT_EQ(why(pinned, {{end_to_end, 2}}), "");
  pinned.host_memory = HostMemory::kPageable;
  EXPECT_NE(why(pinned, {{end_to_end, 2}}), "") << "whatever the label";
}

TEST_F(Foretelling, does_not_go_by_a_shape_that_is_longer_in_one_direction_or_by_calls_too_short) {
  EXPECT_EQ(why(point(4096, 4096, 4096), {{point(128, 128, 65536), 1}}), "")
      << "few blocks, long k: another pace";
  EXPECT_EQ(why(point(16384, 16384, 16384), {{point(64, 64, 64), 5e-6}}), "") << "a launch, and hardly work";
}

TEST_F(Foretelling, does_not_go_by_another_machine) {
  runner::TooLong foretold;
  foretold.learn(store({{point(1024, 1024, 1024), 2}}), "another");
  EXPECT_EQ(foretold.why(point(4096, 4096, 4096), settings_), "");
}

TEST_F(Foretelling, a_point_that_would_take_minutes_is_recorded_as_skipped_without_a_call) {
  write("s.toml",
        "title = \"t\"\nquestion = \"q\"\n[settings]\nprecision = 0.5\nmin_time_s = 0\nmax_time_s = 0.2\n"
        "[[group]]\nname = \"g\"\nsize = [16, 64]\ntwins = false\n"
        "[[group.run]]\nimplementation = \"cpu.fault\"\nkind = \"slow\"\nlabel = \"slow\"\n"
        "[[group.run]]\nimplementation = \"cpu.ikj\"\nlabel = \"ikj\"\n");
  const Finished finished = faulty(run_of("s"));
  EXPECT_EQ(finished.exit_status, 0) << finished.output;
  int slow = 0;
  for (const Json& record : cases(path("out/s.jsonl"))) {
    if (record.at("label") == "ikj" || record.at("dims").at("m") == 16) {
      EXPECT_EQ(record.at("status"), "ok") << record.at("reason");
      continue;
    }
    ++slow;
    EXPECT_EQ(record.at("status"), "skipped");
    EXPECT_THAT(record.at("reason").get<std::string>(),
                ContainsRegex("one call would take about [0-9]+ s \\(from 0\\.[0-9]+ s at 16\\); "
                              "allowed: 200 ms"));
    EXPECT_TRUE(record.at("phases_s").empty()) << "it was begun";
  }
  EXPECT_EQ(slow, 1);
  const Finished again = faulty(run_of("s"));
  EXPECT_THAT(again.output, HasSubstr("4 of 4 points are recorded already"));
}

TEST_F(Foretelling, a_dry_run_says_what_would_be_skipped) {
  store({});
  const Point known = point(64, 64, 64, "cpu.ikj");
  Outcome outcome;
  outcome.status = Status::kOk;
  outcome.samples_s = {2};
  std::filesystem::create_directories(folder_ / "out");
  write("out/other.jsonl",
        to_text(kRun) + "\n" + to_text(case_record("r", "e", known, outcome, 0, "")) + "\n");
  write("s.toml",
        "title = \"t\"\nquestion = \"q\"\n[settings]\nmax_time_s = 4\n[[group]]\nname = \"g\"\nsize = 256\n"
        "[[group.run]]\nimplementation = \"cpu.ikj\"\n");
  EXPECT_THAT(faulty(run_of("s") + " --dry-run").output,
              HasSubstr("skipped: one call would take about 2 min 08 s; allowed: 4 s"));
}

}  // namespace
}  // namespace gemmlab::test
