#include <gmock/gmock.h>

#include "gpu/table.h"
#include "runner/recording/fingerprint.h"
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

TEST_F(Command, info_tells_the_machine_and_the_build) {
  const Json info = Json::parse(faulty("info --json").output);
  EXPECT_GE(info.at("host").at("cores").get<int>(), 1);
  EXPECT_EQ(info.at("host").at("id").get<std::string>().size(), 12u) << "as records name the host";
  EXPECT_EQ(info.at("program").at("source_sha256").get<std::string>().size(), 64u);
  EXPECT_GE(info.at("host").at("memory").get<std::int64_t>(), 1 << 20) << "in bytes, for programs";
  const std::string told = faulty("info").output;
  EXPECT_THAT(told, HasSubstr("machine: "));
  EXPECT_THAT(told, ::testing::ContainsRegex("memory +[0-9.]+ [MGT]iB\n"));
  EXPECT_THAT(told, ::testing::ContainsRegex("caches.l1d +[0-9.]+ (bytes|KiB|MiB)\n"));
}

TEST_F(Command, info_lists_every_card_and_a_bad_choice_is_one_line) {
  if (gpu::built_with_cuda()) GTEST_SKIP() << "needs a build without CUDA";
  ::setenv("LD_LIBRARY_PATH", GEMMLAB_PLANTED_CARDS, 1);
  const Json info = Json::parse(faulty("info --json").output);
  const std::string told = faulty("info").output;
  const Finished refused = faulty("info --gpu 7");
  ::unsetenv("LD_LIBRARY_PATH");
  ASSERT_EQ(info.at("cards").size(), 4u);
  EXPECT_EQ(info.at("cards").at(2).at("busy_percent"), 93);
  EXPECT_EQ(info.at("cards").at(3).at("memory"), Json());
  EXPECT_THAT(
      told,
      HasSubstr(
          "  1  NVIDIA Planted, GPU-1b2c3d4e-0000-1111-2222-333344445555: 1 GiB of 140 GiB used, 0 % "
          "busy, 900 MHz, 89 °C, 120 W, clock held down: hw thermal slowdown, not shown to CUDA here\n"));
  EXPECT_EQ(refused.exit_status, 2);
  EXPECT_THAT(refused.output,
              HasSubstr("gemmlab: --gpu '7': no GPU can be used here: built without CUDA; the driver lists 0 "
                        "(NVIDIA Planted, GPU-0b2c3d4e, hidden), 1 "));
  EXPECT_EQ(faulty("info --gpu ''").exit_status, 2);
}

TEST_F(Command, check_passes_for_a_right_implementation) {
  const Finished check = faulty("check cpu.ikj cpu.openmp");
  EXPECT_EQ(check.exit_status, 0) << check.output;
  EXPECT_THAT(check.output, HasSubstr("34/34"));
  EXPECT_THAT(check.output, ::testing::Not(HasSubstr("not checked"))) << "nothing else was asked for";
}

TEST_F(Command, check_does_what_it_can_and_names_what_it_left_out) {
  if (gpu::built_with_cuda()) GTEST_SKIP() << "needs a build without CUDA";
  const Finished check = faulty("check gpu.cublas cpu.ikj");
  EXPECT_EQ(check.exit_status, 2) << "not all that was asked for was checked";
  EXPECT_THAT(check.output, HasSubstr("34/34"));
  EXPECT_THAT(check.output, HasSubstr("not checked: built without CUDA; it cannot be emulated: it calls a "
                                      "library of the GPU's maker\n    gpu.cublas\n"));
  EXPECT_EQ(faulty("check gpu.cublas cpu.wrong").exit_status, 1) << "a failure weighs more";
  const Finished nothing = faulty("check gpu.cublas");
  EXPECT_EQ(nothing.exit_status, 2);
  EXPECT_EQ(std::count(nothing.output.begin(), nothing.output.end(), '\n'), 2) << nothing.output;
}

TEST_F(Command, check_does_not_call_right_what_takes_no_shape) {
  const Finished check = faulty("check --emulate gpu.multi");
  if (check.output.find("no GPU kernel can be emulated") != std::string::npos) GTEST_SKIP() << check.output;
  EXPECT_EQ(check.exit_status, 0) << check.output;
  EXPECT_THAT(check.output, ::testing::ContainsRegex("exchange copies, [^\n]* 30/30 [^\n]* ok\n"));
  EXPECT_THAT(check.output,
              ::testing::ContainsRegex(
                  "exchange nccl, [^\n]* 0/0 [^\n]* not checked: exchange = nccl: NCCL was not found"));
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
              HasSubstr("'blocked' (did you mean 'cpu.blocked'?); the nearest: cpu.blocked, "));
  EXPECT_LT(faulty("check cpu.fast").output.size(), 250u) << "not the whole table";
  EXPECT_THAT(faulty("run --hlep").output, HasSubstr("there is no option --hlep (did you mean '--help'?)"));
  EXPECT_THAT(faulty("run quick --ouptut=x").output, HasSubstr("--ouptut=x (did you mean '--output'?)"));
  const std::string beside = write("my_sweep.toml", "").substr(0, path("my_sweep").size());
  EXPECT_THAT(faulty("run '" + beside + "'").output, HasSubstr("(did you mean '" + beside + ".toml'?)"));
}

TEST_F(Command, an_empty_argument_is_a_mistake_whatever_it_is_of) {
  for (const char* arguments : {"''", "list ''", "check cpu.ikj ''", "run ''"}) {
    const Finished refused = faulty(arguments);
    EXPECT_EQ(refused.exit_status, 2) << arguments;
    EXPECT_EQ(refused.output, "gemmlab: an argument is empty: leave it out, or give it a value\n")
        << arguments;
  }
  for (const char* arguments : {"run quick --dry-run --output ''", "run quick --dry-run --output="}) {
    EXPECT_EQ(faulty(arguments).exit_status, 2) << arguments;
    EXPECT_THAT(faulty(arguments).output, ::testing::ContainsRegex("an argument is empty \\(.*--output"));
  }
}

TEST_F(Command, mistakes_are_told_in_json_where_json_was_asked_for) {
  for (const char* arguments :
       {"list --json no.such", "list --json --nonsense", "info --json --gpu 99", "list --json ''"}) {
    const Finished refused = faulty(arguments);  // both streams
    EXPECT_EQ(refused.exit_status, 2) << arguments;
    const std::size_t begin = refused.output.find("{\"error\":");
    ASSERT_NE(begin, std::string::npos) << arguments << refused.output;
    const Json answer = Json::parse(refused.output.substr(begin), nullptr, false);
    ASSERT_TRUE(answer.is_object()) << arguments << refused.output;
    EXPECT_FALSE(answer.at("error").get<std::string>().empty());
  }
}

TEST_F(Command, a_name_that_a_terminal_would_obey_is_refused_without_it) {
  for (const std::string odd : {"\xc2\x9b"
                                "2J",
                                "a\xe2\x80\xae"
                                "b",
                                "a\x1b[2J",
                                "a\xd8\x9c"
                                "b"}) {
    for (const char* arguments : {"run ", "run quick --dry-run --output ", "list ", "run --from-trace "}) {
      const Finished refused = faulty(arguments + ("'" + odd + "'"));
      EXPECT_EQ(refused.exit_status, 2) << arguments;
      EXPECT_THAT(refused.output, HasSubstr("there are control characters in '"));
      EXPECT_EQ(refused.output.find(odd), std::string::npos) << arguments;
    }
  }
  EXPECT_EQ(faulty("run quick --dry-run --output '\xe7\x9f\xa9 \xc3\xa9'").exit_status, 0)
      << "letters are none";
}

TEST_F(Command, explain_of_what_runs_on_the_cpu_names_its_counterpart) {
  const Finished refused = faulty("counts --implementation cpu.blocked");
  EXPECT_EQ(refused.exit_status, 2);
  EXPECT_THAT(refused.output,
              HasSubstr("cpu.blocked runs on the CPU, and explain explains GPU kernels, such as "
                        "its counterpart gpu."));
  EXPECT_EQ(refused.output.find("did you mean"), std::string::npos);
}

TEST_F(Command, what_is_said_of_an_argument_is_short_and_obeyed_by_no_terminal) {
  const std::string odd = std::string(100000, 'x') + "\x1b[2J\n";
  for (const char* arguments :
       {"", "run ", "run --", "points ", "check ", "run --dry-run quick --output ",
        "multiply --implementation ", "multiply --implementation cpu.ikj --parameters ",
        "multiply --implementation cpu.ikj --m ", "tune ", "fingerprints "}) {
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

TEST_F(Command, points_lists_what_a_definition_measures) {
  write("p.toml",
        "title = \"t\"\nquestion = \"q\"\n[[group]]\nname = \"g\"\nsize = [40, 41]\n[[group.run]]\n"
        "implementation = \"cpu.blocked\"\nblock = [16, 32]\n");
  const Finished listed = faulty("points '" + path("p.toml") + "'");
  ASSERT_EQ(listed.exit_status, 0) << listed.output;
  const Json points = Json::parse(listed.output);
  ASSERT_EQ(points.size(), 4u);
  EXPECT_EQ(points[0].at("label"), "blocked 16");
  EXPECT_EQ(points[3].at("dims").at("m"), 41);
  EXPECT_EQ(points[0].at("case_id").get<std::string>().size(), 16u);
}

TEST_F(Command, fingerprints_are_those_of_points_for_their_own_build_alone) {
  const Json own = Json::parse(faulty("info --json").output).at("build");
  Json other = own, partial = own, older = own;
  other["flags"] = "Debug: -O0";
  partial.erase("nvcc");
  older["compiler"] = nullptr;
  const Finished asked = faulty("fingerprints '" + Json{own, other, partial, older, 1}.dump() + "'");
  ASSERT_EQ(asked.exit_status, 0) << asked.output;
  const Json found = Json::parse(asked.output);
  ASSERT_EQ(found.size(), 5u);
  const std::string now = runner::point_fingerprint("cpu.ikj");  // what the store gives a record
  EXPECT_EQ(found[0].at("cpu.ikj"), now);
  EXPECT_EQ(found[0].at("gpu.tiled"), runner::point_fingerprint("gpu.tiled")) << "without CUDA, too";
  EXPECT_NE(found[1].at("cpu.ikj"), now);
  EXPECT_EQ(found[2].at("cpu.ikj"), now) << "nvcc is no part of the CPU's";
  EXPECT_EQ(found[2].count("gpu.tiled"), 0u) << "not known";
  EXPECT_TRUE(found[3].empty());
  EXPECT_TRUE(found[4].empty());
}

TEST_F(Command, multiply_counts_what_the_processor_does_or_says_why_it_cannot) {
  const Finished counted = faulty("multiply --implementation cpu.ikj --m 33 --n 20 --k 7 --counters");
  ASSERT_EQ(counted.exit_status, 0) << counted.output;
  const Json found = Json::parse(counted.output.substr(counted.output.find('\n') + 1));
  EXPECT_EQ(found.at("tool"), "perf_event_open");
  EXPECT_GE(found.at("calls").get<int>(), 1);
  for (const char* name :
       {"cpu_cycles", "cpu_instructions", "l1d_load_misses", "dtlb_load_misses", "llc_load_misses"}) {
    const Json& metric = found.at("metrics").at(name);
    EXPECT_NE(metric.at("value").is_null(), !metric.contains("reason")) << name;
    if (!metric.at("value").is_null()) {
      EXPECT_GE(metric.at("value").get<double>(), 0) << name;
    }
  }
  EXPECT_GT(found.at("metrics").at("time_s").at("value").get<double>(), 0);
}

TEST_F(Command, multiply_runs_one_product_and_judges_it) {
  const Finished right =
      faulty("multiply --implementation cpu.blocked --parameters '{\"block\": 16}' --m 33 --n 20 --k 7");
  EXPECT_EQ(right.exit_status, 0) << right.output;
  EXPECT_EQ(right.output, "cpu.blocked ok\n");
  EXPECT_EQ(faulty("multiply --implementation cpu.wrong --m 8 --n 8 --k 8").exit_status, 1);
  EXPECT_EQ(faulty("multiply --implementation gpu.tiled --counters").exit_status, 2);
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
