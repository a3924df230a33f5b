// MKL's products of 16 bits and of int8.

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <vector>

#include "core/int_dimensions.h"
#include "cpu/gemm/typed/library_row.h"
#include "cpu/libraries/blas.h"

namespace gemmlab::cpu {
namespace {

// From mkl_cblas.h, with 32-bit integers.
using GemmOf16Bits = void(int order, int transpose_a, int transpose_b, int m, int n, int k, float alpha,
                          const void* a, int lda, const void* b, int ldb, float beta, float* c, int ldc);
using GemmOf8Bits = void(int order, int transpose_a, int transpose_b, int offset_c, int m, int n, int k,
                         float alpha, const void* a, int lda, std::int8_t offset_a, const void* b, int ldb,
                         std::int8_t offset_b, float beta, std::int32_t* c, int ldc,
                         const std::int32_t* added_to_c);
constexpr int kFixedOffset = 173;

const char* function_for(ElementType type) {
  switch (type) {
    case ElementType::kBfloat16:
      return "cblas_gemm_bf16bf16f32";
    case ElementType::kFloat16:
      return "cblas_gemm_f16f16f32";
    default:
      return "cblas_gemm_s8u8s32";
  }
}

/// Dimensions fit in int: refuse() sees to it.
class MklTypedSession : public Session {
 public:
  MklTypedSession(const GemmTypes& types, const Shape& shape, const GemmForm& form, int threads)
      : function_(loaded(mkl_blas()), function_for(types.type), threads),
        types_(types),
        shape_(shape),
        form_(form) {
    if (is_integer(types.type)) of_a_.resize(static_cast<std::size_t>(span(stored_a(shape, form))));
  }

  void run(const Operands& operands) override {
    if (is_integer(types_.type)) {
      multiply_bytes(operands);
      return;
    }
    function_.run<GemmOf16Bits>([&](GemmOf16Bits* gemm) {
      gemm(kCblasRowMajor, transpose(form_.transpose_a), transpose(form_.transpose_b), narrow(shape_.m),
           narrow(shape_.n), narrow(shape_.k), form_.alpha, operands.at(0), narrow(form_.lda), operands.at(1),
           narrow(form_.ldb), form_.beta, operands.out<float>(2), narrow(form_.ldc));
    });
  }
  int threads_actual() const override { return function_.threads_actual(); }
  Facts chosen() const override { return function_.chosen(); }

 private:
  static int narrow(std::int64_t value) { return static_cast<int>(value); }
  static int transpose(bool transposed) { return transposed ? kCblasTranspose : kCblasNoTranspose; }

  /// Row-major, A is unsigned and B signed. So A is copied with 128 added to each element, and MKL takes it off again.
  void multiply_bytes(const Operands& operands) {
    constexpr std::uint8_t kSign = 0x80;
    constexpr std::int8_t kOffset = -128;
    const auto* a = static_cast<const std::uint8_t*>(operands.at(0));
    std::transform(a, a + of_a_.size(), of_a_.begin(),
                   [](std::uint8_t byte) { return static_cast<std::uint8_t>(byte ^ kSign); });
    const std::int32_t nothing = 0;
    function_.run<GemmOf8Bits>([&](GemmOf8Bits* gemm) {
      gemm(kCblasRowMajor, transpose(form_.transpose_a), transpose(form_.transpose_b), kFixedOffset,
           narrow(shape_.m), narrow(shape_.n), narrow(shape_.k), 1, of_a_.data(), narrow(form_.lda), kOffset,
           operands.at(1), narrow(form_.ldb), 0, 0, operands.out<std::int32_t>(2), narrow(form_.ldc),
           &nothing);
    });
  }

  BlasFunction function_;
  GemmTypes types_;
  Shape shape_;
  GemmForm form_;
  std::vector<std::uint8_t> of_a_;
};

bool takes(const GemmTypes& types) {
  const bool of_16_bits = types.type == ElementType::kBfloat16 || types.type == ElementType::kFloat16;
  return of_16_bits ? types.result == ElementType::kFloat32 : types.type == ElementType::kInt8;
}

std::string refuse(const GemmTypes&, const Shape& shape, const GemmForm& form) {
  return too_long_for_int(std::max({shape.m, shape.n, shape.k, form.lda, form.ldb, form.ldc}));
}

std::unique_ptr<Session> prepare(const GemmTypes& types, const Shape& shape, const GemmForm& form,
                                 int threads) {
  return std::make_unique<MklTypedSession>(types, shape, form, threads);
}

}  // namespace

const Implementation& mkl_typed() {
  static const TypedLibraryRow row(
      {.id = "cpu.mkl_typed",
       .name = "MKL, typed",
       .summary =
           "MKL's cblas_gemm_bf16bf16f32, cblas_gemm_f16f16f32 and, A made unsigned, cblas_gemm_s8u8s32",
       .source = mkl_blas().source,
       .library = mkl_blas().library,
       .takes = takes,
       .taken = "bfloat16 and float16 to float32, and int8 to int32",
       .refuse = refuse,
       .prepare = prepare});
  return row;
}

}  // namespace gemmlab::cpu
