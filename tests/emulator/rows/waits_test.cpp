// gpu.multi without one of its waits: what it is for is missed, be it by the next call or by the caller's own work.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "cpu/table.h"
#include "emulator/places.h"
#include "operations/gemm/implementation.h"
#include "runner/commands/emulated.h"
#include "tests/operation_case.h"

namespace gemmlab::emulation {
namespace {

constexpr int kTries = 60;  ///< per place and way to start

struct Streams {
  const char* start;
  int gpus;
  int floats;  ///< that a card may hold; 0: all
  Shape shape;
  const char* exchange = "copies";
  bool slow_links = false;
  bool writes_far = false;
  int chunks = 2;
};

class Waits : public ::testing::Test {
 protected:
  void SetUp() override {
    use_library(GEMMLAB_IN_A_ROW_LIBRARY);
    setenv("GEMMLAB_EMULATED_DEVICES", "4", 1);
    setenv("GEMMLAB_EMULATED_NCCL", GEMMLAB_PLANTED_NCCL, 1);
  }
  void TearDown() override { unsetenv("GEMMLAB_EMULATED_DEVICES"); }

  struct Seen {
    std::vector<std::uint64_t> places;  ///< of all waits
    std::string found;
    std::int64_t failed_calls = 0;
    std::int64_t cards_at_work = 0;
    std::int64_t cards_writing_c = 0;
    std::int64_t shares_taken = 0;
    std::int64_t shares_wrong = 0;
  };
  /// Two products in a row; without_wait 0: with all waits.
  static Seen two_products(const Streams& with, std::int64_t without_wait) {
    const Implementation& row = *emulated_rows().at(0);
    const Instance instance = gemm_at(with.shape);
    const Parameters parameters = complete(row.description(), {{"gpus", std::int64_t{with.gpus}},
                                                               {"start", std::string(with.start)},
                                                               {"chunks", std::int64_t{with.chunks}},
                                                               {"exchange", std::string(with.exchange)},
                                                               {"floats", std::int64_t{with.floats}},
                                                               {"slow_links", std::int64_t{with.slow_links}},
                                                               {"writes_far", std::int64_t{with.writes_far}},
                                                               {"without_wait", without_wait}});
    static const DoubleProduct product = cpu::double_product();
    OperationCase one(instance, product);
    one.fill(0);
    const auto session = row.prepare(instance, parameters);
    Seen seen;
    try {
      session->run(one.operands());
    } catch (const std::exception& error) {
      seen.found = error.what();
    }
    // what was not waited for is done all the same, in an order that is right: it is told, and need not show
    EXPECT_TRUE(one.verdict(0) == Verdict::kOk || !seen.found.empty());
    std::istringstream places(std::get<std::string>(session->chosen().at("places")));
    for (std::uint64_t place = 0; places >> place;) seen.places.push_back(place);
    seen.failed_calls = std::get<std::int64_t>(session->chosen().at("failed_calls"));
    seen.cards_writing_c = std::get<std::int64_t>(session->chosen().at("cards_writing_c"));
    seen.shares_taken = std::get<std::int64_t>(session->chosen().at("shares_taken"));
    seen.shares_wrong = std::get<std::int64_t>(session->chosen().at("shares_wrong"));
    seen.cards_at_work = std::get<std::int64_t>(session->chosen().at("cards_at_work"));
    return seen;
  }

  /// Leaves out waits of each place, until one is missed.
  void leave_out_each(const Streams& with) {
    SCOPED_TRACE(testing::Message() << with.start << " on " << with.gpus << ", floats " << with.floats);
    const Seen all = two_products(with, 0);
    ASSERT_EQ(all.found, "");
    ASSERT_FALSE(all.places.empty());
    std::map<std::uint64_t, int> tried;
    const auto known = places(all.places, GEMMLAB_IN_A_ROW_LIBRARY);
    for (std::size_t wait = 0; wait < all.places.size(); ++wait) {
      const auto place = known.find(all.places[wait]);
      if (place == known.end() || place->second.file.find("gpu/gemm/") == std::string::npos)
        continue;  // NCCL's own
      int& missed = missed_[all.places[wait]];
      if (missed > 0 || ++tried[all.places[wait]] > kTries) continue;
      const Seen seen = two_products(with, static_cast<std::int64_t>(wait) + 1);
      ASSERT_EQ(seen.places.size(), all.places.size());
      const bool race = seen.found.find("no event makes the one wait for the other") != std::string::npos;
      EXPECT_EQ(race, !seen.found.empty()) << seen.found;
      missed += race;
    }
  }
  /// The lines of source at which waits are never missed.
  std::set<std::string> never_missed() const {
    std::map<std::string, int> lines;
    std::vector<std::uint64_t> offsets;
    for (const auto& [offset, times] : missed_) offsets.push_back(offset);
    for (const auto& [offset, place] : places(offsets, GEMMLAB_IN_A_ROW_LIBRARY)) {
      // the path of the mirror that was compiled, or that of the source
      const std::string name = place.file.substr(std::min(place.file.rfind("gpu/gemm/"), place.file.size()));
      std::ifstream file(std::string(GEMMLAB_SOURCE_ROOT) + "/" + name);
      std::string line;
      for (int number = 0; number < place.line && std::getline(file, line); ++number) {
      }
      lines[name + ": " + line.substr(std::min(line.size(), line.find_first_not_of(' ')))] +=
          missed_.at(offset);
    }
    std::set<std::string> found;
    for (const auto& [line, times] : lines) {
      if (times == 0) found.insert(line);
    }
    return found;
  }

  std::map<std::uint64_t, int> missed_;
};

TEST_F(Waits, are_missed_where_they_are_left_out_but_for_those_of_the_clock_and_of_graphs) {
  for (const Streams& with : {Streams{"first", 2, 0, {8, 24, 16}}, Streams{"first", 4, 0, {24, 24, 16}},
                              Streams{"sharded", 2, 0, {8, 24, 16}}, Streams{"host", 2, 0, {8, 24, 16}},
                              Streams{"host", 2, 0, {24, 8, 16}}, Streams{"host", 2, 700, {8, 32, 40}},
                              Streams{"host", 2, 700, {32, 8, 40}}, Streams{"host", 2, 30, {8, 8, 2}},
                              Streams{"host", 4, 0, {24, 24, 16}, "copies", true},
                              Streams{"host", 2, 0, {8, 24, 64}, "copies", true, false, 5},
                              Streams{"first", 4, 0, {24, 24, 16}, "copies", false, true},
                              Streams{"sharded", 2, 0, {8, 24, 16}, "copies", false, true}})
    leave_out_each(with);
  EXPECT_GE(missed_.size(), 17u);
  // the one is there for the clock alone, the other for a capture into a graph, which wants every stream back
  EXPECT_EQ(never_missed(),
            (std::set<std::string>{
                "gpu/gemm/multi/card.cpp: if (cards != nullptr) own_there_.back().wait_in(fetching_.get());",
                "gpu/gemm/multi/times.cpp: end_.wait_in(last);"}));
}

/// compute-sanitizer tells of each call that fails, and would hide what matters behind them.
TEST_F(Waits, no_call_of_cuda_fails_in_one_session_after_another) {
  for (const char* start : {"sharded", "first", "sharded", "host"}) {
    const Seen seen = two_products({start, 4, 0, {24, 24, 16}}, 0);
    EXPECT_EQ(seen.found, "");
    EXPECT_EQ(seen.failed_calls, 0) << start;
    EXPECT_EQ(seen.cards_at_work, 4) << "whose clocks are read";
    EXPECT_EQ(seen.cards_writing_c, 0);
  }
}

TEST_F(Waits, c_is_written_where_it_is_to_lie_where_asked_for) {
  for (const char* start : {"sharded", "first"}) {
    const Seen seen = two_products({start, 4, 0, {24, 24, 16}, "copies", false, true}, 0);
    EXPECT_EQ(seen.found, "");
    EXPECT_EQ(seen.cards_writing_c, 4) << start;
  }
}

TEST_F(Waits, blocks_share_what_has_just_been_made_of_the_same_operand) {
  std::int64_t before = 0;
  for (const char* start : {"sharded", "first", "host"}) {
    for (const int gpus : {1, 2, 4}) {
      for (const int chunks : {1, 2, 3, 5}) {
        SCOPED_TRACE(testing::Message() << start << " on " << gpus << " in " << chunks);
        const Seen seen = two_products({start, gpus, 0, {41, 50, 24}, "copies", false, true, chunks}, 0);
        EXPECT_EQ(seen.found, "");
        EXPECT_EQ(seen.shares_wrong, 0);
        const bool on_host = start == std::string("host");
        if (on_host ? chunks > 1 : gpus == 4 || (gpus == 2 && chunks > 1)) {
          EXPECT_GT(seen.shares_taken, before);
        }
        before = seen.shares_taken;
      }
    }
  }
}

TEST_F(Waits, are_missed_where_nccl_exchanges) {
  for (const Streams& with :
       {Streams{"first", 4, 0, {24, 24, 16}, "nccl"}, Streams{"sharded", 2, 0, {8, 24, 16}, "nccl"},
        Streams{"host", 2, 0, {8, 24, 16}, "nccl"}, Streams{"host", 2, 700, {32, 8, 40}, "nccl"},
        Streams{"host", 4, 0, {24, 24, 16}, "nccl", true}})
    leave_out_each(with);
  EXPECT_EQ(never_missed(),
            (std::set<std::string>{
                "gpu/gemm/multi/card.cpp: if (cards != nullptr) own_there_.back().wait_in(fetching_.get());",
                "gpu/gemm/multi/times.cpp: end_.wait_in(last);"}));
}

}  // namespace
}  // namespace gemmlab::emulation
