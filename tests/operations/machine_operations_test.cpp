// The machine's own operations: what they are filled with, and what their references find.

#include <gtest/gtest.h>

#include <set>

#include "operations/access/access.h"
#include "operations/barrier/barrier.h"
#include "operations/chain/chain.h"
#include "operations/chase/chase.h"
#include "operations/lanes/lanes.h"
#include "tests/operation_case.h"

namespace gemmlab {
namespace {

const Operation* const kOperations[] = {&chase(), &access(), &lanes(), &barrier(), &chain()};

TEST(Chase, TheNodesAreOneCycle) {
  for (const std::int64_t nodes : {1, 2, 3, 31, 128, 1000, 4097}) {
    OperationCase ring(instance_of(chase(), {nodes * 128 + 127}));
    ring.fill(0);
    const auto* next = ring.operands().in<std::int32_t>(chasing::kNext);
    std::set<std::int32_t> seen;
    std::int32_t at = 0;
    do {
      ASSERT_TRUE(at >= 0 && at < nodes && seen.insert(at).second) << nodes;
      at = next[at];
    } while (at != 0);
    EXPECT_EQ(static_cast<std::int64_t>(seen.size()), nodes);
  }
}

TEST(Chase, NeighboursOnTheCycleLieApart) {
  OperationCase ring(instance_of(chase(), {4096 * 128}));
  ring.fill(0);
  const auto* next = ring.operands().in<std::int32_t>(chasing::kNext);
  int neighbours = 0;
  for (std::int32_t i = 0; i < 4096; ++i) neighbours += std::abs(next[i] - i) == 1;
  EXPECT_LT(neighbours, 16);  // a prefetcher of the next line finds nothing
}

TEST(Chase, AnotherEndIsFound) {
  OperationCase ring(instance_of(chase(), {1000 * 128}, {{"loads", std::int64_t{77}}}));
  for (const std::int64_t set : {0, 1, 5}) {
    ring.fill(set);
    auto* at = ring.operands().out<std::int32_t>(chasing::kAt);
    const auto* next = ring.operands().in<std::int32_t>(chasing::kNext);
    EXPECT_EQ(*at, set);
    for (int load = 0; load < 76; ++load) *at = next[*at];
    EXPECT_EQ(ring.verdict(set), Verdict::kIncorrect) << "one load too few";
    *at = next[*at];
    EXPECT_EQ(ring.verdict(set), Verdict::kOk);
    EXPECT_EQ(ring.verdict(set + 1), Verdict::kIncorrect) << "another set's end";
  }
}

TEST(Access, ATotalOfOtherElementsIsFound) {
  OperationCase reads(
      instance_of(access(), {1000}, {{"offset", std::int64_t{3}}, {"stride", std::int64_t{5}}}));
  reads.fill(0);
  const auto* x = reads.operands().in<std::int32_t>(accessing::kValues);
  auto* total = reads.operands().out<std::int64_t>(accessing::kTotal);
  const auto add = [&](std::int64_t offset, std::int64_t stride, std::int64_t n) {
    *total = 0;
    for (std::int64_t i = 0; i < n; ++i) *total += x[offset + i * stride];
    return reads.verdict(0);
  };
  EXPECT_EQ(add(3, 5, 1000), Verdict::kOk);
  EXPECT_EQ(add(2, 5, 1000), Verdict::kIncorrect);
  EXPECT_EQ(add(3, 4, 1000), Verdict::kIncorrect);
  add(3, 5, 1000);
  *total -= 1;
  EXPECT_EQ(reads.verdict(0), Verdict::kIncorrect);
}

TEST(Access, PassesAddUp) {
  const Instance many = instance_of(access(), {1 << 20}, {{"passes", std::string("many")}});
  EXPECT_EQ(accessing::pattern_of(many).passes, 256);
  EXPECT_DOUBLE_EQ(access().rates(many)[0].amount, 256 * 4.0 * (1 << 20) * 1e-9);
  EXPECT_EQ(accessing::pattern_of(instance_of(access(), {1}, {{"passes", std::string("many")}})).passes,
            1 << 16);
  EXPECT_EQ(accessing::pattern_of(instance_of(access(), {1 << 20})).passes, 1);
}

TEST(Lanes, ConflictOfDegreeDIsDLanesOfOneBank) {
  for (int degree = 1; degree <= reading::kLanes; ++degree) {
    std::multiset<int> banks;
    std::set<int> words;
    std::set<int> distinct;
    for (int lane = 0; lane < reading::kLanes; ++lane) {
      const int word = reading::first_word(lane, degree, true);
      banks.insert(word % reading::kLanes);
      words.insert(word);
      distinct.insert(reading::first_word(lane, degree, false));
    }
    EXPECT_EQ(banks.count(0), static_cast<std::size_t>(degree));
    for (const int bank : banks) EXPECT_LE(banks.count(bank), static_cast<std::size_t>(degree));
    EXPECT_EQ(words.size(), static_cast<std::size_t>(reading::kLanes)) << "no two lanes share a word";
    EXPECT_EQ(distinct.size(), static_cast<std::size_t>(degree));
    EXPECT_LT(*words.rbegin() + reading::row_of(63) * reading::kLanes, reading::kWords);
  }
}

TEST(MachineOperations, ALatencyIsTimePerLoad) {
  const Rate rate = chase().rates(instance_of(chase(), {4096}, {{"loads", std::int64_t{1000}}}))[0];
  EXPECT_TRUE(rate.inverse);
  EXPECT_NEAR(rate.of(50e-6), 50, 1e-9);
  const Rate bandwidth = access().rates(instance_of(access(), {250'000'000}))[0];
  EXPECT_NEAR(bandwidth.of(0.5), 2.0, 1e-9);
}

TEST(MachineOperations, WhatWasNotWrittenIsIncorrect) {
  for (const Operation* operation : kOperations) {
    for (const auto& dims : operation->odd_dimensions()) {
      OperationCase one(instance_of(*operation, dims));
      ASSERT_EQ(operation->why_not(one.instance()), "") << operation->name();
      one.fill(0);
      if (operation == &chase() && chasing::ring_of(one.instance()).nodes == 1)
        continue;  // it ends where it begins
      EXPECT_EQ(one.verdict(0), Verdict::kIncorrect) << operation->name() << " " << dims[0];
    }
  }
}

TEST(MachineOperations, RefuseWhatTheirListsDoNotHold) {
  EXPECT_THROW(instance_of(chase(), {0}), std::invalid_argument);
  EXPECT_THROW(instance_of(chase(), {4096}, {{"loads", std::int64_t{0}}}), std::invalid_argument);
  EXPECT_THROW(instance_of(chase(), {4096}, {{"spacing", std::int64_t{96}}}), std::invalid_argument);
  EXPECT_THROW(instance_of(access(), {10}, {{"stride", std::int64_t{33}}}), std::invalid_argument);
  EXPECT_THROW(instance_of(lanes(), {1, 1}, {{"degree", std::int64_t{33}}}), std::invalid_argument);
  EXPECT_THROW(instance_of(barrier(), {1025, 1}), std::invalid_argument);
}

}  // namespace
}  // namespace gemmlab
