// Launches the product of digits (gemm_digits.h), with those of FP16 pairs and BF16 triples in the same kernel
// for data that digits do not hold: four kernels a multiply then, of which one does nothing.

#include <stdexcept>
#include <string>
#include <type_traits>

#include "gpu/gemm/session.h"
#include "gpu/gemm/tensor/gemm_digits.h"
#include "gpu/gemm/tensor/instructions/launch_sm90.h"

namespace gemmlab::gpu::parts {
namespace {

using SquareDigits = sm90::DigitTile<128>;
using NarrowDigits = sm90::DigitTile<64>;

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
  int K;
};

template <typename Tile>
OneProduct product_for(const Work& work, int element_bytes, int pitch) {
  return {maps_for<Tile>(work, element_bytes, pitch),
          {work.findings,
           output_of(work),
           tiles_of_clusters(work, Tile::kCols),
           static_cast<int>(tiles_of(work.K, Tile::kStep)),
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
  switch (arithmetic_with_digits(*product.digits.arguments.findings, product.K)) {
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

template <typename Scheme, typename Tile>
Facts facts_of(const char* tile, bool carries) {
  return {{"instruction", std::string("wgmma")},
          {"tile", std::string(tile)},
          {"cluster", std::int64_t{sm90::kCluster}},
          {"step", std::int64_t{Tile::kStep}},
          {"rounding", std::string(carries ? "carried on" : "dropped")},
          {"stages", std::int64_t{sm90::Ring<Scheme, Tile>::kStages}}};
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
Compiled compiled(const Work& work, const char* digits, const char* half) {
  const int shared_bytes =
      std::max({sm90::Ring<DigitTriples, Digits>::kBytes, sm90::Ring<HalfPairs, Half>::kBytes,
                sm90::Ring<BfloatTriples, EightTile>::kBytes});
  Facts of_digits = facts_of<DigitTriples, Digits>(digits, false);
  of_digits["rounding"] = std::string("once");
  return {any_kernel<Digits, Half>,
          std::min(Digits::kCols, Half::kCols),
          shared_bytes,
          {product_for<Digits>(work, 1, static_cast<int>(pitch_of_digits(work.K))),
           product_for<Half>(work, sizeof(std::uint16_t), work.pitch),
           product_for<EightBeside<Half>>(work, sizeof(std::uint16_t), work.pitch), work.K},
          of_digits,
          facts_of<HalfPairs, Half>(half, Half::kCarry)};
}

/// Do narrow tiles take less time? Half as wide, they take 1.2 halves of a wide one's time.
bool narrow_is_better(const Work& work) {
  constexpr double kNarrow = 0.6;
  const auto rounds = [&](int cols) {
    return static_cast<double>(tiles_of(tiles_of_clusters(work, cols).count(), clusters_at_once(work)));
  };
  return kNarrow * rounds(64) < rounds(128);
}

/// Narrow tiles are for a C so small that a few more or fewer rounds of tiles count. Every pair costs compile time, so that
/// batches have two only.
Compiled compiled_for(const Work& work) {
  if (work.batch > 1) {
    using Digits = sm90::OfBatch<SquareDigits>;
    return half_tile_for(work) == HalfTile::kCarry
               ? compiled<Digits, sm90::OfBatch<CarryTile>>(work, "128x128", "128x128")
               : compiled<Digits, sm90::OfBatch<ThreeTile>>(work, "128x128", "128x128");
  }
  switch (half_tile_for(work)) {
    case HalfTile::kSquare:
      return compiled<SquareDigits, ThreeTile>(work, "128x128", "128x128");
    case HalfTile::kWide:
      return compiled<SquareDigits, WideTile>(work, "128x128", "128x192");
    case HalfTile::kCarry:
      return narrow_is_better(work) ? compiled<NarrowDigits, CarryTile>(work, "128x64", "128x128")
                                    : compiled<SquareDigits, CarryTile>(work, "128x128", "128x128");
  }
  throw std::logic_error("no such tile");
}

class DigitProducts : public WholeProduct {
 public:
  explicit DigitProducts(const Work& work) : compiled_(compiled_for(work)) {
    GEMMLAB_CUDA_CHECK(cudaFuncSetAttribute(compiled_.kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                            compiled_.shared_bytes));
  }

  void launch(const Work& work) override {
    launch_digits(work);
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
                                             : facts_of<BfloatTriples, EightTile>("128x128", true);
  }

  Facts resources() const override {
    return kernel_resources(reinterpret_cast<const void*>(compiled_.kernel), sm90::kThreads,
                            compiled_.shared_bytes);
  }

 private:
  Compiled compiled_;
};

}  // namespace

std::unique_ptr<WholeProduct> make_digit_products(const Work& work) {
  return std::make_unique<DigitProducts>(work);
}

}  // namespace gemmlab::gpu::parts
