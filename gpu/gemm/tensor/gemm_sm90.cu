// Launches the product by wgmma and TMA (gemm_sm90.h).

#include <stdexcept>
#include <string>

#include "gpu/device/check.h"
#include "gpu/device/device.h"
#include "gpu/device/stream.h"
#include "gpu/gemm/session.h"
#include "gpu/gemm/tensor/choose.h"
#include "gpu/gemm/tensor/gemm_sm90.h"
#include "gpu/gemm/tensor/instructions/launch_sm90.h"
#include "gpu/gemm/tensor/stages.h"

namespace gemmlab::gpu::parts {
namespace {

using Kernel = void (*)(CUtensorMap, CUtensorMap, sm90::Arguments);

template <typename Scheme, typename Tile>
__global__ void __launch_bounds__(sm90::kThreads, 1)
    wgmma_kernel(const __grid_constant__ CUtensorMap A, const __grid_constant__ CUtensorMap B,
                 sm90::Arguments arguments) {
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
  if (arithmetic_for(*arguments.findings, arguments.half_allowed) != Scheme::kArithmetic) return;
  sm90::gemm<Scheme, Tile>(A, B, arguments);
#endif
}

/// A kernel compiled for a scheme and a tile, and what launching it takes.
struct Compiled {
  const char* name;
  Kernel kernel;
  int cols;
  int step;
  Maps (*maps)(const Work& work, int element_bytes, int pitch);
  int stages;
  int shared_bytes;
  bool carries;  // what adding up rounds off
};

template <typename Scheme, typename Tile>
Compiled compiled(const char* name) {
  using Sizes = sm90::Ring<Scheme, Tile>;
  return {name,           wgmma_kernel<Scheme, Tile>,
          Tile::kCols,    Tile::kStep,
          maps_for<Tile>, Sizes::kStages,
          Sizes::kBytes,  Tile::kCarry};
}

/// The product by one arithmetic: its kernel with the maps that it reads through.
class PreparedKernel {
 public:
  PreparedKernel(const Work& work, const Compiled& compiled)
      : compiled_(compiled), maps_(compiled.maps(work, sizeof(std::uint16_t), work.pitch)) {
    GEMMLAB_CUDA_CHECK(cudaFuncSetAttribute(compiled.kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                            compiled.shared_bytes));
  }

  void operator()(const Work& work) const {
    const TileGrid tiles = tiles_of_clusters(work, compiled_.cols);
    const sm90::Arguments arguments{work.findings,
                                    output_of(work),
                                    tiles,
                                    static_cast<int>(tiles_of(work.K, compiled_.step)),
                                    work.half_allowed,
                                    {}};
    launch_clusters(compiled_.kernel, std::min(tiles.count(), clusters_at_once(work)), compiled_.shared_bytes,
                    false, maps_.a, maps_.b, arguments);
  }

  const Compiled& compiled() const { return compiled_; }

 private:
  Compiled compiled_;
  Maps maps_;
};

Compiled three_products_for(const Work& work) {
  switch (half_tile_for(work)) {
    case HalfTile::kSquare:
      return compiled<HalfPairs, ThreeTile>("128x128");
    case HalfTile::kWide:
      return compiled<HalfPairs, WideTile>("128x192");
    case HalfTile::kCarry:
      return compiled<HalfPairs, CarryTile>("128x128");
  }
  throw std::logic_error("no such tile");
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

HalfTile half_tile_for(const Work& work) {
  constexpr double kWideGain = 0.97;   // of time a column, where all multiprocessors are busy
  constexpr int kLeastForWide = 2048;  // of K: it rounds towards zero more often before it adds up
  if (may_be_split(work.M, work.N, work.multiprocessors, work.batch)) return HalfTile::kCarry;
  const auto time = [&](int cols) {
    const std::int64_t tiles = tiles_of_clusters(work, cols).count();
    return static_cast<double>(tiles_of(tiles, clusters_at_once(work)) * cols);
  };
  const bool wide = time(WideTile::kCols) * kWideGain < time(ThreeTile::kCols);
  return work.K >= kLeastForWide && wide ? HalfTile::kWide : HalfTile::kSquare;
}

std::unique_ptr<Products> make_wgmma_products(const Work& work) {
  return std::make_unique<WgmmaProducts>(work);
}

}  // namespace gemmlab::gpu::parts
