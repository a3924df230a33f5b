// cuBLAS on float32 matrices with operands that it rounds to fewer bits, for the tensor cores: what is to be
// had where that accuracy suffices. Declared as what they are, and never ranked with plain FP32.

#include "gpu/cublas_session.h"
#include "gpu/describe.h"

namespace gemmlab::gpu {
namespace {

Description reduced(const char* id, const char* summary, Precision precision) {
  Description description = describe(id, summary, "NVIDIA cuBLAS, opened at run time", "");
  description.reference = true;
  description.precision = precision;
  return description;
}

}  // namespace

const Implementation& cublas_tf32() {
  static const CublasImplementation implementation(
      reduced("gpu.cublas_tf32", "cuBLAS on the tensor cores, operands rounded to TF32 (10 bits and sign)",
              Precision::kTf32),
      [](const Parameters&) { return CublasArithmetic::kTf32; });
  return implementation;
}

const Implementation& cublas_fp16() {
  static const CublasImplementation implementation(
      reduced("gpu.cublas_fp16",
              "cuBLAS on the tensor cores, operands rounded to FP16 (10 bits, small range)",
              Precision::kFp16),
      [](const Parameters&) { return CublasArithmetic::kFp16; });
  return implementation;
}

const Implementation& cublas_bf16() {
  static const CublasImplementation implementation(
      reduced("gpu.cublas_bf16", "cuBLAS on the tensor cores, operands rounded to BF16 (7 bits and sign)",
              Precision::kBf16),
      [](const Parameters&) { return CublasArithmetic::kBf16; });
  return implementation;
}

}  // namespace gemmlab::gpu
