// Launches the product by wgmma and TMA (gemm_sm90.h).

#include <cudaTypedefs.h>

#include <algorithm>
#include <stdexcept>
#include <string>

#include "gpu/check.h"
#include "gpu/device.h"
#include "gpu/gemm/session.h"
#include "gpu/gemm/tensor/choose.h"
#include "gpu/gemm/tensor/gemm_sm90.h"
#include "gpu/gemm/tensor/load.h"
#include "gpu/gemm/tensor/stages.h"
#include "gpu/stream.h"

namespace gemmlab::gpu::parts {
namespace {

using Kernel = void (*)(CUtensorMap, CUtensorMap, sm90::Arguments);

template <typename Scheme, typename Tile>
__global__ void __launch_bounds__(sm90::kThreads, 1)
    wgmma_kernel(const __grid_constant__ CUtensorMap A, const __grid_constant__ CUtensorMap B,
                 sm90::Arguments arguments) {
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
  sm90::gemm<Scheme, Tile>(A, B, arguments);
#endif
}

/// A kernel compiled for a scheme and a tile, and what launching it takes.
struct Compiled {
  const char* name;
  Kernel kernel;
  int cols;
  int step;
  int rows_of_b;
  int stages;
  int shared_bytes;
  bool carries;  // what adding up rounds off
};

template <typename Scheme, typename Tile>
Compiled compiled(const char* name) {
  using Sizes = sm90::Ring<Scheme, Tile>;
  return {name,           wgmma_kernel<Scheme, Tile>,
          Tile::kCols,    Tile::kStep,
          Tile::kRowsOfB, Sizes::kStages,
          Sizes::kBytes,  Tile::kCarry};
}

//                      cols step sets run carry
using EightTile = sm90::WgmmaTile<128, 32, 1, 1, true>;
using ThreeTile = sm90::WgmmaTile<128, 64, 2, 4, false>;  // 211 TFLOP/s at 8192³ on an H200; with one set 205
using WideTile = sm90::WgmmaTile<192, 32, 1, 4, false>;   // 213, but fewer tiles share themselves out worse
using CarryTile = sm90::WgmmaTile<128, 32, 2, 8, true>;  // 0.86 of ThreeTile's speed at 2048³, 0.76 at 4096³

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

/// Parts (part, row, k) as TMA sees them, fetched `box_rows` rows and a step of k at a time; what lies beyond
/// is read as zeros.
CUtensorMap tensor_map(const std::uint16_t* parts, int rows, int pitch, int box_rows, int step) {
  CUtensorMap map;
  const cuuint64_t lengths[] = {static_cast<cuuint64_t>(pitch), static_cast<cuuint64_t>(rows), kMostParts};
  const cuuint64_t row_bytes = sizeof(std::uint16_t) * lengths[0];
  const cuuint64_t strides[] = {row_bytes, row_bytes * lengths[1]};
  const cuuint32_t box[] = {static_cast<cuuint32_t>(step), static_cast<cuuint32_t>(box_rows), 1};
  const cuuint32_t every[] = {1, 1, 1};
  const CUresult result =
      encoder()(&map, CU_TENSOR_MAP_DATA_TYPE_UINT16, 3, const_cast<std::uint16_t*>(parts), lengths, strides,
                box, every, CU_TENSOR_MAP_INTERLEAVE_NONE,
                step == 64 ? CU_TENSOR_MAP_SWIZZLE_128B : CU_TENSOR_MAP_SWIZZLE_64B,
                CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  if (result != CUDA_SUCCESS) {
    throw std::runtime_error("cuTensorMapEncodeTiled answered " + std::to_string(result) + " for " +
                             std::to_string(rows) + " rows of " + std::to_string(pitch));
  }
  return map;
}

/// The product by one arithmetic: its kernel with the maps that it reads through.
class PreparedKernel {
 public:
  PreparedKernel(const Work& work, const Compiled& compiled)
      : compiled_(compiled),
        map_a_(tensor_map(work.parts_a, work.M, work.pitch, sm90::kBlockRows, compiled.step)),
        map_b_(tensor_map(work.parts_b, work.N, work.pitch, compiled.rows_of_b, compiled.step)) {
    GEMMLAB_CUDA_CHECK(cudaFuncSetAttribute(compiled.kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                            compiled.shared_bytes));
  }

  void operator()(const Work& work) const {
    const TileGrid tiles = tiles_of_clusters(work, compiled_);
    const sm90::Arguments arguments{work.findings, output_of(work), tiles,
                                    static_cast<int>(tiles_of(work.K, compiled_.step)), work.half_allowed};
    cudaLaunchAttribute attribute;
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = sm90::kCluster;
    attribute.val.clusterDim.y = 1;
    attribute.val.clusterDim.z = 1;
    cudaLaunchConfig_t launch = {};
    launch.gridDim = dim3(std::min(tiles.count(), clusters_at_once(work)) * sm90::kCluster);
    launch.blockDim = dim3(sm90::kThreads);
    launch.dynamicSmemBytes = compiled_.shared_bytes;
    launch.stream = current_stream();
    launch.attrs = &attribute;
    launch.numAttrs = 1;
    GEMMLAB_CUDA_CHECK(cudaLaunchKernelEx(&launch, compiled_.kernel, map_a_, map_b_, arguments));
  }

  const Compiled& compiled() const { return compiled_; }

  static TileGrid tiles_of_clusters(const Work& work, const Compiled& compiled) {
    return {static_cast<int>(tiles_of(work.M, sm90::kCluster * sm90::kBlockRows)),
            static_cast<int>(tiles_of(work.N, compiled.cols))};
  }

  static int clusters_at_once(const Work& work) { return std::max(1, work.multiprocessors / sm90::kCluster); }

 private:
  Compiled compiled_;
  CUtensorMap map_a_;
  CUtensorMap map_b_;
};

/// The tile of three products: the one that keeps what is rounded off where a library may be as accurate,
/// else the one whose waves take less time.
Compiled three_products_for(const Work& work) {
  constexpr double kWideGain = 0.97;   // of time a column, where all multiprocessors are busy
  constexpr int kLeastForWide = 2048;  // of K: it rounds towards zero more often before it adds up
  const Compiled square = compiled<HalfPairs, ThreeTile>("128x128");
  const Compiled wide = compiled<HalfPairs, WideTile>("128x192");
  if (may_be_split(work.M, work.N, work.multiprocessors)) return compiled<HalfPairs, CarryTile>("128x128");
  const auto time = [&](const Compiled& one) {
    const std::int64_t tiles = PreparedKernel::tiles_of_clusters(work, one).count();
    return static_cast<double>(tiles_of(tiles, PreparedKernel::clusters_at_once(work)) * one.cols);
  };
  return work.K >= kLeastForWide && time(wide) * kWideGain < time(square) ? wide : square;
}

class WgmmaProducts : public Products {
 public:
  explicit WgmmaProducts(const Work& work)
      : half_(work, three_products_for(work)), bfloat_(work, compiled<BfloatTriples, EightTile>("128x128")) {}

  void launch(const Work& work, Arithmetic arithmetic) override { of(arithmetic)(work); }

  Facts chosen(Arithmetic arithmetic) const override {
    const Compiled& compiled = of(arithmetic).compiled();
    return {{"instruction", std::string("wgmma")},
            {"tile", std::string(compiled.name)},
            {"cluster", std::int64_t{sm90::kCluster}},
            {"step", std::int64_t{compiled.step}},
            {"rounding", std::string(compiled.carries ? "carried on" : "dropped")},
            {"stages", std::int64_t{compiled.stages}}};
  }

  Facts resources(Arithmetic arithmetic) const override {
    const Compiled& compiled = of(arithmetic).compiled();
    return kernel_resources(reinterpret_cast<const void*>(compiled.kernel), sm90::kThreads,
                            compiled.shared_bytes);
  }

 private:
  const PreparedKernel& of(Arithmetic arithmetic) const {
    return arithmetic == Arithmetic::kBfloat ? bfloat_ : half_;
  }

  PreparedKernel half_;
  PreparedKernel bfloat_;
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
