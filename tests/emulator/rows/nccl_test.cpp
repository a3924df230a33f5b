// gpu.multi on several emulated cards that exchange by a planted NCCL.

#include "tests/emulator/rows/several_cards.h"

namespace gemmlab::emulation {
namespace {

class ByNccl : public OnSeveralCards {
 protected:
  void SetUp() override { setenv("GEMMLAB_EMULATED_NCCL", GEMMLAB_PLANTED_NCCL, 1); }
  void TearDown() override { unsetenv("GEMMLAB_PLANTED_NCCL_FAULT"); }

  static const Implementation& multi() { return emulated_row("gpu.multi"); }
  static Parameters with(int gpus, const char* operands, int chunks, int memory_mib = 0) {
    return complete(multi().description(), {{"gpus", std::int64_t{gpus}},
                                            {"operands", std::string(operands)},
                                            {"exchange", std::string("nccl")},
                                            {"chunks", std::int64_t{chunks}},
                                            {"memory_mib", std::int64_t{memory_mib}}});
  }
  static std::string error_of(int gpus, const char* operands) {
    try {
      const Instance instance = gemm_at({37, 45, 29});
      static const DoubleProduct product = cpu::double_product();
      OperationCase one(instance, product);
      one.fill(0);
      multi().prepare(instance, with(gpus, operands, 2))->run(one.operands());
    } catch (const std::exception& error) {
      return error.what();
    }
    return {};
  }
};

TEST_F(ByNccl, the_product_is_right_at_odd_shapes_and_nothing_is_found) {
  const Shape shapes[] = {{1, 1, 1}, {3, 2, 5}, {37, 45, 29}, {130, 7, 61}, {1, 67, 31}, {67, 1, 31}};
  for (const int gpus : {1, 2, 3, 4}) {
    emulate(gpus);
    for (const Shape& shape : shapes) {
      expect_right(multi(), shape, with(gpus, "sharded", 2));
      expect_right(multi(), shape, with(gpus, "first", 2));
    }
  }
}

TEST_F(ByNccl, matrices_of_the_host_stream_through_the_cards) {
  emulate(4);
  for (const int gpus : {1, 2, 4}) expect_right(multi(), {37, 45, 29}, with(gpus, "host", 3));
  expect_right(multi(), {23, 29, 14001}, with(2, "host", 1, 1));
}

TEST_F(ByNccl, a_record_says_by_which_library) {
  emulate(2);
  const auto session = multi().prepare(gemm_at({64, 64, 16}), with(2, "sharded", 1));
  const Facts facts = session->chosen();
  EXPECT_EQ(std::get<std::string>(facts.at("version")), "2.28.9");
  EXPECT_EQ(std::get<std::string>(facts.at("library")), GEMMLAB_PLANTED_NCCL);
  const Facts by_copies =
      multi().prepare(gemm_at({64, 64, 16}), complete(multi().description(), {}))->chosen();
  EXPECT_EQ(by_copies.count("library"), 0u);
}

TEST_F(ByNccl, each_call_that_fails_is_named_and_the_next_product_is_right) {
  emulate(4);
  ASSERT_EQ(error_of(4, "first"), "");
  for (const std::string call : {"ncclGroupStart", "ncclGroupEnd", "ncclSend", "ncclRecv"}) {
    setenv("GEMMLAB_PLANTED_NCCL_FAULT", call.c_str(), 1);
    for (const char* operands : {"first", "host"})
      EXPECT_EQ(error_of(4, operands), call + " answered 1 (unhandled cuda error)");
    unsetenv("GEMMLAB_PLANTED_NCCL_FAULT");
    EXPECT_EQ(error_of(4, "first"), "");
  }
  setenv("GEMMLAB_PLANTED_NCCL_FAULT", "ncclCommInitAll", 1);
  EXPECT_EQ(error_of(4, "first"), "") << "communicators are made once";
  emulate(8);
  EXPECT_EQ(error_of(7, "first"), "ncclCommInitAll answered 1 (unhandled cuda error)");
  unsetenv("GEMMLAB_PLANTED_NCCL_FAULT");
  EXPECT_EQ(error_of(7, "first"), "");
}

TEST_F(ByNccl, more_cards_than_can_be_seen_are_refused) {
  emulate(2);
  EXPECT_EQ(multi().why_not(gemm_at({8, 8, 8}), with(3, "first", 4)), "gpus = 3, and 2 can be seen here");
}

}  // namespace
}  // namespace gemmlab::emulation
