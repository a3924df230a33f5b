// gpu.cublasmp on several emulated cards, by a planted cuBLASMp and a planted NCCL.

#include "tests/emulator/rows/several_cards.h"

namespace gemmlab::emulation {
namespace {

class ByCublasMp : public OnSeveralCards {
 protected:
  void SetUp() override {
    use_library(GEMMLAB_CUBLASMP_LIBRARY);
    setenv("GEMMLAB_EMULATED_NCCL", GEMMLAB_PLANTED_NCCL, 1);
    setenv("GEMMLAB_EMULATED_CUBLASMP", GEMMLAB_PLANTED_CUBLASMP, 1);
  }
  void TearDown() override { unsetenv("GEMMLAB_PLANTED_CUBLASMP_FAULT"); }

  static const Implementation& row() { return emulated_row("gpu.cublasmp"); }
  static Parameters with(std::int64_t gpus, const char* operands = "sharded",
                         const char* workspace = "registered") {
    return complete(
        row().description(),
        {{"gpus", gpus}, {"operands", std::string(operands)}, {"workspace", std::string(workspace)}});
  }
  static std::string error_of(int gpus) {
    try {
      const Instance instance = gemm_at({37, 45, 29});
      static const DoubleProduct product = cpu::double_product();
      OperationCase one(instance, product);
      one.fill(0);
      row().prepare(instance, with(gpus))->run(one.operands());
    } catch (const std::exception& error) {
      return error.what();
    }
    return {};
  }
};

TEST_F(ByCublasMp, the_product_is_right_at_odd_shapes_and_nothing_is_found) {
  ASSERT_EQ(row().unavailable(), "");
  for (const int gpus : {1, 2, 3, 4}) {
    emulate(gpus);
    for (const Shape& shape : {Shape{1, 1, 1}, Shape{3, 2, 5}, Shape{37, 45, 29}, Shape{130, 7, 61},
                               Shape{1, 67, 31}, Shape{67, 1, 31}, Shape{64, 96, 33}}) {
      expect_right_by_calls(row(), shape, with(gpus, "sharded"));
      expect_right_by_calls(row(), shape, with(gpus, "first"));
    }
  }
  emulate(2);
  expect_right_by_calls(row(), {37, 45, 29}, with(2, "first", "plain"));
}

TEST_F(ByCublasMp, a_record_says_by_which_library_and_which_nccl) {
  emulate(2);
  const Facts facts = row().prepare(gemm_at({64, 64, 16}), with(2))->chosen();
  EXPECT_EQ(std::get<std::string>(facts.at("library")), GEMMLAB_PLANTED_CUBLASMP);
  EXPECT_EQ(std::get<std::string>(facts.at("version")), "0.10.0");
  EXPECT_EQ(std::get<std::string>(facts.at("nccl_version")), "2.28.9");
  EXPECT_EQ(std::get<std::int64_t>(facts.at("workspace_bytes")), 256);
}

TEST_F(ByCublasMp, each_call_that_fails_is_named) {
  emulate(2);
  for (const std::string call : {"cublasMpMatmul_bufferSize", "cublasMpMatmul"}) {
    setenv("GEMMLAB_PLANTED_CUBLASMP_FAULT", call.c_str(), 1);
    EXPECT_EQ(error_of(2), call + " answered 6 (internal error)");
    unsetenv("GEMMLAB_PLANTED_CUBLASMP_FAULT");
  }
  EXPECT_EQ(error_of(2), "");
}

TEST_F(ByCublasMp, short_products_and_more_cards_than_can_be_seen_are_refused) {
  emulate(2);
  EXPECT_NE(row().why_not(gemm_at({64, 64, 64}), with(2)).find("graph"), std::string::npos);
  EXPECT_EQ(row().why_not(gemm_at({8192, 8192, 8192}), with(2)), "");
  EXPECT_EQ(row().why_not(gemm_at({8192, 8192, 8192}), with(3)), "gpus = 3, and 2 can be seen here");
}

}  // namespace
}  // namespace gemmlab::emulation
