// An operation that was added as a user adds one: a folder per device, one in operations, one definition.

#include <gmock/gmock.h>

#include <set>

#include "tests/runner/support.h"

namespace gemmlab::test {
namespace {

using ::testing::HasSubstr;

class Toy : public Scratch {
 protected:
  Finished toy(const std::string& arguments) const {
    return shell("GEMMLAB_ROOT='" GEMMLAB_SOURCE_ROOT "' '" GEMMLAB_TOY "' " + arguments);
  }
};

TEST_F(Toy, is_measured_from_its_definition_to_its_records) {
  const Finished done =
      toy("run '" GEMMLAB_SOURCE_ROOT "/tests/toy/negate.toml' --no-report --output '" + path("out") + "'");
  ASSERT_EQ(done.exit_status, 0) << done.output;
  const std::string file = path("out/negate.jsonl");
  const Json run = of_kind("run", file).at(0);
  const Json& operation = run.at("operations").at(0);
  EXPECT_EQ(operation.at("name"), "negate");
  EXPECT_EQ(operation.at("rates").at(0), (Json{{"name", "gbyte_per_s"}, {"unit", "GB/s"}}));
  std::set<std::string> instances;
  std::size_t on_cpu = 0;
  for (const Json& record : cases(file)) {
    EXPECT_EQ(record.at("operation"), "negate");
    instances.insert(record.at("dims").dump() + record.at("options").dump());
    if (record.at("device") != "cpu") continue;
    ++on_cpu;
    EXPECT_EQ(record.at("status"), "ok") << record.at("reason");
    const double n = record.at("dims").at("n");
    const double bytes = (record.at("options").contains("accumulate") ? 12 : 8) * n;
    EXPECT_EQ(record.at("least_bytes"), bytes);
    EXPECT_DOUBLE_EQ(record.at("rates").at("gbyte_per_s").get<double>(),
                     bytes * 1e-9 / record.at("median_s").get<double>());
  }
  EXPECT_EQ(on_cpu, 16u);
  EXPECT_EQ(
      instances,
      (std::set<std::string>{
          R"({"n":1000}{})", R"({"n":1000}{"factor":2.5})", R"({"n":1000}{"accumulate":"yes"})",
          R"({"n":1000}{"accumulate":"yes","factor":2.5})", R"({"n":4097}{})", R"({"n":4097}{"factor":2.5})",
          R"({"n":4097}{"accumulate":"yes"})", R"({"n":4097}{"accumulate":"yes","factor":2.5})"}));
}

TEST_F(Toy, that_is_recorded_is_not_measured_again) {
  const std::string command =
      "run '" GEMMLAB_SOURCE_ROOT "/tests/toy/negate.toml' --no-report --output '" + path("out") + "'";
  ASSERT_EQ(toy(command).exit_status, 0);
  const std::size_t before = records(path("out/negate.jsonl")).size();
  EXPECT_THAT(toy(command).output, HasSubstr("recorded already"));
  EXPECT_EQ(records(path("out/negate.jsonl")).size(), before);
}

TEST_F(Toy, that_ignores_what_an_operand_held_before_is_found_wrong) {
  std::string text = read(GEMMLAB_SOURCE_ROOT "/tests/toy/negate.toml");
  text = text.substr(0, text.find("[[group.run]]")) +
         "[[group.run]]\nimplementation = \"cpu.negate_forgetful\"\n";
  write("forgetful.toml", text);
  EXPECT_EQ(toy(run_of("forgetful")).exit_status, 1);
  for (const Json& record : cases(path("out/forgetful.jsonl"))) {
    const bool accumulates = record.at("options").contains("accumulate");
    EXPECT_EQ(record.at("status"), accumulates ? "incorrect" : "ok") << record.dump();
    EXPECT_EQ(record.at("variant_of"), "cpu.negate");
  }
}

TEST_F(Toy, may_change_the_type_of_an_operand_by_an_option) {
  write("types.toml",
        "title = \"t\"\nquestion = \"q\"\noperation = \"count_up\"\n"
        "[settings]\nprecision = 0.5\nmin_time_s = 0.01\ntwins = false\n"
        "[[group]]\nname = \"g\"\nn = 4097\ntype = [\"int32\", \"int64\"]\n"
        "[[group.run]]\nimplementation = \"cpu.*\"\n"
        "[[group.run]]\nimplementation = \"cpu.count_up\"\nlabel = \"end to end\"\nscope = \"end-to-end\"\n"
        "[[group.run]]\nimplementation = \"cpu.count_up\"\nlabel = \"first\"\nscope = \"first-call\"\n");
  EXPECT_EQ(toy(run_of("types")).exit_status, 1);  // for the planted fault
  std::size_t seen = 0;
  for (const Json& record : cases(path("out/types.jsonl"))) {
    ++seen;
    const bool is_long = record.at("options") == Json{{"type", "int64"}};
    EXPECT_EQ(record.at("least_bytes"), (is_long ? 16 : 8) * 4097) << record.dump();
    const bool wrong = is_long && record.at("implementation") == "cpu.count_up_narrow";
    EXPECT_EQ(record.at("status"), wrong ? "incorrect" : "ok") << record.dump();
  }
  EXPECT_EQ(seen, 8u);
}

TEST_F(Toy, is_listed_and_checked_beside_the_others) {
  EXPECT_THAT(toy("list").output, HasSubstr("Implementations of negate (y = -x, float32)"));
  const Finished checked = toy("check cpu.negate");
  EXPECT_EQ(checked.exit_status, 0) << checked.output;
  EXPECT_THAT(checked.output, HasSubstr("6/6"));
}

TEST_F(Toy, names_what_its_definitions_may_say) {
  const auto refused = [&](const std::string& group) {
    write("wrong.toml",
          "title = \"t\"\nquestion = \"q\"\noperation = \"negate\"\n[[group]]\nname = \"g\"\n" + group);
    return toy("run '" + path("wrong.toml") + "' --dry-run").output;
  };
  const std::string run = "\n[[group.run]]\nimplementation = \"cpu.negate\"\n";
  EXPECT_THAT(refused("n = 5\nm = 5" + run), HasSubstr("wrong.toml:7"));
  EXPECT_THAT(refused("n = 5\naccumulate = \"maybe\"" + run),
              HasSubstr("option 'accumulate' of negate is maybe; allowed: no, yes"));
  EXPECT_THAT(refused("n = 5\n[[group.run]]\nimplementation = \"cpu.serial\"\n"),
              HasSubstr("'cpu.serial' computes gemm, not negate; allowed: cpu.negate"));
  EXPECT_THAT(refused("n = 5\noperation = \"negat\"" + run),
              HasSubstr("unknown operation 'negat' (did you mean 'negate'?); allowed: gemm"));
  EXPECT_THAT(refused("n = 5\n[[group.run]]\nimplementation = \"cpu.negate\"\nhandicap = 0.1\n"),
              HasSubstr("'handicap'"));
}

}  // namespace
}  // namespace gemmlab::test
