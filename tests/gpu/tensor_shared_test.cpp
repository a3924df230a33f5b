// Blocks of one product by gpu.tensor's sessions that share what they have made of A and B: the same bits as the whole
// product, which integers make exact in every arithmetic, whatever each half of A and B leads to.

#include <memory>
#include <string>
#include <vector>

#include "gpu/gemm/shared_operands.h"
#include "gpu/gemm/tensor/session.h"
#include "operations/gemm/implementation.h"
#include "tests/gpu/on_gpu.h"

namespace gemmlab {
namespace {

const Implementation& tensor_row() {
  return row_of("gpu.tensor");
}

const Parameters& by_wgmma() {
  static const Parameters parameters =
      complete(tensor_row().description(), {{"instruction", std::string("wgmma")}});
  return parameters;
}

constexpr Shape kWhole{2100, 1564, 1284};
constexpr std::int64_t kRows = 1040;  // of the upper blocks
constexpr std::int64_t kCols = 784;

/// Four sessions, of which all but the first take a half of A or B, or both, from others.
class FourBlocks {
 public:
  explicit FourBlocks(bool digits) {
    for (int block = 0; block < 4; ++block) {
      const bool low = block >= 2;
      const bool right = block % 2 == 1;
      const auto session = [&](int other) { return sessions_[static_cast<std::size_t>(other)].get(); };
      const gpu::SessionsBefore before =
          block == 0 ? gpu::SessionsBefore{}
                     : gpu::SessionsBefore{session(0), right ? session(block - 1) : nullptr,
                                           low ? session(block - 2) : nullptr};
      const Shape shape{low ? kWhole.m - kRows : kRows, right ? kWhole.n - kCols : kCols, kWhole.k};
      GemmForm form = form_of(shape);
      form.ldb = form.ldc = kWhole.n;
      sessions_.push_back(gpu::parts::make_tensor_session({shape, form}, true, true, before,
                                                          gpu::parts::WgmmaChoice{digits, 128, false}));
    }
  }

  void multiply(const float* a, const float* b, float* c) const {
    for (std::size_t block = 0; block < 4; ++block) {
      const std::int64_t row0 = block >= 2 ? kRows : 0;
      const std::int64_t col0 = block % 2 == 1 ? kCols : 0;
      gemmlab::multiply(*sessions_[block], a + row0 * kWhole.k, b + col0, c + row0 * kWhole.n + col0);
    }
  }
  std::string arithmetic() const {
    return std::get<std::string>(sessions_.back()->chosen().at("arithmetic"));
  }
  std::int64_t workspace_bytes() const {
    std::int64_t bytes = 0;
    for (const auto& session : sessions_)
      bytes += std::get<std::int64_t>(session->chosen().at("workspace_bytes"));
    return bytes;
  }

 private:
  std::vector<std::unique_ptr<Session>> sessions_;
};

class TensorShared : public OnGpu {};

TEST_F(TensorShared, blocks_have_the_bits_of_the_whole_whatever_the_data_lead_to) {
  const auto whole = tensor_row().prepare(gemm_at(kWhole), by_wgmma());
  if (std::get<std::string>(whole->chosen().at("instruction")) != "wgmma")
    GTEST_SKIP() << "needs compute capability 9.0";
  Guarded a(*backend_, kWhole.a_count()), b(*backend_, kWhole.b_count()), c(*backend_, kWhole.c_count()),
      expected(*backend_, kWhole.c_count());
  const auto dense_a = integer_matrix(kWhole.m, kWhole.k, Operand::kA, 1, kWhole.k);
  const auto dense_b = integer_matrix(kWhole.k, kWhole.n, Operand::kB, 1, kWhole.k);
  for (const bool digits : {false, true}) {
    const FourBlocks blocks(digits);
    EXPECT_LT(blocks.workspace_bytes(),
              std::get<std::int64_t>(whole->chosen().at("workspace_bytes")) * 11 / 10)
        << "each half of A and B is split into one place";
    for (int half = -1; half < 4; ++half) {  // of A, of B, in which one element in 41 is left; -1: none
      auto host_a = dense_a;
      auto host_b = dense_b;
      for (std::int64_t i = 0; i < kWhole.a_count(); ++i) {
        if (half == (i / kWhole.k < kRows ? 0 : 1) && i % 41 != 0) host_a[static_cast<std::size_t>(i)] = 0;
      }
      for (std::int64_t i = 0; i < kWhole.b_count(); ++i) {
        if (half == (i % kWhole.n < kCols ? 2 : 3) && i % 41 != 0) host_b[static_cast<std::size_t>(i)] = 0;
      }
      a.write(host_a);
      b.write(host_b);
      c.poison();
      multiply(*whole, a.data(), b.data(), expected.data());
      blocks.multiply(a.data(), b.data(), c.data());
      backend_->synchronize();
      EXPECT_EQ(different(c.read(), expected.read()), 0) << "half " << half;
      EXPECT_EQ(c.changed_outside(), 0);
      const std::string arithmetic = blocks.arithmetic();
      EXPECT_EQ(arithmetic.find(digits ? "INT8" : "FP16") != std::string::npos, half < 0)
          << arithmetic << ", half " << half;
    }
  }
}

}  // namespace
}  // namespace gemmlab
