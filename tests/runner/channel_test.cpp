#include "experiments/runner/channel.h"

#include <gtest/gtest.h>
#include <unistd.h>

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
  point.label = "blocked";
  point.group = "squares";
  point.shape = {3, 5, 7};
  point.scope = Scope::kCall;
  point.cold = false;
  point.distribution = Distribution::kNormal;
  point.seed = 9;
  const Point back = point_from_wire(Json::parse(to_wire(point).dump()));
  EXPECT_EQ(back.canonical().dump(), point.canonical().dump());
  EXPECT_EQ(back.label, point.label);
  EXPECT_EQ(back.parameters, point.parameters);
}

}  // namespace
}  // namespace gemmlab::runner
