// libgemmlab_blas.so on a card, before the real cuBLAS: what a program that calls cublasGemmEx and cublasLtMatmul gets, and who answers.
// Each product is a program of its own (a death test's child), which says at its end on stderr who answered: GEMMLAB_TRACE=1.

#include <cuda_runtime.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>
#include <iostream>

#include "core/element_type.h"
#include "gpu/gemm/cublaslt/product.h"
#include "gpu/gemm/tensor/instructions/wgmma_here.h"
#include "gpu/libraries/cublas_context.h"

#if GEMMLAB_HAS_CUBLAS && GEMMLAB_HAS_CUBLASLT

namespace gemmlab {
namespace {

using gpu::lt_function;  // GEMMLAB_LT()
using ::testing::AllOf;
using ::testing::ExitedWithCode;
using ::testing::HasSubstr;
using ::testing::Not;
using enum ElementType;

void check(int status, const char* call) {
  if (status != 0) throw std::runtime_error(std::string(call) + ": " + std::to_string(status));
}

/// A matrix on the card, column-major without gaps.
class Matrix {
 public:
  /// Whole numbers, exact in every type. seed = 0: bytes of 0xff, NaN in most types.
  Matrix(int rows, int cols, ElementType type, int seed) : rows_(rows), cols_(cols), type_(type) {
    const auto count = static_cast<std::size_t>(rows) * cols;
    const std::size_t bytes = count * bytes_of(type);
    check(cudaMalloc(&at_, bytes), "cudaMalloc");
    check(cudaMemset(at_, 0xff, bytes), "cudaMemset");
    if (seed == 0) return;
    values_.resize(count);
    for (std::size_t i = 0; i < count; ++i) values_[i] = static_cast<float>((i * 7 + i / 13 + seed) % 9) - 4;
    std::vector<char> narrowed(bytes);
    narrow(type, values_.data(), static_cast<std::int64_t>(count), narrowed.data());
    check(cudaMemcpy(at_, narrowed.data(), bytes, cudaMemcpyHostToDevice), "cudaMemcpy");
  }
  ~Matrix() { cudaFree(at_); }
  Matrix(const Matrix&) = delete;
  Matrix& operator=(const Matrix&) = delete;

  void* at() const { return at_; }
  int rows() const { return rows_; }
  int cols() const { return cols_; }
  ElementType type() const { return type_; }
  cudaDataType cuda_type() const { return gpu::cuda_type(type_); }
  float value(int row, int col) const { return values_[static_cast<std::size_t>(col) * rows_ + row]; }
  std::vector<float> fetched() const {
    std::vector<char> bytes(static_cast<std::size_t>(rows_) * cols_ * bytes_of(type_));
    check(cudaMemcpy(bytes.data(), at_, bytes.size(), cudaMemcpyDeviceToHost), "cudaMemcpy");
    std::vector<float> all(static_cast<std::size_t>(rows_) * cols_);
    widen(type_, bytes.data(), static_cast<std::int64_t>(all.size()), all.data());
    return all;
  }

 private:
  int rows_;
  int cols_;
  ElementType type_;
  void* at_ = nullptr;
  std::vector<float> values_;
};

struct Case {
  ElementType type;
  ElementType result;
  int m, n, k;
  bool transpose_a = false;  ///< column-major
  bool transpose_b = false;
  float alpha = 1;
  bool bias = false;
};

/// Operands of one product, and how many elements of C are wrong.
struct Product {
  explicit Product(const Case& one)
      : is(one),
        a(one.transpose_a ? one.k : one.m, one.transpose_a ? one.m : one.k, one.type, 1),
        b(one.transpose_b ? one.n : one.k, one.transpose_b ? one.k : one.n, one.type, 2),
        c(one.m, one.n, one.result, 0),
        bias(one.m, 1, one.result, 5) {}

  int wrong() const {
    check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    const std::vector<float> got = c.fetched();
    int count = 0;
    for (int col = 0; col < is.n; ++col) {
      for (int row = 0; row < is.m; ++row) {
        float sum = 0;
        for (int i = 0; i < is.k; ++i)
          sum += (is.transpose_a ? a.value(i, row) : a.value(row, i)) *
                 (is.transpose_b ? b.value(col, i) : b.value(i, col));
        sum = is.alpha * sum + (is.bias ? bias.value(row, 0) : 0);
        const float right = is_integer(is.result) ? sum : rounded(is.result, sum);
        if (got[static_cast<std::size_t>(col) * is.m + row] != right) ++count;
      }
    }
    return count;
  }

  Case is;
  Matrix a, b, c, bias;
};

cudaStream_t new_stream() {
  cudaStream_t stream = nullptr;
  check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
  check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");  // it does not wait for what filled the operands
  return stream;
}

/// The function as programs find it: this project's.
void by_cublas(const Product& p) {
  cublasHandle_t handle = nullptr;
  check(gpu::cublas_function<decltype(cublasCreate_v2)>("cublasCreate_v2")(&handle), "cublasCreate");
  check(gpu::cublas_function<decltype(cublasSetStream_v2)>("cublasSetStream_v2")(handle, new_stream()),
        "cublasSetStream");
  const bool whole = is_integer(p.is.type);
  const std::int32_t one = 1, nothing = 0;
  const float zero = 0;
  check(::cublasGemmEx(handle, p.is.transpose_a ? CUBLAS_OP_T : CUBLAS_OP_N,
                       p.is.transpose_b ? CUBLAS_OP_T : CUBLAS_OP_N, p.is.m, p.is.n, p.is.k,
                       whole ? static_cast<const void*>(&one) : &p.is.alpha, p.a.at(), p.a.cuda_type(),
                       p.a.rows(), p.b.at(), p.b.cuda_type(), p.b.rows(),
                       whole ? static_cast<const void*>(&nothing) : &zero, p.c.at(), p.c.cuda_type(), p.is.m,
                       whole ? CUBLAS_COMPUTE_32I : CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT),
        "cublasGemmEx");
}

/// cublasLt's descriptors for a product.
class Lt {
 public:
  explicit Lt(const Product& p) : p_(p), whole_(is_integer(p.is.type)) {
    check(GEMMLAB_LT(cublasLtCreate)(&handle_), "cublasLtCreate");
    check(GEMMLAB_LT(cublasLtMatmulDescCreate)(&product_, whole_ ? CUBLAS_COMPUTE_32I : CUBLAS_COMPUTE_32F,
                                               whole_ ? CUDA_R_32I : CUDA_R_32F),
          "cublasLtMatmulDescCreate");
    set(CUBLASLT_MATMUL_DESC_TRANSA, p.is.transpose_a ? CUBLAS_OP_T : CUBLAS_OP_N);
    set(CUBLASLT_MATMUL_DESC_TRANSB, p.is.transpose_b ? CUBLAS_OP_T : CUBLAS_OP_N);
    if (p.is.bias) {
      set(CUBLASLT_MATMUL_DESC_EPILOGUE, CUBLASLT_EPILOGUE_BIAS);
      set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, p.bias.at());
    }
    layout(&a_, p.a), layout(&b_, p.b), layout(&c_, p.c);
  }
  void multiply(cudaStream_t stream) const {
    const std::int32_t one = 1, nothing = 0;
    const float zero = 0;
    check(::cublasLtMatmul(handle_, product_, whole_ ? static_cast<const void*>(&one) : &p_.is.alpha,
                           p_.a.at(), a_, p_.b.at(), b_, whole_ ? static_cast<const void*>(&nothing) : &zero,
                           p_.c.at(), c_, p_.c.at(), c_, nullptr, nullptr, 0, stream),
          "cublasLtMatmul");
  }

 private:
  template <typename Value>
  void set(cublasLtMatmulDescAttributes_t which, Value value) {
    check(GEMMLAB_LT(cublasLtMatmulDescSetAttribute)(product_, which, &value, sizeof value),
          "cublasLtMatmulDescSetAttribute");
  }
  static void layout(cublasLtMatrixLayout_t* to, const Matrix& matrix) {
    check(GEMMLAB_LT(cublasLtMatrixLayoutCreate)(to, matrix.cuda_type(), matrix.rows(), matrix.cols(),
                                                 matrix.rows()),
          "cublasLtMatrixLayoutCreate");
  }

  const Product& p_;
  bool whole_;
  cublasLtHandle_t handle_ = nullptr;
  cublasLtMatmulDesc_t product_ = nullptr;
  cublasLtMatrixLayout_t a_ = nullptr, b_ = nullptr, c_ = nullptr;
};

void by_cublaslt(const Product& p) {
  Lt(p).multiply(new_stream());
}

/// In a graph from the first call on, replayed twice.
void by_captured_cublaslt(const Product& p) {
  const Lt lt(p);
  cudaStream_t stream = new_stream();
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t executable = nullptr;
  check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), "cudaStreamBeginCapture");
  lt.multiply(stream);
  check(cudaStreamEndCapture(stream, &graph), "cudaStreamEndCapture");
  check(cudaGraphInstantiate(&executable, graph, 0), "cudaGraphInstantiate");
  for (int replay = 0; replay < 2; ++replay) check(cudaGraphLaunch(executable, stream), "cudaGraphLaunch");
}

/// What the child does: 0 where C is right.
[[noreturn]] void run(const Case& one, const std::function<void(const Product&)>& multiply) {
  int code = 1;
  setenv("GEMMLAB_TRACE", "1", 1);
  try {
    const Product product(one);
    multiply(product);
    const int wrong = product.wrong();
    if (wrong == 0) code = 0;
    if (wrong != 0) std::cerr << wrong << " elements of C are wrong\n";
  } catch (const std::exception& error) {
    std::cerr << error.what() << "\n";
  }
  std::exit(code);
}

class BlasOnGpuDeathTest : public ::testing::Test {
 protected:
  void SetUp() override {
    int cards = 0;
    if (cudaGetDeviceCount(&cards) != cudaSuccess || cards == 0) GTEST_SKIP() << "no CUDA device";
    if (const std::string reason = gpu::why_no_cublas(); !reason.empty()) GTEST_SKIP() << reason;
    if (!gpu::parts::wgmma_here()) GTEST_SKIP() << "gpu.matrix_tuned takes compute capability 9.0";
    GTEST_FLAG_SET(death_test_style, "threadsafe");
  }
};

TEST_F(BlasOnGpuDeathTest, gemm_ex_of_every_type_is_answered_by_the_last_rung) {
  for (const Case& one : {Case{kBfloat16, kBfloat16, 200, 136, 96}, Case{kBfloat16, kFloat32, 129, 77, 65},
                          Case{kBfloat16, kBfloat16, 256, 256, 512, true},
                          Case{kFloat16, kFloat16, 136, 72, 96}, Case{kFloat16, kFloat32, 33, 45, 70, true},
                          Case{kInt8, kInt32, 144, 80, 96, true}, Case{kInt8, kInt32, 37, 23, 51}})
    EXPECT_EXIT(run(one, by_cublas), ExitedWithCode(0),
                AllOf(HasSubstr("cublasGemmEx M="), HasSubstr("1 call by gpu.matrix_tuned")))
        << to_string(one.type) << " " << one.m;
}

TEST_F(BlasOnGpuDeathTest, gemm_ex_passes_on_what_no_rung_takes) {
  Case transposed{kBfloat16, kFloat32, 64, 48, 96};
  transposed.transpose_b = true;  // row-major A
  Case scaled{kFloat16, kFloat32, 64, 48, 96};
  scaled.alpha = 2;
  for (const Case& one : {transposed, scaled})
    EXPECT_EXIT(
        run(one, by_cublas), ExitedWithCode(0),
        AllOf(HasSubstr("1 call by the next library (gpu.matrix_tuned: computes C = A·B and A·Bᵀ alone"),
              Not(HasSubstr("call by gpu"))));
}

TEST_F(BlasOnGpuDeathTest, lt_of_every_type_is_answered_by_the_last_rung) {
  for (const Case& one :
       {Case{kBfloat16, kBfloat16, 200, 136, 96, true}, Case{kFloat16, kFloat32, 64, 48, 96},
        Case{kFloat8E4m3, kBfloat16, 128, 64, 256, true}, Case{kFloat8E5m2, kFloat32, 64, 48, 96, true},
        Case{kInt8, kInt32, 64, 48, 96, true}})
    EXPECT_EXIT(run(one, by_cublaslt), ExitedWithCode(0),
                AllOf(HasSubstr("cublasLtMatmul M="), HasSubstr("1 call by gpu.matrix_tuned")))
        << to_string(one.type);
}

TEST_F(BlasOnGpuDeathTest, lt_with_a_bias_is_answered_and_rounded_once) {
  for (Case one :
       {Case{kBfloat16, kBfloat16, 200, 136, 512, true}, Case{kFloat16, kFloat16, 129, 77, 65},
        Case{kBfloat16, kFloat32, 64, 1000, 96, true}, Case{kFloat8E4m3, kFloat16, 64, 48, 96, true}}) {
    one.bias = true;
    EXPECT_EXIT(run(one, by_cublaslt), ExitedWithCode(0),
                AllOf(HasSubstr("with a bias"), HasSubstr("1 call by gpu.matrix_tuned")))
        << to_string(one.type) << " " << one.m;
  }
}

TEST_F(BlasOnGpuDeathTest, lt_of_float32_with_a_bias_is_answered_by_its_last_rung) {
  Case one{kFloat32, kFloat32, 200, 136, 96, true};
  one.bias = true;
  one.alpha = 2;
  EXPECT_EXIT(run(one, by_cublaslt), ExitedWithCode(0), HasSubstr("1 call by gpu.pipelined"));
}

TEST_F(BlasOnGpuDeathTest, lt_passes_on_what_no_rung_takes) {
  Case one{kBfloat16, kFloat32, 64, 48, 96};
  one.alpha = 2;
  EXPECT_EXIT(run(one, by_cublaslt), ExitedWithCode(0), HasSubstr("1 call by the next library ("));
}

TEST_F(BlasOnGpuDeathTest, lt_with_a_bias_is_captured_from_its_first_call_on) {
  Case one{kBfloat16, kBfloat16, 129, 77, 65, true};  // rows that are copied first
  one.bias = true;
  EXPECT_EXIT(run(one, by_captured_cublaslt), ExitedWithCode(0), HasSubstr("1 call by gpu.matrix_tuned"));
}

}  // namespace
}  // namespace gemmlab

#endif
