// Launches the product of digits (gemm_digits.h), of FP16 pairs or of BF16 triples, whichever the data ask for, by one kernel:
// four kernels a multiply, of which one does nothing as a rule.

#include <string>
#include <type_traits>

#include "gpu/gemm/session.h"
#include "gpu/gemm/tensor/gemm_digits.h"
#include "gpu/gemm/tensor/instructions/launch_sm90.h"

namespace gemmlab::gpu::parts {
namespace {

using sm90::DigitTile;

/// The product by one arithmetic.
struct OneProduct {
  Maps maps;
  sm90::Arguments arguments;
};

/// All that a kernel needs.
struct AnyProduct {
  OneProduct digits;
  OneProduct half;
  OneProduct bfloat;
  Arithmetic first_split;
};

template <typename Tile>
OneProduct product_for(const Work& work, int element_bytes, int pitch) {
  return {maps_for<Tile>(work, element_bytes, pitch),
          {work.findings,
           output_of(work),
           tiles_of_clusters(work, Tile::kCols),
           static_cast<int>(tiles_of(work.K, Tile::kStep)),
           work.K,
           true,
           {work.batch, work.rows_apart(), work.cols_apart(), work.stride_c}}};
}

/// The tile of BF16 triples beside one of FP16 pairs: of a batch where that is.
template <typename Half>
using EightBeside = std::conditional_t<sm90::kOfBatch<Half>, sm90::OfBatch<EightTile>, EightTile>;

template <typename Digits, typename Half>
__global__ void __launch_bounds__(sm90::kThreads, 1) any_kernel(const __grid_constant__ AnyProduct product) {
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
  wait_for_previous();
  switch (arithmetic_after(*product.half.arguments.findings, product.first_split, product.half.arguments.K)) {
    case Arithmetic::kDigits:
      sm90::gemm_of_digits<Digits>(product.digits.maps.a, product.digits.maps.b, product.digits.arguments);
      return;
    case Arithmetic::kHalf:
      sm90::gemm<HalfPairs, Half>(product.half.maps.a, product.half.maps.b, product.half.arguments);
      return;
    case Arithmetic::kBfloat:
      sm90::gemm<BfloatTriples, EightBeside<Half>>(product.bfloat.maps.a, product.bfloat.maps.b,
                                                   product.bfloat.arguments);
      return;
    case Arithmetic::kPlain:
      return;  // launch_other_split() has served
  }
#endif
}

/// A kernel for tiles of digits and of FP16 pairs.
struct Compiled {
  void (*kernel)(AnyProduct);
  int cols;  // of the narrowest tile, of which there are most
  int shared_bytes;
  AnyProduct product;
  Facts digits;
  Facts half;
};

template <typename Digits, typename Half>
Compiled compiled(const Work& work, const char* half) {
  const int shared_bytes =
      std::max({sm90::Ring<DigitTriples, Digits>::kBytes, sm90::Ring<HalfPairs, Half>::kBytes,
                sm90::Ring<BfloatTriples, EightTile>::kBytes});
  return {any_kernel<Digits, Half>,
          std::min(Digits::kCols, Half::kCols),
          shared_bytes,
          {product_for<Digits>(work, 1, static_cast<int>(pitch_of_digits(work.K))),
           product_for<Half>(work, sizeof(std::uint16_t), work.pitch),
           product_for<EightBeside<Half>>(work, sizeof(std::uint16_t), work.pitch), work.first_split()},
          facts_of<DigitTriples, Digits>("128x128", "once"),
          facts_of<HalfPairs, Half>(half, Half::kCarry ? "carried on" : "dropped")};
}

/// Every pair costs compile time.
Compiled compiled_for(const Work& work) {
  if (work.batch > 1) {
    using Digits = sm90::OfBatch<DigitTile>;
    return work.choice.carries ? compiled<Digits, sm90::OfBatch<CarryTile>>(work, "128x128")
                               : compiled<Digits, sm90::OfBatch<ThreeTile>>(work, "128x128");
  }
  if (work.choice.carries) return compiled<DigitTile, CarryTile>(work, "128x128");
  return work.choice.cols == NarrowTile::kCols ? compiled<DigitTile, NarrowTile>(work, "128x64")
                                               : compiled<DigitTile, ThreeTile>(work, "128x128");
}

class WgmmaWhole : public WholeProduct {
 public:
  explicit WgmmaWhole(const Work& work) : compiled_(compiled_for(work)) {
    GEMMLAB_CUDA_CHECK(cudaFuncSetAttribute(compiled_.kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                            compiled_.shared_bytes));
  }

  void launch(const Work& work) override {
    launch_first_split(work);
    launch_other_split(work);
    for (OneProduct* const one :
         {&compiled_.product.digits, &compiled_.product.half, &compiled_.product.bfloat})
      one->arguments.output = output_of(work);  // C is another in each call
    launch_clusters(
        compiled_.kernel,
        std::min(tiles_of_clusters(work, compiled_.cols).count() * work.batch, clusters_at_once(work)),
        compiled_.shared_bytes, true, compiled_.product);
  }

  Facts chosen(Arithmetic arithmetic) const override {
    return arithmetic == Arithmetic::kDigits ? compiled_.digits
           : arithmetic == Arithmetic::kHalf ? compiled_.half
                                             : facts_of<BfloatTriples, EightTile>("128x128", "carried on");
  }

  Facts resources() const override {
    return kernel_resources(reinterpret_cast<const void*>(compiled_.kernel), sm90::kThreads,
                            compiled_.shared_bytes);
  }

 private:
  Compiled compiled_;
};

}  // namespace

std::unique_ptr<WholeProduct> make_whole_product(const Work& work) {
  return std::make_unique<WgmmaWhole>(work);
}

}  // namespace gemmlab::gpu::parts
