#include "runner/execution/channel.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <limits>
#include <stdexcept>

#include "operations/gemm/implementation.h"

namespace gemmlab::runner {
namespace {

TEST(Channel, lines_arrive_whole_and_in_order) {
  int fds[2];
  ASSERT_EQ(::pipe(fds), 0);
  Channel channel(fds[0], fds[1]);
  EXPECT_TRUE(channel.send({{"a", 1}}));
  EXPECT_TRUE(channel.send({{"b", "two\nlines"}}));
  EXPECT_EQ(channel.receive(1000)->at("a"), 1);
  EXPECT_EQ(channel.receive(1000)->at("b"), "two\nlines");
  EXPECT_FALSE(channel.receive(1).has_value());
  EXPECT_FALSE(channel.closed());
  ::close(fds[1]);
  EXPECT_FALSE(channel.receive(1000).has_value());
  EXPECT_TRUE(channel.closed());
  ::close(fds[0]);
}

TEST(Channel, a_point_survives_the_wire) {
  Point point;
  point.implementation = "cpu.blocked";
  point.parameters = {{"block", std::int64_t{32}}, {"isa", std::string("avx2")}};
  point.name = "blocked 32";
  point.name_parts = {"blocked", " {block}"};
  point.family = "tiles";
  point.label = "blocked";
  point.group = "squares";
  point.instance = gemm_at({3, 5, 7});
  point.scope = Scope::kCall;
  point.cold = false;
  point.distribution = Distribution::kNormal;
  point.seed = 9;
  point.host_memory = HostMemory::kPinned;
  point.allocation = Allocation::kHostToo;
  point.module_loading = ModuleLoading::kEager;
  point.replica = 2;
  point.handicap = 0.25;
  const Point back = point_from_wire(Json::parse(to_wire(point).dump()));
  EXPECT_EQ(back.canonical().dump(), point.canonical().dump());
  for (const Scope scope : {Scope::kEndToEnd, Scope::kFirstCall}) {
    point.scope = scope;
    EXPECT_EQ(point_from_wire(Json::parse(to_wire(point).dump())).canonical().dump(),
              point.canonical().dump());
  }
  EXPECT_EQ(back.label, point.label);
  EXPECT_EQ(back.name, point.name);
  EXPECT_EQ(back.name_parts, point.name_parts);
  EXPECT_EQ(back.family, point.family);
  EXPECT_EQ(back.parameters, point.parameters);
}

TEST(Channel, a_parameter_is_a_whole_number_or_a_word) {
  const Parameters read = parameters_from(Json::parse(R"({"block": 16, "isa": "avx2"})"));
  EXPECT_EQ(read, (Parameters{{"block", std::int64_t{16}}, {"isa", std::string("avx2")}}));
  for (const char* text : {R"({"block": 1.5})", R"({"block": null})", R"({"block": [16]})"}) {
    EXPECT_THROW(parameters_from(Json::parse(text)), std::invalid_argument) << text;
  }
}

TEST(Channel, a_first_calls_outcome_survives_the_wire) {
  Outcome outcome;
  outcome.status = Status::kIncorrect;
  outcome.reason = "planted";
  outcome.samples_s = {0.3};
  outcome.moved_bytes = 17;
  FirstCall call;
  call.phases_s = {{"context", 0.2}, {"kernel", 0.1}};
  call.steady_s = 0.001;
  outcome.first_calls = {call};
  outcome.checks = {{"bound", std::numeric_limits<double>::quiet_NaN(), 0.5, 3, 4, Verdict::kIncorrect}};
  outcome.threads_actual = 2;
  outcome.chosen = {{"tile", std::string("8x8")}, {"share", 0.5}, {"stages", std::int64_t{3}}};
  const Outcome back = outcome_from_wire(Json::parse(to_wire(outcome).dump()));
  EXPECT_EQ(to_wire(back).dump(), to_wire(outcome).dump());
  EXPECT_EQ(back.first_calls[0].phases_s, call.phases_s);
  EXPECT_TRUE(std::isnan(back.checks[0].eta_max));
  EXPECT_EQ(back.chosen, outcome.chosen);
}

}  // namespace
}  // namespace gemmlab::runner
