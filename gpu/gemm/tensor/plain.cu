// Launches the product in plain FP32 (plain.h), in every multiply; it returns at once where the tensor cores
// have served.

#include <algorithm>

#include "gpu/device/check.h"
#include "gpu/device/stream.h"
#include "gpu/gemm/session.h"
#include "gpu/gemm/tensor/plain.h"

namespace gemmlab::gpu::parts {
namespace {

__global__ void __launch_bounds__(plain::kThreads)
    plain_kernel(plain::Plain plain, const Findings* findings, bool half_allowed) {
  if (arithmetic_for(*findings, half_allowed, plain.K) == Arithmetic::kPlain) plain::plain_product(plain);
}

}  // namespace

void launch_plain(const Work& work) {
  const std::int64_t tiles = tiles_of(work.M, plain::kBlock) * tiles_of(work.N, plain::kBlock);
  const auto blocks = static_cast<unsigned>(std::min<std::int64_t>(tiles, 4 * work.multiprocessors));
  plain_kernel<<<blocks, plain::kThreads, 0, current_stream()>>>(plain::plain_of(work), work.findings,
                                                                 work.half_allowed);
  GEMMLAB_CUDA_CHECK(cudaGetLastError());
}

Facts plain_resources() {
  return kernel_resources(reinterpret_cast<const void*>(plain_kernel), plain::kThreads, 0);
}

}  // namespace gemmlab::gpu::parts
