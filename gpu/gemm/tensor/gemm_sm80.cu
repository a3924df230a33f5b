// Launches the product by mma.sync and cp.async (gemm_sm80.h).

#include <algorithm>
#include <string>

#include "gpu/device/check.h"
#include "gpu/device/stream.h"
#include "gpu/gemm/session.h"
#include "gpu/gemm/tensor/gemm_sm80.h"
#include "gpu/gemm/tensor/load.h"
#include "gpu/gemm/tensor/stages.h"

namespace gemmlab::gpu::parts {
namespace {

template <typename Scheme>
__global__ void __launch_bounds__(sm80::kThreads, 1) mma_kernel(sm80::Arguments arguments) {
#if __CUDA_ARCH__ >= 800
  sm80::gemm<Scheme>(arguments);
#endif
}

class MmaProducts : public Products {
 public:
  MmaProducts() {
    for (const auto kernel : {mma_kernel<HalfPairs>, mma_kernel<BfloatTriples>}) {
      GEMMLAB_CUDA_CHECK(
          cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, sm80::kSharedBytes));
    }
  }

  void launch(const Work& work, Arithmetic arithmetic) override {
    const TileGrid tiles{static_cast<int>(tiles_of(work.M, sm80::kBlockSide)),
                         static_cast<int>(tiles_of(work.N, sm80::kBlockSide))};
    const sm80::Arguments arguments{work.findings,
                                    output_of(work),
                                    tiles,
                                    work.parts_a,
                                    work.parts_b,
                                    work.pitch,
                                    static_cast<int>(tiles_of(work.K, sm80::kStep)),
                                    work.K,
                                    work.half_allowed};
    const int blocks = std::min(tiles.count(), 2 * work.multiprocessors);
    kernel_of(arithmetic)<<<blocks, sm80::kThreads, sm80::kSharedBytes, current_stream()>>>(arguments);
    GEMMLAB_CUDA_CHECK(cudaGetLastError());
  }

  Facts chosen(Arithmetic) const override {
    return {{"instruction", std::string("mma.sync")},
            {"tile", std::to_string(sm80::kBlockSide) + "x" + std::to_string(sm80::kBlockSide)},
            {"stages", std::int64_t{sm80::kStages<HalfPairs>}}};
  }

  Facts resources(Arithmetic arithmetic) const override {
    return kernel_resources(reinterpret_cast<const void*>(kernel_of(arithmetic)), sm80::kThreads,
                            sm80::kSharedBytes);
  }

 private:
  using Kernel = void (*)(sm80::Arguments);
  static Kernel kernel_of(Arithmetic arithmetic) {
    return arithmetic == Arithmetic::kBfloat ? mma_kernel<BfloatTriples> : mma_kernel<HalfPairs>;
  }
};

}  // namespace

std::unique_ptr<Products> make_mma_products() {
  return std::make_unique<MmaProducts>();
}

}  // namespace gemmlab::gpu::parts
