#include <gmock/gmock.h>

#include "runner/recording/provenance.h"
#include "tests/runner/support.h"

namespace gemmlab::test {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class CommandRun : public Scratch {};

/// What `run` makes of a Python that does that instead of the report.
class ReportStep : public Scratch {
 protected:
  int exit_status_with(const std::string& script) const {
    write("small.toml",
          "title = \"t\"\nquestion = \"q\"\n[[group]]\nname = \"g\"\nsize = 8\n[[group.run]]\n"
          "implementation = \"cpu.ikj\"\n");
    const std::filesystem::path python = write("python", "#!/bin/sh\n" + script);
    std::filesystem::permissions(python, std::filesystem::perms::owner_all);
    ::setenv("GEMMLAB_PYTHON", python.c_str(), 1);
    const Finished run = faulty("run '" + path("small.toml") + "' --output '" + path("out") + "'");
    ::unsetenv("GEMMLAB_PYTHON");
    EXPECT_EQ(cases(path("out/small.jsonl")).size(), 1u);
    return run.exit_status;
  }
};

TEST_F(ReportStep, what_the_report_ends_with_is_what_the_run_ends_with) {
  EXPECT_EQ(exit_status_with("exit 0\n"), 0);
  EXPECT_EQ(exit_status_with("exit 2\n"), 2);
  EXPECT_EQ(exit_status_with("exit 3\n"), 1);
  EXPECT_EQ(exit_status_with("exit 130\n"), 130) << "Ctrl-C";
  EXPECT_EQ(exit_status_with("kill -INT $$\n"), 130);
}

TEST_F(ReportStep, the_report_is_told_which_program_has_measured) {
  EXPECT_EQ(exit_status_with(
                "\"$GEMMLAB_PROGRAM\" --version >\"$0.told\"; echo \"$GEMMLAB_PROGRAM\" >>\"$0.told\"\n"),
            0);
  EXPECT_THAT(read(path("python.told")),
              ::testing::EndsWith("\n" + fs::canonical(GEMMLAB_FAULTY).string() + "\n"));
}

TEST_F(ReportStep, a_signal_to_the_program_ends_the_report_too) {
  EXPECT_EQ(
      exit_status_with("trap 'echo ended >\"$0.ended\"; exit 143' TERM\nkill -TERM $PPID\n"
                       "for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do sleep 1; done\n"),
      143);
  EXPECT_EQ(read(path("python.ended")), "ended\n");
}

TEST_F(CommandRun, two_experiments_of_one_name_are_refused) {
  const std::string text =
      "title = \"t\"\nquestion = \"q\"\n[[group]]\nname = \"g\"\nsize = 40\n[[group.run]]\n"
      "implementation = \"cpu.ikj\"\n";
  write("quick.toml", text);
  for (const std::string& names : {std::string("quick quick"), "quick '" + path("quick.toml") + "'"}) {
    const Finished finished = faulty("run " + names + " --dry-run --output '" + path("out") + "'");
    EXPECT_EQ(finished.exit_status, 2);
    EXPECT_THAT(finished.output, HasSubstr("are both called 'quick'"));
  }
}

TEST_F(CommandRun, a_dry_run_prints_the_points_and_measures_nothing) {
  const Finished dry = faulty("run quick --dry-run --output '" + path("out") + "'");
  EXPECT_EQ(dry.exit_status, 0);
  EXPECT_THAT(dry.output, HasSubstr("cpu.OpenBLAS"));
  EXPECT_THAT(dry.output, HasSubstr("GB of memory"));
  EXPECT_THAT(dry.output, ::testing::ContainsRegex("In all about [^(]+ \\([^)]+ to [^)]+\\)"));
  EXPECT_THAT(dry.output, HasSubstr("with times of another machine ("));
  EXPECT_FALSE(std::filesystem::exists(path("out")));
}

TEST_F(CommandRun, a_dry_run_marks_what_is_recorded) {
  write("small.toml",
        "title = \"t\"\nquestion = \"q\"\n[settings]\nmin_time_s = 0.01\nprecision = 0.2\n[[group]]\nname = "
        "\"g\"\nsize = 40\n"
        "[[group.run]]\nimplementation = \"cpu.ikj\"\n");
  const std::string command = run_of("small");
  EXPECT_THAT(faulty(command + " --dry-run").output, ::testing::Not(HasSubstr("recorded already")));
  ASSERT_EQ(faulty(command).exit_status, 0);
  EXPECT_THAT(faulty(command + " --dry-run").output, HasSubstr("recorded already"));
  EXPECT_THAT(faulty(command).output,
              HasSubstr("1 of 1 points are recorded already; --fresh measures them again."));
  EXPECT_THAT(faulty(command + " --dry-run --fresh").output, ::testing::Not(HasSubstr("recorded already")));
}

TEST_F(CommandRun, a_dry_run_learns_from_other_experiments_of_the_folder) {
  write("small.toml",
        "title = \"t\"\nquestion = \"q\"\n[[group]]\nname = \"g\"\nsize = 64\n[[group.run]]\n"
        "implementation = \"cpu.ikj\"\n");
  const std::string command = "run '" + path("small.toml") + "' --dry-run --output '" + path("out") + "'";
  EXPECT_THAT(faulty(command).output, HasSubstr("guessed times: 1 of 1 points"));
  std::filesystem::create_directories(path("out"));
  write("out/other.jsonl",
        "{\"kind\": \"case\", \"run_id\": \"r\", \"case_id\": \"c\", \"status\": \"ok\", \"scope\": "
        "\"kernel\", "
        "\"implementation\": \"cpu.ikj\", \"parameters\": {}, \"m\": 64, \"n\": 64, \"k\": 64, \"median_s\": "
        "5}\n");
  const std::string learnt = faulty(command).output;
  EXPECT_THAT(learnt, ::testing::Not(HasSubstr("guessed")));
  EXPECT_THAT(learnt, HasSubstr("about 20 s")) << "three calls of 5 s, and one for the check";
}

TEST_F(CommandRun, what_would_end_after_the_hours_is_not_begun_and_the_same_command_goes_on_with_it) {
  write("two.toml",
        "title = \"t\"\nquestion = \"q\"\n[settings]\nmin_time_s = 0.01\nprecision = 0.2\n[[group]]\nname = "
        "\"short\"\nsize = 40\n[[group.run]]\nimplementation = \"cpu.serial\"\n[[group]]\nname = \"long\"\n"
        "size = 64\n[[group.run]]\nimplementation = \"cpu.ikj\"\n");
  std::filesystem::create_directories(path("out"));
  // by which three calls and a check take 20 s
  write("out/other.jsonl",
        "{\"kind\": \"case\", \"run_id\": \"r\", \"case_id\": \"c\", \"status\": \"ok\", \"scope\": "
        "\"kernel\", \"implementation\": \"cpu.ikj\", \"parameters\": {}, \"m\": 64, \"n\": 64, \"k\": 64, "
        "\"median_s\": 5}\n");
  const std::string command = run_of("two");
  const Finished first = faulty(command + " --hours 0.005");
  EXPECT_EQ(first.exit_status, 0);
  EXPECT_THAT(first.output,
              HasSubstr("Not begun, as they were likely to end after --hours 0.005: points 1 of two."));
  EXPECT_EQ(cases(path("out/two.jsonl")).size(), 1u);
  const Finished second = faulty(command);
  EXPECT_THAT(second.output, ::testing::Not(HasSubstr("Not begun")));
  EXPECT_EQ(cases(path("out/two.jsonl")).size(), 2u);
}

TEST_F(CommandRun, all_experiments_come_after_those_that_are_named_and_the_shortest_first) {
  const Finished dry = faulty("run spmv --all --dry-run --output '" + path("out") + "'");
  ASSERT_EQ(dry.exit_status, 0) << dry.output;
  const auto at = [&](const char* name) { return ("\n" + dry.output).find("\n" + std::string(name) + ": "); };
  EXPECT_EQ(at("spmv"), 0u);
  EXPECT_LT(at("quick"), at("noise"));
  EXPECT_LT(at("noise"), dry.output.size());
}

// The program knows whether it was built of a commit.
TEST_F(CommandRun, all_experiments_are_measured_of_a_commit_alone) {
  if (!runner::program_facts().at("program").at("dirty")) GTEST_SKIP() << "this program is of a commit";
  const Finished refused = faulty("run --all --output '" + path("out") + "'");
  EXPECT_EQ(refused.exit_status, 2);
  EXPECT_THAT(refused.output, HasSubstr("--all measures a commit, and the sources have changes"));
  EXPECT_FALSE(std::filesystem::exists(path("out")));
}

TEST_F(CommandRun, a_reader_that_has_seen_enough_gets_no_message) {
  write("many.toml",
        "title = \"t\"\nquestion = \"q\"\n[[group]]\nname = \"g\"\nsize = { from = 1, to = 5000, step = 1 }\n"
        "[[group.run]]\nimplementation = \"cpu.ikj\"\n");
  const std::string errors = path("errors");
  const Finished dry = faulty("run '" + path("many.toml") + "' --dry-run --output '" + path("out") + "' 2>'" +
                              errors + "' | head -n 1");
  EXPECT_EQ(dry.output, "many: t\n");
  EXPECT_EQ(read(errors), "");
}

TEST_F(CommandRun, a_dry_run_of_100000_points_is_planned) {
  write(
      "many.toml",
      "title = \"t\"\nquestion = \"q\"\n[[group]]\nname = \"g\"\nsize = { from = 1, to = 12500, step = 1 }\n"
      "[[group.run]]\nimplementation = \"cpu.ikj\"\nthreads = [1, 2, 3, 4, 5, 6, 7, 8]\n");
  const Finished dry = faulty("run '" + path("many.toml") + "' --dry-run --output '" + path("out") + "'");
  EXPECT_EQ(dry.exit_status, 0);
  EXPECT_THAT(dry.output, HasSubstr("100000 points"));
}

TEST_F(CommandRun, a_machine_name_that_is_no_folder_name_is_refused) {
  for (const char* name : {"../x", "a/b", "", "my laptop"}) {
    const Finished run = faulty("run quick --no-report --machine '" + std::string(name) + "'");
    EXPECT_EQ(run.exit_status, 2) << name;
    EXPECT_THAT(run.output, HasSubstr("--machine")) << run.output;
  }
}

TEST_F(CommandRun, an_experiment_whose_points_are_all_left_out_still_leaves_its_records) {
  write(
      "none.toml",
      "title = \"t\"\nquestion = \"q\"\n[[group]]\nname = \"g\"\nsize = 40\n[[group.run]]\nimplementation = "
      "\"cpu.ikj\"\n[[group.exclude]]\nreason = \"all of it\"\n");
  const std::string command = run_of("none");
  const Finished first = faulty(command + " --verbose");
  EXPECT_EQ(first.exit_status, 0);
  EXPECT_THAT(first.output, ::testing::ContainsRegex("skipped +cpu.ikj +40 +all of it"))
      << "one line per point";
  EXPECT_EQ(faulty(command).exit_status, 0);
  const auto found = records(path("out/none.jsonl"));
  ASSERT_EQ(found.size(), 2u) << "one run record, one skipped point, and nothing more the second time";
  EXPECT_EQ(found[1].at("status"), "skipped");
  EXPECT_EQ(found[1].at("reason"), "all of it");
}

TEST_F(CommandRun, a_point_excluded_in_one_group_is_measured_in_another) {
  write("two.toml",
        "title = \"t\"\nquestion = \"q\"\n[settings]\nprecision = 0.2\n[[group]]\nname = \"a\"\nsize = "
        "40\n[[group.run]]\nimplementation = "
        "\"cpu.ikj\"\n[[group.exclude]]\nreason = \"see b\"\n[[group]]\nname = \"b\"\nsize = "
        "40\n[[group.run]]\n"
        "implementation = \"cpu.ikj\"\n");
  EXPECT_EQ(faulty(run_of("two")).exit_status, 0);
  std::map<std::string, std::string> by_group;
  for (const Json& record : cases(path("out/two.jsonl"))) by_group[record.at("group")] = record.at("status");
  EXPECT_EQ(by_group, (std::map<std::string, std::string>{{"a", "skipped"}, {"b", "ok"}}));
}

TEST_F(CommandRun, a_run_record_names_machine_program_ceilings_and_definition) {
  write("small.toml",
        "title = \"t\"\nquestion = \"q\"\n[settings]\nprecision = 0.2\n[[group]]\nname = \"g\"\nsize = "
        "40\n[[group.run]]\nimplementation "
        "= \"cpu.ikj\"\n");
  const Finished run = faulty(run_of("small") + " --machine lab-7");
  ASSERT_EQ(run.exit_status, 0) << run.output;
  const auto found = records(path("out/small.jsonl"));
  ASSERT_EQ(found.size(), 4u) << "a run, a point, its A/A twin and where the time went";
  const Json& record = found[0];
  EXPECT_EQ(record.at("kind"), "run");
  EXPECT_EQ(record.at("machine"), "lab-7");
  EXPECT_EQ(record.at("definition").at("title"), "t");
  EXPECT_FALSE(record.at("ceilings").empty());
  EXPECT_FALSE(record.at("costs").empty());
  const Json point = cases(path("out/small.jsonl")).at(0);
  EXPECT_EQ(point.at("run_id"), record.at("run_id"));
  EXPECT_EQ(point.at("samples_s").size(), point.at("rounds").size());
  EXPECT_GT(point.at("of_ceiling").get<double>(), 0);
  EXPECT_LT(point.at("of_ceiling").get<double>(), 1.2);
  bool exact = false;
  bool bound = false;
  for (const Json& check : point.at("verify")) {
    exact = exact || check.at("method") == "exact";
    bound = bound || check.at("method") == "bound";
  }
  EXPECT_TRUE(exact && bound);
}

TEST_F(CommandRun, a_run_explains_its_plus_minus_once) {
  write(
      "pm.toml",
      "title = \"t\"\nquestion = \"q\"\n[settings]\nprecision = 0.2\ntwins = false\n[[group]]\nname = \"g\"\n"
      "size = [40, 41]\n[[group.run]]\nimplementation = \"cpu.ikj\"\n");
  const std::string command = run_of("pm");
  const Finished run = faulty(command);
  const std::string explained = "± is half the width of the 95 % interval of the median";
  EXPECT_NE(run.output.find(explained), std::string::npos) << run.output;
  EXPECT_EQ(run.output.find(explained), run.output.rfind(explained)) << run.output;
}

}  // namespace
}  // namespace gemmlab::test
