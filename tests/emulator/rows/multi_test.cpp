// gpu.multi on several emulated cards: right at odd shapes, with nothing found, wherever its operands begin.

#include "tests/emulator/rows/several_cards.h"

namespace gemmlab::emulation {
namespace {

const Implementation& multi() {
  return emulated_row("gpu.multi");
}

Parameters with(int gpus, const char* operands, int chunks, int memory_mib = 0) {
  return complete(multi().description(), {{"gpus", std::int64_t{gpus}},
                                          {"operands", std::string(operands)},
                                          {"chunks", std::int64_t{chunks}},
                                          {"memory_mib", std::int64_t{memory_mib}}});
}

class SeveralCards : public OnSeveralCards {
 protected:
  static void expect_right(const Shape& shape, const Parameters& parameters) {
    OnSeveralCards::expect_right(multi(), shape, parameters);
  }
};

TEST_F(SeveralCards, give_the_product_at_odd_shapes_and_nothing_is_found) {
  const Shape shapes[] = {{1, 1, 1},    {3, 2, 5},   {37, 45, 29}, {64, 96, 33},
                          {130, 7, 61}, {1, 67, 31}, {67, 1, 31}};
  for (const int gpus : {1, 2, 4}) {
    emulate(gpus);
    for (const Shape& shape : shapes) expect_right(shape, with(gpus, "sharded", 2));
  }
}

TEST_F(SeveralCards, get_their_operands_in_steps) {
  for (const int gpus : {1, 2, 4}) {
    emulate(gpus);
    expect_right({37, 45, 29}, with(gpus, "first", 2));
    expect_right({37, 45, 29}, with(gpus, "host", 2));
    expect_right({3, 2, 5}, with(gpus, "host", 3));
  }
}

TEST_F(SeveralCards, stream_what_is_larger_than_they_may_hold) {
  emulate(4);
  expect_right({19, 5, 14001}, with(1, "host", 2, 1));
  expect_right({7, 29, 14001}, with(2, "host", 1, 1));
  expect_right({31, 7, 17000}, with(4, "host", 5, 1));
  expect_right({9, 33000, 7}, with(1, "host", 1, 1));
}

TEST_F(SeveralCards, refuse_matrices_of_which_not_even_a_column_fits) {
  emulate(1);
  EXPECT_EQ(
      multi().why_not(gemm_at({8, 8, 200000}), with(1, "host", 1, 1)),
      "memory_mib = 1: a card may hold 262144 floats of A, B and C, too few for columns of 200000 floats");
  EXPECT_EQ(multi().why_not(gemm_at({8, 8, 8}), with(1, "first", 1, 1)),
            "memory_mib = 1: for operands = host alone");
}

TEST_F(SeveralCards, may_be_three_or_eight_or_fewer_than_there_are) {
  emulate(8);
  for (const int gpus : {3, 8}) {
    for (const char* operands : {"first", "sharded", "host"})
      expect_right({61, 53, 17}, with(gpus, operands, gpus == 3 ? 2 : 1));
  }
}

TEST_F(SeveralCards, more_than_can_be_seen_are_refused) {
  emulate(2);
  EXPECT_EQ(multi().why_not(gemm_at({8, 8, 8}), with(3, "first", 4)), "gpus = 3, and 2 can be seen here");
  EXPECT_THROW(multi().prepare(gemm_at({8, 8, 8}), with(3, "first", 4)), std::runtime_error);
}

/// In a process of its own, as the library is opened once.
TEST_F(SeveralCards, exchange_by_no_nccl_but_one_that_knows_them) {
  ::testing::GTEST_FLAG(death_test_style) = "threadsafe";
  const auto ask = [] {
    unsetenv("GEMMLAB_EMULATED_NCCL");
    emulate(2);
    Parameters parameters = with(2, "sharded", 1);
    parameters["exchange"] = std::string("nccl");
    std::fputs(multi().why_not(gemm_at({8, 8, 8}), parameters).c_str(), stderr);
    std::exit(0);
  };
  EXPECT_EXIT(ask(), ::testing::ExitedWithCode(0),
              "exchange = nccl: NCCL was not found \\(libnccl of emulated cards");
}

TEST_F(SeveralCards, say_what_grid_they_are_and_what_they_exchange) {
  emulate(4);
  const auto session = multi().prepare(gemm_at({64, 64, 16}), with(4, "sharded", 4));
  const Facts facts = session->chosen();
  EXPECT_EQ(std::get<std::string>(facts.at("grid")), "2x2");
  EXPECT_EQ(std::get<std::int64_t>(facts.at("exchanged_bytes")), 4 * (64 + 64) * 16);
  EXPECT_EQ(std::get<std::int64_t>(facts.at("peer_pairs")), 12);
}

}  // namespace
}  // namespace gemmlab::emulation
