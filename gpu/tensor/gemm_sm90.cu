// Launches the product by wgmma and TMA (gemm_sm90.h).

#include <cudaTypedefs.h>

#include <algorithm>
#include <stdexcept>
#include <string>

#include "gpu/check.h"
#include "gpu/device.h"
#include "gpu/session.h"
#include "gpu/stream.h"
#include "gpu/tensor/gemm_sm90.h"
#include "gpu/tensor/load.h"
#include "gpu/tensor/stages.h"

namespace gemmlab::gpu::parts {
namespace {

template <typename Scheme>
__global__ void __launch_bounds__(sm90::kThreads, 1)
    wgmma_kernel(const __grid_constant__ CUtensorMap A, const __grid_constant__ CUtensorMap B,
                 sm90::Problem problem) {
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
  sm90::gemm<Scheme>(A, B, problem);
#endif
}

__global__ void tell_architecture(int* answer) {
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
  *answer = 1;
#else
  *answer = 0;
#endif
}

/// cuTensorMapEncodeTiled of the driver that is loaded, so that nothing is linked against it.
PFN_cuTensorMapEncodeTiled_v12000 encoder() {
  void* function = nullptr;
  cudaDriverEntryPointQueryResult found = cudaDriverEntryPointSymbolNotFound;
#if CUDART_VERSION >= 12050
  GEMMLAB_CUDA_CHECK(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &function, 12000,
                                                      cudaEnableDefault, &found));
#else
  GEMMLAB_CUDA_CHECK(cudaGetDriverEntryPoint("cuTensorMapEncodeTiled", &function, cudaEnableDefault, &found));
#endif
  if (found != cudaDriverEntryPointSuccess)
    throw std::runtime_error("the driver has no cuTensorMapEncodeTiled");
  return reinterpret_cast<PFN_cuTensorMapEncodeTiled_v12000>(function);
}

/// Parts (part, row, k) as TMA sees them, fetched `box_rows` rows at a time; what lies beyond is read as
/// zeros.
CUtensorMap tensor_map(const std::uint16_t* parts, int rows, int pitch, int box_rows) {
  CUtensorMap map;
  const cuuint64_t lengths[] = {static_cast<cuuint64_t>(pitch), static_cast<cuuint64_t>(rows), kMostParts};
  const cuuint64_t row_bytes = sizeof(std::uint16_t) * lengths[0];
  const cuuint64_t strides[] = {row_bytes, row_bytes * lengths[1]};
  const cuuint32_t box[] = {sm90::kStep, static_cast<cuuint32_t>(box_rows), 1};
  const cuuint32_t every[] = {1, 1, 1};
  const CUresult result =
      encoder()(&map, CU_TENSOR_MAP_DATA_TYPE_UINT16, 3, const_cast<std::uint16_t*>(parts), lengths, strides,
                box, every, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
                CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  if (result != CUDA_SUCCESS) {
    throw std::runtime_error("cuTensorMapEncodeTiled answered " + std::to_string(result) + " for " +
                             std::to_string(rows) + " rows of " + std::to_string(pitch));
  }
  return map;
}

class WgmmaProducts : public Products {
 public:
  explicit WgmmaProducts(const Work& work)
      : map_a_(tensor_map(work.parts_a, work.M, work.pitch, sm90::kBlockRows)),
        map_b_(tensor_map(work.parts_b, work.N, work.pitch, sm90::kSharedRowsB)) {
    allow_shared<HalfPairs>();
    allow_shared<BfloatTriples>();
  }

  void launch(const Work& work, Way way) override {
    if (way == Way::kHalf) {
      launch_scheme<HalfPairs>(work);
    } else {
      launch_scheme<BfloatTriples>(work);
    }
  }

  Facts chosen() const override {
    return {{"instruction", std::string("wgmma")},
            {"tile", std::to_string(sm90::kBlockRows) + "x" + std::to_string(sm90::kBlockCols)},
            {"cluster", std::int64_t{sm90::kCluster}},
            {"stages", std::int64_t{sm90::Ring<HalfPairs>::kStages}}};
  }

  Facts resources(Way way) const override {
    return way == Way::kBfloat ? resources_of<BfloatTriples>() : resources_of<HalfPairs>();
  }

 private:
  template <typename Scheme>
  static void allow_shared() {
    GEMMLAB_CUDA_CHECK(cudaFuncSetAttribute(wgmma_kernel<Scheme>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                            sm90::Ring<Scheme>::kBytes));
  }
  template <typename Scheme>
  static Facts resources_of() {
    return kernel_resources(reinterpret_cast<const void*>(wgmma_kernel<Scheme>), sm90::kThreads,
                            sm90::Ring<Scheme>::kBytes);
  }

  template <typename Scheme>
  void launch_scheme(const Work& work) const {
    const Tiles tiles{static_cast<int>(tiles_of(work.M, sm90::kCluster * sm90::kBlockRows)),
                      static_cast<int>(tiles_of(work.N, sm90::kBlockCols))};
    const sm90::Problem problem{work.findings,
                                {work.scales, work.c, work.M, work.N},
                                tiles,
                                static_cast<int>(tiles_of(work.K, sm90::kStep)),
                                work.half_allowed};
    const int clusters = std::min(tiles.count(), std::max(1, work.multiprocessors / sm90::kCluster));
    cudaLaunchAttribute attribute;
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = sm90::kCluster;
    attribute.val.clusterDim.y = 1;
    attribute.val.clusterDim.z = 1;
    cudaLaunchConfig_t launch = {};
    launch.gridDim = dim3(clusters * sm90::kCluster);
    launch.blockDim = dim3(sm90::kThreads);
    launch.dynamicSmemBytes = sm90::Ring<Scheme>::kBytes;
    launch.stream = current_stream();
    launch.attrs = &attribute;
    launch.numAttrs = 1;
    GEMMLAB_CUDA_CHECK(cudaLaunchKernelEx(&launch, wgmma_kernel<Scheme>, map_a_, map_b_, problem));
  }

  CUtensorMap map_a_;
  CUtensorMap map_b_;
};

}  // namespace

std::unique_ptr<Products> make_wgmma_products(const Work& work) {
  return std::make_unique<WgmmaProducts>(work);
}

bool wgmma_here() {
  const DeviceMemory answer(sizeof(int));
  tell_architecture<<<1, 1, 0, current_stream()>>>(static_cast<int*>(answer.data()));
  GEMMLAB_CUDA_CHECK(cudaGetLastError());
  int here = 0;
  GEMMLAB_CUDA_CHECK(
      cudaMemcpyAsync(&here, answer.data(), sizeof(here), cudaMemcpyDeviceToHost, current_stream()));
  GEMMLAB_CUDA_CHECK(cudaStreamSynchronize(current_stream()));
  return here == 1;
}

}  // namespace gemmlab::gpu::parts
