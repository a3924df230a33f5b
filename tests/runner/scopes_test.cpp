#include <gmock/gmock.h>

#include "tests/runner/support.h"

namespace gemmlab::test {
namespace {

class Scopes : public Scratch {
 protected:
  /// Runs one group at size 48 with these [[group.run]] lines.
  Finished run(const std::string& settings, const std::string& runs) {
    const bool precise = settings.find("precision") != std::string::npos;
    write("s.toml", "title = \"t\"\nquestion = \"q\"\n[settings]\nmin_time_s = 0.02\n" + settings +
                        (precise ? "" : "\nprecision = 0.05") + "\n[[group]]\nname = \"g\"\nsize = 48\n" +
                        runs);
    return faulty(run_of("s"));
  }
  std::string file() const { return path("out/s.jsonl"); }
};

TEST_F(Scopes, a_first_call_is_sampled_in_fresh_processes_and_tells_its_phases) {
  const Finished finished =
      run("scope = \"first-call\"\nmax_time_s = 200\nprecision = 1",
          "[[group.run]]\nimplementation = \"cpu.ikj\"\nlabel = \"ikj\"\n"
          "[[group.run]]\nimplementation = \"cpu.fault\"\nkind = \"crash\"\nlabel = \"crash\"\n"
          "[[group.run]]\nimplementation = \"cpu.fault\"\nkind = \"wrong\"\nlabel = \"wrong\"\n");
  EXPECT_EQ(finished.exit_status, 1) << "two of them are wrong";
  const auto status = statuses(file());
  EXPECT_EQ(status.at("ikj"), "ok") << finished.output;
  EXPECT_EQ(status.at("crash"), "crashed");
  EXPECT_EQ(status.at("wrong"), "incorrect");
  for (const Json& record : cases(file())) {
    if (record.at("label") != "ikj") continue;
    const std::size_t samples = record.at("samples_s").size();
    EXPECT_GE(samples, 10u);
    EXPECT_EQ(record.at("steady_s").size(), samples);
    double first = 0;
    for (const auto& [phase, values] : record.at("first_call_s").items()) {
      EXPECT_EQ(values.size(), samples) << phase;
      first += values[0].get<double>();
    }
    EXPECT_NEAR(first, record.at("samples_s")[0].get<double>(), 1e-9) << "the phases are all of it";
    EXPECT_FALSE(record.at("verify").empty());
  }
}

TEST_F(Scopes, a_hanging_first_call_is_a_timeout) {
  run("scope = \"first-call\"\ntimeout_s = 1",
      "[[group.run]]\nimplementation = \"cpu.fault\"\nkind = \"hang\"\nlabel = \"hang\"\n");
  EXPECT_EQ(statuses(file()).at("hang"), "timeout");
}

TEST_F(Scopes, end_to_end_points_stand_beside_kernels_in_one_group) {
  const Finished finished =
      run("",
          "[[group.run]]\nimplementation = \"cpu.ikj\"\nlabel = \"kernel\"\n"
          "[[group.run]]\nimplementation = \"cpu.ikj\"\nscope = \"end-to-end\"\nallocation = \"counted\"\n"
          "label = \"with C's memory\"\n");
  EXPECT_EQ(finished.exit_status, 0) << finished.output;
  for (const Json& record : cases(file())) {
    EXPECT_EQ(record.at("status"), "ok");
    EXPECT_EQ(record.at("allocation"), record.at("label") == "kernel" ? Json() : Json("counted"));
  }
}

TEST_F(Scopes, twins_are_recorded_beside_the_points_and_not_counted_among_them) {
  const Finished finished = run("", "[[group.run]]\nimplementation = \"cpu.ikj\"\nlabel = \"ikj\"\n");
  EXPECT_THAT(finished.output, ::testing::Not(::testing::HasSubstr("(again)")));
  const auto all = of_kind("case", file());
  ASSERT_EQ(all.size(), 2u);
  ASSERT_EQ(cases(file()).size(), 1u);
  const Json& twin = all[0].at("twin_of").is_null() ? all[1] : all[0];
  EXPECT_EQ(twin.at("twin_of"), cases(file())[0].at("case_id"));
  EXPECT_EQ(twin.at("label"), "ikj (again)");
}

TEST_F(Scopes, the_cost_record_accounts_for_the_wall_time) {
  run("", "[[group.run]]\nimplementation = \"cpu.ikj\"\nlabel = \"ikj\"\n");
  const auto costs = of_kind("cost", file());
  ASSERT_EQ(costs.size(), 1u);
  const Json& cost = costs[0];
  double parts = 0;
  for (const char* part : {"start_up_s", "ceilings_s", "inputs_s", "reference_s", "prepare_s", "pilot_s",
                           "verify_s", "warm_up_s", "settle_s", "measured_s", "other_s"}) {
    EXPECT_GE(cost.at(part).get<double>(), 0) << part;
    parts += cost.at(part).get<double>();
  }
  EXPECT_NEAR(parts, cost.at("wall_s").get<double>(), 1e-6);
  EXPECT_GT(cost.at("measured_s").get<double>(), 0);
}

}  // namespace
}  // namespace gemmlab::test
