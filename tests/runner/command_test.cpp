#include <gmock/gmock.h>

#include "gpu/table.h"
#include "tests/runner/support.h"

namespace gemmlab::test {
namespace {

using ::testing::HasSubstr;

class Command : public Scratch {};

TEST_F(Command, list_shows_implementations_and_experiments) {
  const Json list = Json::parse(faulty("list --json").output);
  std::map<std::string, Json> by_id;
  for (const Json& implementation : list.at("implementations"))
    by_id[implementation.at("id")] = implementation;
  for (const auto& [id, implementation] : by_id) {
    EXPECT_FALSE(implementation.at("summary").get<std::string>().empty()) << id;
    EXPECT_EQ(implementation.at("available").get<bool>(),
              implementation.at("why_not").get<std::string>().empty())
        << id;
  }
  EXPECT_TRUE(by_id.at("cpu.ikj").at("available").get<bool>());
  EXPECT_GE(list.at("experiments").size(), 7u);
  EXPECT_THAT(faulty("list").output, HasSubstr("cpu.ikj"));
}

TEST_F(Command, list_ends_with_the_missing_packages_and_the_command_that_adds_them) {
  EXPECT_THAT(faulty("list").output, ::testing::Not(HasSubstr("Optional packages")));
  ::setenv("GEMMLAB_MISSING_PACKAGES", "bubblewrap, libdnnl3", 1);
  ::setenv("GEMMLAB_ADD_PACKAGES", "apt-get install bubblewrap", 1);
  const std::string told = faulty("list").output;
  ::unsetenv("GEMMLAB_MISSING_PACKAGES");
  ::unsetenv("GEMMLAB_ADD_PACKAGES");
  EXPECT_THAT(told, ::testing::EndsWith("\nOptional packages that are missing: bubblewrap, libdnnl3\n"
                                        "  to add them: apt-get install bubblewrap\n"));
}

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

TEST_F(ReportStep, a_signal_to_the_program_ends_the_report_too) {
  EXPECT_EQ(
      exit_status_with("trap 'echo ended >\"$0.ended\"; exit 143' TERM\nkill -TERM $PPID\n"
                       "for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do sleep 1; done\n"),
      130);
  EXPECT_EQ(read(path("python.ended")), "ended\n");
}

TEST_F(Command, info_tells_the_machine_and_the_build) {
  const Json info = Json::parse(faulty("info --json").output);
  EXPECT_GE(info.at("host").at("cores").get<int>(), 1);
  EXPECT_EQ(info.at("program").at("source_sha256").get<std::string>().size(), 64u);
  EXPECT_GE(info.at("host").at("memory").get<std::int64_t>(), 1 << 20) << "in bytes, for programs";
  const std::string told = faulty("info").output;
  EXPECT_THAT(told, HasSubstr("machine: "));
  EXPECT_THAT(told, ::testing::ContainsRegex("memory +[0-9.]+ [MGT]iB\n"));
  EXPECT_THAT(told, ::testing::ContainsRegex("caches.l1d +[0-9.]+ (bytes|KiB|MiB)\n"));
}

TEST_F(Command, check_passes_for_a_right_implementation) {
  const Finished check = faulty("check cpu.ikj cpu.openmp");
  EXPECT_EQ(check.exit_status, 0) << check.output;
  EXPECT_THAT(check.output, HasSubstr("34/34"));
  EXPECT_THAT(check.output, ::testing::Not(HasSubstr("not checked"))) << "nothing else was asked for";
}

TEST_F(Command, check_does_what_it_can_and_names_what_it_left_out) {
  if (gpu::built_with_cuda()) GTEST_SKIP() << "needs a build without CUDA";
  const Finished check = faulty("check gpu.tiled cpu.ikj");
  EXPECT_EQ(check.exit_status, 2) << "not all that was asked for was checked";
  EXPECT_THAT(check.output, HasSubstr("34/34"));
  EXPECT_THAT(check.output,
              ::testing::ContainsRegex("gpu.tiled +not checked: this program was built without CUDA\n"));
  EXPECT_EQ(faulty("check gpu.tiled cpu.wrong").exit_status, 1) << "a failure weighs more";
  const Finished nothing = faulty("check 'gpu.*'");
  EXPECT_EQ(nothing.exit_status, 2);
  EXPECT_EQ(std::count(nothing.output.begin(), nothing.output.end(), '\n'), 1) << nothing.output;
}

TEST_F(Command, check_fails_for_a_wrong_one_and_names_the_shape) {
  const Finished check = faulty("check cpu.wrong");
  EXPECT_EQ(check.exit_status, 1);
  EXPECT_THAT(check.output, HasSubstr("FAILED"));
  EXPECT_THAT(check.output, HasSubstr("incorrect at 1: "));
  const std::size_t crash = check.output.find("crashed at 1: ");
  ASSERT_NE(crash, std::string::npos) << check.output;
  EXPECT_EQ(check.output.find("crashed at ", crash + 1), std::string::npos) << "a crash is told once";
  EXPECT_THAT(check.output, HasSubstr("not tried at the other shapes"));
}

TEST_F(Command, check_counts_what_is_named_twice_once) {
  const Finished check = faulty("check cpu.wrong cpu.wrong");
  const std::string row = "kind wrong ";
  ASSERT_NE(check.output.find(row), std::string::npos) << check.output;
  EXPECT_EQ(check.output.find(row), check.output.rfind(row)) << check.output;
}

TEST_F(Command, two_experiments_of_one_name_are_refused) {
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

TEST_F(Command, a_dry_run_prints_the_points_and_measures_nothing) {
  const Finished dry = faulty("run quick --dry-run --output '" + path("out") + "'");
  EXPECT_EQ(dry.exit_status, 0);
  EXPECT_THAT(dry.output, HasSubstr("cpu.OpenBLAS"));
  EXPECT_THAT(dry.output, HasSubstr("GB of memory"));
  EXPECT_THAT(dry.output, ::testing::ContainsRegex("In all about [^(]+ \\([^)]+ to [^)]+\\)"));
  EXPECT_THAT(dry.output, HasSubstr("with times of another machine ("));
  EXPECT_FALSE(std::filesystem::exists(path("out")));
}

TEST_F(Command, a_dry_run_marks_what_is_recorded) {
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

TEST_F(Command, a_dry_run_learns_from_other_experiments_of_the_folder) {
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

TEST_F(Command, a_reader_that_has_seen_enough_gets_no_message) {
  write("many.toml",
        "title = \"t\"\nquestion = \"q\"\n[[group]]\nname = \"g\"\nsize = { from = 1, to = 5000, step = 1 }\n"
        "[[group.run]]\nimplementation = \"cpu.ikj\"\n");
  const std::string errors = path("errors");
  const Finished dry = faulty("run '" + path("many.toml") + "' --dry-run --output '" + path("out") + "' 2>'" +
                              errors + "' | head -n 1");
  EXPECT_EQ(dry.output, "many: t\n");
  EXPECT_EQ(read(errors), "");
}

TEST_F(Command, a_dry_run_of_100000_points_is_planned) {
  write(
      "many.toml",
      "title = \"t\"\nquestion = \"q\"\n[[group]]\nname = \"g\"\nsize = { from = 1, to = 12500, step = 1 }\n"
      "[[group.run]]\nimplementation = \"cpu.ikj\"\nthreads = [1, 2, 3, 4, 5, 6, 7, 8]\n");
  const Finished dry = faulty("run '" + path("many.toml") + "' --dry-run --output '" + path("out") + "'");
  EXPECT_EQ(dry.exit_status, 0);
  EXPECT_THAT(dry.output, HasSubstr("100000 points"));
}

TEST_F(Command, mistakes_on_the_command_line_are_one_line_and_exit_2) {
  for (const char* arguments :
       {"run nonsense", "run", "frobnicate", "check cpu.fast", "run quick --nonsense", ""}) {
    const Finished finished = faulty(arguments);
    EXPECT_EQ(finished.exit_status, 2) << arguments;
    EXPECT_EQ(std::count(finished.output.begin(), finished.output.end(), '\n'), 1) << finished.output;
    EXPECT_THAT(finished.output, HasSubstr("gemmlab: "));
  }
  EXPECT_THAT(faulty("frobnicate").output,
              HasSubstr("there is no command 'frobnicate'; allowed: list, info"));
  EXPECT_THAT(faulty("chekc cpu.ikj").output,
              HasSubstr("there is no command 'chekc' (did you mean 'check'?)"));
  EXPECT_THAT(faulty("run nonsense").output, HasSubstr("allowed: accuracy, blas1, block_size, cpu_ladder"));
  EXPECT_THAT(faulty("run qiuck").output, HasSubstr("'qiuck' (did you mean 'quick'?); allowed: "));
  EXPECT_THAT(faulty("check blocked").output,
              HasSubstr("'blocked' (did you mean 'cpu.blocked'?); allowed: "));
  const std::string beside = write("my_sweep.toml", "").substr(0, path("my_sweep").size());
  EXPECT_THAT(faulty("run '" + beside + "'").output, HasSubstr("(did you mean '" + beside + ".toml'?)"));
}

TEST_F(Command, what_is_said_of_an_argument_is_short_and_obeyed_by_no_terminal) {
  const std::string odd = std::string(100000, 'x') + "\x1b[2J\n";
  for (const char* arguments :
       {"", "run ", "run --", "points ", "check ", "run --dry-run quick --output ",
        "multiply --implementation ", "multiply --implementation cpu.ikj --parameters ",
        "multiply --implementation cpu.ikj --m ", "tune "}) {
    for (const std::string& word : {odd, "\x1b[2J\n" + odd}) {
      const Finished refused = faulty(arguments + ("'" + word + "'"));
      EXPECT_EQ(refused.exit_status, 2) << arguments;
      EXPECT_LT(refused.output.size(), 5000u) << arguments;
      EXPECT_EQ(std::count(refused.output.begin(), refused.output.end(), '\n'), 1) << arguments;
      EXPECT_EQ(refused.output.find('\x1b'), std::string::npos) << arguments;
    }
  }
}

TEST_F(Command, help_shows_an_example_for_each_command) {
  for (const char* command : {"list", "info", "check", "run"}) {
    const Finished help = faulty(std::string(command) + " --help");
    EXPECT_EQ(help.exit_status, 0);
    EXPECT_THAT(help.output, HasSubstr(std::string("Example: gemmlab ") + command));
  }
}

TEST_F(Command, a_machine_name_that_is_no_folder_name_is_refused) {
  for (const char* name : {"../x", "a/b", "", "my laptop"}) {
    const Finished run = faulty("run quick --no-report --machine '" + std::string(name) + "'");
    EXPECT_EQ(run.exit_status, 2) << name;
    EXPECT_THAT(run.output, HasSubstr("--machine")) << run.output;
  }
}

TEST_F(Command, an_experiment_whose_points_are_all_left_out_still_leaves_its_records) {
  write(
      "none.toml",
      "title = \"t\"\nquestion = \"q\"\n[[group]]\nname = \"g\"\nsize = 40\n[[group.run]]\nimplementation = "
      "\"cpu.ikj\"\n[[group.exclude]]\nreason = \"all of it\"\n");
  const std::string command = run_of("none");
  const Finished first = faulty(command + " --verbose");
  EXPECT_EQ(first.exit_status, 0);
  EXPECT_THAT(first.output, ::testing::ContainsRegex("skipped +cpu.ikj +40 +all of it")) << "a line a point";
  EXPECT_EQ(faulty(command).exit_status, 0);
  const auto found = records(path("out/none.jsonl"));
  ASSERT_EQ(found.size(), 2u) << "one run record, one skipped point, and nothing more the second time";
  EXPECT_EQ(found[1].at("status"), "skipped");
  EXPECT_EQ(found[1].at("reason"), "all of it");
}

TEST_F(Command, a_point_excluded_in_one_group_is_measured_in_another) {
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

TEST_F(Command, a_run_record_names_machine_program_ceilings_and_definition) {
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

TEST_F(Command, a_run_explains_its_plus_minus_once) {
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

TEST_F(Command, points_lists_what_a_definition_measures) {
  write("p.toml",
        "title = \"t\"\nquestion = \"q\"\n[[group]]\nname = \"g\"\nsize = [40, 41]\n[[group.run]]\n"
        "implementation = \"cpu.blocked\"\nblock = [16, 32]\n");
  const Finished listed = faulty("points '" + path("p.toml") + "'");
  ASSERT_EQ(listed.exit_status, 0) << listed.output;
  const Json points = Json::parse(listed.output);
  ASSERT_EQ(points.size(), 4u);
  EXPECT_EQ(points[0].at("label"), "blocked, block 16");
  EXPECT_EQ(points[3].at("dims").at("m"), 41);
  EXPECT_EQ(points[0].at("case_id").get<std::string>().size(), 16u);
}

TEST_F(Command, multiply_runs_one_product_and_judges_it) {
  const Finished right =
      faulty("multiply --implementation cpu.blocked --parameters '{\"block\": 16}' --m 33 --n 20 --k 7");
  EXPECT_EQ(right.exit_status, 0) << right.output;
  EXPECT_EQ(right.output, "cpu.blocked ok\n");
  EXPECT_EQ(faulty("multiply --implementation cpu.wrong --m 8 --n 8 --k 8").exit_status, 1);
  for (const char* arguments :
       {"--implementation cpu.slow", "--implementation cpu.blocked --parameters '{\"block\": 17}'",
        "--implementation cpu.blocked --parameters nonsense", "--implementation cpu.ikj --m 0",
        "--implementation gpu.none"}) {
    const Finished refused = faulty(std::string("multiply ") + arguments);
    EXPECT_EQ(refused.exit_status, 2) << arguments;
    EXPECT_EQ(std::count(refused.output.begin(), refused.output.end(), '\n'), 1) << refused.output;
  }
  if (gpu::built_with_cuda()) return;
  EXPECT_EQ(faulty("multiply --implementation gpu.tiled").output,
            "gemmlab: gpu.tiled: this program was built without CUDA\n");
}

}  // namespace
}  // namespace gemmlab::test
