#include "core/session_row.h"
#include "gpu/describe.h"
#include "gpu/gemm/cublas_session.h"

namespace gemmlab::gpu {
namespace {

Description cublas_description() {
  const ParameterSpec math =
      choice("math", "default: any kernel in plain FP32; pedantic: no other than the standard's arithmetic",
             {std::string("default"), std::string("pedantic")}, std::string("default"), ", {math}");
  return describe({.id = "gpu.cublas",
                   .name = "cuBLAS",
                   .summary = "cuBLAS' cublasSgemm in plain FP32, its own choice of kernel",
                   .source = "NVIDIA cuBLAS, opened at run time",
                   .counterpart = "cpu.openblas",
                   .reference = true,
                   .parameters = {math}});
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
