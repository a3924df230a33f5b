// Calls of cuBLAS and cublasLt as programs make them, answered on a GPU that is emulated or passed on to planted libraries.

#include <cuda_runtime.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

#include "core/element_type.h"
#include "emulator/exports.h"
#include "gpu/gemm/bias.h"
#include "tests/api/emulated/planted_cublas.h"

extern "C" {
int cublasGemmEx(void* handle, int transpose_a, int transpose_b, int m, int n, int k, const void* alpha,
                 const void* a, int type_a, int lda, const void* b, int type_b, int ldb, const void* beta,
                 void* c, int type_c, int ldc, int compute, int algorithm);
int cublasGemmStridedBatchedEx(void* handle, int transpose_a, int transpose_b, int m, int n, int k,
                               const void* alpha, const void* a, int type_a, int lda, long long stride_a,
                               const void* b, int type_b, int ldb, long long stride_b, const void* beta,
                               void* c, int type_c, int ldc, long long stride_c, int count, int compute,
                               int algorithm);
int cublasLtMatmul(void* handle, void* product, const void* alpha, const void* a, void* layout_a,
                   const void* b, void* layout_b, const void* beta, const void* c, void* layout_c, void* d,
                   void* layout_d, const void* algorithm, void* workspace, std::size_t workspace_bytes,
                   void* stream);
}

namespace {

using namespace gemmlab;
using ::testing::Each;

// CUDA's and cuBLAS' numbers
constexpr int kR32F = 0, kR16F = 2, kR8I = 3, kR32I = 10, kR16BF = 14, kE4m3 = 28;
constexpr int kFloats = 68, kInts = 72, kTf32 = 77;
constexpr int kN = 0, kT = 1;

/// A matrix on the device, column-major without gaps; C is NaN, or -1 of integers, before it is written.
class Matrix {
 public:
  Matrix(int rows, int cols, ElementType type, const std::vector<float>& values)
      : rows_(rows), cols_(cols), type_(type) {
    cudaMalloc(&at_, values.size() * bytes_of(type) + 1);
    if (type == ElementType::kInt32) {
      std::memset(at_, 0xFF, values.size() * sizeof(std::int32_t));
    } else {
      narrow(type, values.data(), static_cast<std::int64_t>(values.size()), at_);
    }
  }
  Matrix(int rows, int cols, ElementType type, int seed = 0)
      : Matrix(rows, cols, type, drawn(rows * cols, seed)) {}
  ~Matrix() { cudaFree(at_); }
  Matrix(const Matrix&) = delete;
  Matrix& operator=(const Matrix&) = delete;

  void* at() const { return at_; }
  int rows() const { return rows_; }
  int cols() const { return cols_; }
  std::vector<float> values() const {
    cudaDeviceSynchronize();
    std::vector<float> all(static_cast<std::size_t>(rows_) * cols_);
    widen(type_, at_, static_cast<std::int64_t>(all.size()), all.data());
    return all;
  }

 private:
  /// Whole numbers, exact in every type.
  static std::vector<float> drawn(int count, int seed) {
    std::vector<float> all(count, std::numeric_limits<float>::quiet_NaN());
    for (int i = 0; seed != 0 && i < count; ++i) all[i] = static_cast<float>((i * 7 + seed) % 9 - 4);
    return all;
  }

  int rows_;
  int cols_;
  ElementType type_;
  void* at_ = nullptr;
};

/// op(A)·op(B) in double.
std::vector<float> product(const Matrix& a, bool ta, const Matrix& b, bool tb, int k) {
  const std::vector<float> left = a.values(), right = b.values();
  const int m = ta ? a.cols() : a.rows();
  const int n = tb ? b.rows() : b.cols();
  std::vector<float> all;
  for (int col = 0; col < n; ++col) {
    for (int row = 0; row < m; ++row) {
      double sum = 0;
      for (int i = 0; i < k; ++i)
        sum += double{left[ta ? row * a.rows() + i : i * a.rows() + row]} *
               right[tb ? i * b.rows() + col : col * b.rows() + i];
      all.push_back(static_cast<float>(sum));
    }
  }
  return all;
}

class BlasTest : public ::testing::Test {
 protected:
  BlasTest() {
    const GemmlabEmulationLimits limits = {};
    gemmlab_emulation_begin(&limits);
    cudaStream_t stream = nullptr;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    handle_.stream = stream;
    planted::passed_on();
  }
  ~BlasTest() override { cudaStreamDestroy(static_cast<cudaStream_t>(handle_.stream)); }

  int multiply(const Matrix& a, bool ta, const Matrix& b, bool tb, const Matrix& c, int type, int result,
               int compute = kFloats, const void* alpha = nullptr) {
    static constexpr std::int32_t kOneInt = 1, kZeroInt = 0;
    static constexpr float kOne = 1, kZero = 0;
    const bool whole = compute == kInts;
    const void* one = whole ? static_cast<const void*>(&kOneInt) : &kOne;
    const void* zero = whole ? static_cast<const void*>(&kZeroInt) : &kZero;
    return cublasGemmEx(&handle_, ta ? kT : kN, tb ? kT : kN, c.rows(), c.cols(), ta ? a.rows() : a.cols(),
                        alpha ? alpha : one, a.at(), type, a.rows(), b.at(), type, b.rows(), zero, c.at(),
                        result, c.rows(), compute, -1);
  }

  planted::Handle handle_;
};

TEST_F(BlasTest, gemm_ex_is_answered_in_every_type) {
  struct Case {
    ElementType type;
    int cuda_type;
    ElementType result;
    int cuda_result;
  };
  using enum ElementType;
  for (const Case& one : {Case{kFloat32, kR32F, kFloat32, kR32F}, Case{kBfloat16, kR16BF, kBfloat16, kR16BF},
                          Case{kBfloat16, kR16BF, kFloat32, kR32F}, Case{kFloat16, kR16F, kFloat16, kR16F},
                          Case{kFloat8E4m3, kE4m3, kBfloat16, kR16BF}, Case{kInt8, kR8I, kInt32, kR32I}}) {
    // row-major, the second is A·B and the first A·Bᵀ
    for (const bool ta : {true, false}) {
      const Matrix a(ta ? 12 : 20, ta ? 20 : 12, one.type, 1), b(12, 9, one.type, 3), c(20, 9, one.result);
      EXPECT_EQ(
          multiply(a, ta, b, false, c, one.cuda_type, one.cuda_result, one.type == kInt8 ? kInts : kFloats),
          0);
      EXPECT_EQ(planted::passed_on(), 0) << to_string(one.type);
      EXPECT_EQ(c.values(), product(a, ta, b, false, 12)) << to_string(one.type);
    }
  }
}

TEST_F(BlasTest, gemm_ex_passes_on_what_is_not_taken) {
  const Matrix a(16, 16, ElementType::kBfloat16, 1), b(16, 16, ElementType::kBfloat16, 2),
      c(16, 16, ElementType::kBfloat16);
  const float two = 2;
  EXPECT_EQ(multiply(a, false, b, true, c, kR16BF, kR16BF), planted::kAnswer) << "row-major A transposed";
  EXPECT_EQ(multiply(a, false, b, false, c, kR16BF, kR16BF, kFloats, &two), planted::kAnswer);
  EXPECT_EQ(multiply(a, false, b, false, c, kR16F, kR16F, 64), planted::kAnswer) << "sums of float16";
  EXPECT_EQ(multiply(a, false, b, false, c, kR16BF, kR16F), planted::kAnswer);
  EXPECT_EQ(multiply(a, false, b, false, c, 1, 1), planted::kAnswer) << "double";
  handle_.pointer_mode = 1;
  EXPECT_EQ(multiply(a, false, b, false, c, kR16BF, kR16BF), planted::kAnswer) << "factors on the device";
  handle_.pointer_mode = 0;
  handle_.math_mode = 3;
  EXPECT_EQ(multiply(a, false, b, false, c, kR16BF, kR16BF), 0) << "TF32 is float32's alone";
  const Matrix wide(4, 4, ElementType::kFloat32, 1), wide_c(4, 4, ElementType::kFloat32);
  EXPECT_EQ(multiply(wide, false, wide, false, wide_c, kR32F, kR32F), planted::kAnswer);
  EXPECT_EQ(planted::passed_on(), 7);
}

TEST_F(BlasTest, a_shared_operand_makes_a_batch_one_product_and_small_ones_are_passed_on) {
  const Matrix a(8, 6, ElementType::kFloat16, 1), b(6, 15, ElementType::kFloat16, 2),
      c(8, 15, ElementType::kFloat32);
  const float one = 1, zero = 0;
  const auto batch = [&](long long stride_a) {
    return cublasGemmStridedBatchedEx(&handle_, kN, kN, 8, 5, 6, &one, a.at(), kR16F, 8, stride_a, b.at(),
                                      kR16F, 6, 30, &zero, c.at(), kR32F, 8, 40, 3, kFloats, -1);
  };
  EXPECT_EQ(batch(0), 0);
  EXPECT_EQ(c.values(), product(a, false, b, false, 6));
  EXPECT_EQ(batch(48), planted::kAnswer);
}

/// D = A·B of bfloat16 to 16 bits, with descriptors as cublasLt's defaults have them.
class LtTest : public BlasTest {
 protected:
  explicit LtTest(ElementType result = ElementType::kBfloat16, int cuda_result = kR16BF)
      : a(12, 20, ElementType::kBfloat16, 1),
        b(12, 9, ElementType::kBfloat16, 3),
        d(20, 9, result),
        bias(20, 1, result, 5) {
    described.set(0, kFloats).set(1, kR32F).set(2, 0).set(3, kT).set(4, kN).set(5, 0).set(6, 2).set(7, 1U);
    described.set(8, static_cast<void*>(nullptr)).set(15, 0).set(26, -1);
    for (const int pointer : {17, 18, 19, 20, 21}) described.set(pointer, static_cast<void*>(nullptr));
    layout(of_a, a, kR16BF), layout(of_b, b, kR16BF), layout(of_d, d, cuda_result);
  }
  static void layout(planted::Attributes& to, const Matrix& matrix, int type) {
    to.set(0, static_cast<std::uint32_t>(type))
        .set(1, 0)
        .set(5, 1)
        .set(6, std::int64_t{0})
        .set(7, std::int64_t{0});
    to.set(2, std::uint64_t(matrix.rows()))
        .set(3, std::uint64_t(matrix.cols()))
        .set(4, std::int64_t{matrix.rows()});
  }
  void set_bias() { described.set(7, 4U).set(8, bias.at()); }
  int call(float alpha = 1, float beta = 0) {
    return cublasLtMatmul(&handle_, &described, &alpha, a.at(), &of_a, b.at(), &of_b, &beta, d.at(), &of_d,
                          d.at(), &of_d, nullptr, nullptr, 0, handle_.stream);
  }
  std::vector<float> right(const std::vector<float>& added, ElementType result) const {
    std::vector<float> all = product(a, true, b, false, 12);
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = rounded(result, all[i] + added[i % 20]);
    return all;
  }

  Matrix a, b, d, bias;
  planted::Attributes described, of_a, of_b, of_d;
};

TEST_F(LtTest, a_plain_product_is_answered) {
  EXPECT_EQ(call(), 0);
  EXPECT_EQ(d.values(), right(std::vector<float>(20), ElementType::kBfloat16));
  EXPECT_EQ(planted::passed_on(), 0);
}

TEST_F(LtTest, a_bias_is_added_before_the_one_rounding) {
  for (const Matrix* factor :
       {&a, &b, &bias}) {  // sums beyond 256, of which bfloat16 holds not every whole number
    std::vector<float> large = factor->values();
    for (float& value : large) value *= 31;
    narrow(ElementType::kBfloat16, large.data(), static_cast<std::int64_t>(large.size()), factor->at());
  }
  set_bias();
  EXPECT_EQ(call(), 0);
  EXPECT_EQ(d.values(), right(bias.values(), ElementType::kBfloat16));
  EXPECT_EQ(planted::passed_on(), 0);
  std::vector<float> twice = right(std::vector<float>(20), ElementType::kBfloat16);
  for (std::size_t i = 0; i < twice.size(); ++i)
    twice[i] = rounded(ElementType::kBfloat16, twice[i] + bias.values()[i % 20]);
  EXPECT_NE(d.values(), twice) << "these sums tell nothing";
}

class LtTestOfFloat32 : public LtTest {
 protected:
  LtTestOfFloat32() : LtTest(ElementType::kFloat32, kR32F) {}
};

TEST_F(LtTestOfFloat32, a_bias_is_added_where_sums_lie_in_c) {
  set_bias();
  EXPECT_EQ(call(), 0);
  EXPECT_EQ(d.values(), right(bias.values(), ElementType::kFloat32));
  EXPECT_EQ(planted::passed_on(), 0);
}

TEST_F(LtTest, what_is_not_plain_is_passed_on) {
  const auto passes_on = [&](auto& descriptor, int which, auto value) {
    const auto before = descriptor;
    descriptor.set(which, value);
    EXPECT_EQ(call(), planted::kAnswer) << "attribute " << which;
    descriptor = before;
  };
  void* const some = bias.at();
  passes_on(described, 7, 2U);     // ReLU
  passes_on(described, 7, 4U);     // a bias without a pointer
  passes_on(described, 7, 32U);    // GELU
  passes_on(described, 2, 1);      // factors on the device
  passes_on(described, 0, kTf32);  // computes in TF32
  passes_on(described, 1, kR16F);  // scales in float16
  for (const int pointer : {17, 18, 19, 20, 21, 36}) passes_on(described, pointer, some);
  passes_on(of_a, 1, 1);                     // row by row
  passes_on(of_a, 0, std::uint32_t{kR16F});  // another type than B's
  passes_on(of_a, 2, std::uint64_t{11});     // no product
  passes_on(of_b, 5, 2);                     // a batch of B alone
  EXPECT_EQ(call(2), planted::kAnswer);
  EXPECT_EQ(call(1, 1), planted::kAnswer);
  EXPECT_THAT(d.values(), Each(::testing::IsNan())) << "D was written";
}

TEST_F(BlasTest, a_bias_of_every_type_goes_to_every_result) {
  constexpr int kRows = 5, kCols = 1100, kStride = 1111;
  std::vector<float> sums(kRows * kStride), added(kCols);
  for (std::size_t i = 0; i < sums.size(); ++i) sums[i] = 0.37F * static_cast<float>(i % 1000) - 100;
  for (std::size_t i = 0; i < added.size(); ++i) added[i] = 1.1F * static_cast<float>(i % 77) - 30;
  using enum ElementType;
  for (const ElementType of_bias : {kFloat32, kBfloat16, kFloat16}) {
    for (const ElementType result : {kFloat32, kBfloat16, kFloat16}) {
      const Matrix from(kStride, kRows, kFloat32, sums), bias(kCols, 1, of_bias, added),
          to(kStride, kRows, result);
      gpu::launch_add_bias(static_cast<const float*>(from.at()), kStride, bias.at(), of_bias, to.at(),
                           {kRows, kCols, kStride}, result);
      const std::vector<float> got = to.values(), small = bias.values();
      for (int row = 0; row < kRows; ++row) {
        for (int col = 0; col < kCols; ++col)
          ASSERT_EQ(got[row * kStride + col], rounded(result, sums[row * kStride + col] + small[col]));
        EXPECT_TRUE(std::isnan(got[row * kStride + kCols])) << "beside the row";
      }
    }
  }
}

}  // namespace
