// cuBLAS on operands of fewer bits, for the tensor cores: what is to be had where that accuracy suffices.
// Declared as what they are, and never ranked with plain FP32.

#include "core/session_row.h"
#include "gpu/describe.h"
#include "gpu/gemm/cublas_session.h"

namespace gemmlab::gpu {
namespace {

Description reduced(const char* id, const char* name, const char* summary, Precision precision,
                    std::vector<ParameterSpec> parameters = {}) {
  return describe({.id = id,
                   .name = name,
                   .summary = summary,
                   .source = "NVIDIA cuBLAS, opened at run time",
                   .precision = precision,
                   .reference = true,
                   .parameters = std::move(parameters)});
}

ParameterSpec operands_parameter() {
  return choice(
      "operands",
      "converted: float32 A and B become 16-bit in every multiply; resident: 16-bit A and B lie there before "
      "the clock starts, so that their conversion is not counted",
      {std::string("converted"), std::string("resident")}, std::string("converted"), ", {operands}");
}

template <CublasArithmetic kArithmetic>
CublasChoice with_operands(const Parameters& parameters) {
  return {kArithmetic, text(parameters, "operands") == "resident"};
}

}  // namespace

const Implementation& cublas_tf32() {
  static const CublasImplementation implementation(
      reduced("gpu.cublas_tf32", "cuBLAS TF32",
              "cuBLAS on the tensor cores, operands rounded to TF32 (10 bits and sign)", Precision::kTf32),
      [](const Parameters&) { return CublasChoice{CublasArithmetic::kTf32}; });
  return implementation;
}

const Implementation& cublas_fp16() {
  static const CublasImplementation implementation(
      reduced("gpu.cublas_fp16", "cuBLAS FP16",
              "cuBLAS on operands in FP16 (10 bits; beyond 65504 they are Inf), summed in FP32",
              Precision::kFp16, {operands_parameter()}),
      with_operands<CublasArithmetic::kFp16>);
  return implementation;
}

const Implementation& cublas_bf16() {
  static const CublasImplementation implementation(
      reduced("gpu.cublas_bf16", "cuBLAS BF16",
              "cuBLAS on operands in BF16 (7 bits and FP32's range), summed in FP32", Precision::kBf16,
              {operands_parameter()}),
      with_operands<CublasArithmetic::kBf16>);
  return implementation;
}

}  // namespace gemmlab::gpu
