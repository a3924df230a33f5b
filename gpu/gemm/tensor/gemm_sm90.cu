// Launches the product of BF16 triples by wgmma and TMA (gemm_sm90.h).

#include <string>

#include "gpu/device/check.h"
#include "gpu/device/device.h"
#include "gpu/device/stream.h"
#include "gpu/gemm/session.h"
#include "gpu/gemm/tensor/gemm_sm90.h"
#include "gpu/gemm/tensor/instructions/launch_sm90.h"
#include "gpu/gemm/tensor/stages.h"

namespace gemmlab::gpu::parts {
namespace {

using Sizes = sm90::Ring<BfloatTriples, EightTile>;

__global__ void __launch_bounds__(sm90::kThreads, 1)
    triples_kernel(const __grid_constant__ CUtensorMap A, const __grid_constant__ CUtensorMap B,
                   sm90::Arguments arguments) {
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
  if (arithmetic_for(*arguments.findings, arguments.half_allowed, arguments.K) == Arithmetic::kBfloat)
    sm90::gemm<BfloatTriples, EightTile>(A, B, arguments);
#endif
}

class WgmmaProducts : public Products {
 public:
  explicit WgmmaProducts(const Work& work)
      : maps_(maps_for<EightTile>(work, sizeof(std::uint16_t), work.pitch)) {
    GEMMLAB_CUDA_CHECK(
        cudaFuncSetAttribute(triples_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, Sizes::kBytes));
  }

  void launch(const Work& work, Arithmetic arithmetic) override {
    if (arithmetic != Arithmetic::kBfloat) return;
    const TileGrid tiles = tiles_of_clusters(work, EightTile::kCols);
    const sm90::Arguments arguments{
        work.findings, output_of(work),   tiles, static_cast<int>(tiles_of(work.K, EightTile::kStep)),
        work.K,        work.half_allowed, {}};
    launch_clusters(triples_kernel, std::min(tiles.count(), clusters_at_once(work)), Sizes::kBytes, false,
                    maps_.a, maps_.b, arguments);
  }

  Facts chosen(Arithmetic) const override {
    return facts_of<BfloatTriples, EightTile>("128x128", "carried on");
  }

  Facts resources(Arithmetic) const override {
    return kernel_resources(reinterpret_cast<const void*>(triples_kernel), sm90::kThreads, Sizes::kBytes);
  }

 private:
  Maps maps_;
};

}  // namespace

std::unique_ptr<Products> make_wgmma_products(const Work& work) {
  return std::make_unique<WgmmaProducts>(work);
}

}  // namespace gemmlab::gpu::parts
