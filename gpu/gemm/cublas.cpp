#include "gpu/describe.h"
#include "gpu/gemm/cublas_session.h"

namespace gemmlab::gpu {
namespace {

Description cublas_description() {
  ParameterSpec math;
  math.name = "math";
  math.summary = "default: any kernel in plain FP32; pedantic: no other than the standard's arithmetic";
  math.choices = {std::string("default"), std::string("pedantic")};
  math.default_value = std::string("default");
  Description description =
      describe("gpu.cublas", "cuBLAS' cublasSgemm in plain FP32, its own choice of kernel",
               "NVIDIA cuBLAS, opened at run time", "cpu.openblas", {math});
  description.reference = true;
  return description;
}

}  // namespace

const Implementation& cublas() {
  static const CublasImplementation implementation(cublas_description(), [](const Parameters& parameters) {
    const bool pedantic = text(parameters, "math") == "pedantic";
    return CublasChoice{pedantic ? CublasArithmetic::kPedantic : CublasArithmetic::kDefault};
  });
  return implementation;
}

}  // namespace gemmlab::gpu
