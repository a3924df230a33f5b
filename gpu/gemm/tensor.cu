// C = alpha·op(A)·op(B) + beta·C to FP32's accuracy on the tensor cores, which take 16-bit operands only and
// sum in FP32.
//
// All kernels of a multiply are timed. By wgmma there are four: two that scan A and B and split them into 8-bit digits or FP16
// pairs, whichever tensor/choose.h expects to serve (tensor/first_split/first_split.cu); for data that this does not hold, another split
// into 16-bit parts or all of it in plain FP32 (tensor/split.cu); the products (tensor/gemm_whole.cu). By mma.sync, and for
// eight products, others do the work: a scan for the largest magnitude of each row of A and column of B (tensor/scan.cu); a
// split of A and B, scaled by powers of two, into 16-bit parts (tensor/split.cu); the products of the parts
// (tensor/gemm_sm90.h, tensor/gemm_sm80.h); plain FP32 (tensor/plain.h) for what parts do not hold. Which kernels do anything
// is decided on the device by what scan and split found (tensor/operand_scan.h), so that the host never waits and the call can
// be captured into a graph; `chosen` reads it afterwards. Why digits are accurate: tensor/digits.h.
//
// Why parts are as accurate as FP32. u = 2⁻²⁴ is FP32's unit roundoff.
// - A row is scaled so that its largest element lies in [2¹⁴, 2¹⁵). hi = fp16(x) and lo = fp16(2¹²·(x - hi)) have
//   11 bits each and a sign: |x - hi - 2⁻¹²·lo| <= 2⁻²³·|x| = 2u·|x|, down to an |x| of 2⁻¹⁵, 2⁻²⁹ of the largest;
//   without the 2¹² it would be 2⁻¹⁷ of it. hi·hi + 2⁻¹²·(hi·lo + lo·hi) leaves out lo·lo, at most 2⁻²²·|a·b|. So the
//   parts cost at most 8u·(|A||B|), and about a tenth of u·(|A||B|) where signs vary and many products count.
// - Smaller elements are lossy: each loses up to 2⁻³⁷, absolute. The split counts them, and the small ones, under 2⁻¹⁵ of
//   the largest, zeros among them. Where in every segment of K in a quarter of the places neither a nor b is small,
//   (|A||B|) >= K/4·2⁻², while K/16 lossy elements lose K/16·2⁻³⁷·2¹⁵ at most: under 2⁻²² of it, 4u, whatever the signs.
//   Where there are more zeros, none may be lossy, and so many terms must be left as a rule that their last bits average
//   out. What networks hand on holds, as do data with outliers or of a wide span; sparse data, and those whose small
//   elements meet zeros in place of the large ones, take eight products of BF16 triples.
// - BF16 triples have FP32's 24 bits and its range, so they hold any row whose elements span up to 2⁵⁴ (no
//   part and no product then leaves the normal range); lo·lo, which is left out, is under 2⁻³²·|a·b|. Inf,
//   NaN and wider spans take the plain kernel, as does a K under 128, where an FP32 loop has too few
//   roundings for parts to be better.
// - The tensor core rounds its sum towards zero, and cuts what it adds at 2⁻²⁵ of the largest. So it sums 32 or
//   64 of K only, and FP32 registers add those sums up; the small products are summed apart, by pairs over all of K, since
//   what that rounds off is 2⁻¹² as large.
// - Those additions round as well, and over a long K of one sign that adds up: with random roundings to
//   5·sqrt(K / 64 / 3) or so, which is less than a sequential sum in FP32 has, but more than a library has
//   that splits K. Where it may (tensor/choose.h), and for triples always, what rounds off goes back into the
//   accumulators (carry.h), so that the error does not grow with K.
// Small integers are exact: hi holds them, lo is zero.
//
// What it does not hold: where neighbouring products cancel each other, a loop in FP32 rounds next to
// nothing, and what the FP16 pairs leave out shows: 0.07u of (|A||B|) where cuBLAS has 0.01u, for a and
// -a against nearly equal b, K = 8192. products = 8 has under 0.001u there. Nothing tells such data
// from others beforehand.
//
// Limit: three products go no faster than a third of one pass in FP16, eight than an eighth of one in BF16, six
// of digits than a sixth of one in INT8; scan and split read A and B twice, of digits
// an operand whose rows run along K once.
//
// Source: splitting into FP16 with scaling and rounding outside the tensor core: Ootomo and Yokota,
// "Recovering single precision accuracy from Tensor Cores while surpassing the FP32 theoretical peak
// performance" (2022); three BF16 parts: Henry, Tang and Heinecke, "Leveraging the bfloat16 artificial
// intelligence datatype for higher-precision computations" (2019).

#include <limits>
#include <memory>

#include "core/rounding.h"
#include "core/session_row.h"
#include "gpu/describe.h"
#include "gpu/device/check.h"
#include "gpu/device/device.h"
#include "gpu/gemm/pipelined/card.h"
#include "gpu/gemm/scale.h"
#include "gpu/gemm/session.h"
#include "gpu/gemm/shared_operands.h"
#include "gpu/gemm/tensor/choose.h"
#include "gpu/gemm/tensor/in_fp32.h"
#include "gpu/gemm/tensor/instructions/wgmma_here.h"
#include "gpu/gemm/tensor/session.h"
#include "gpu/gemm/tensor/stages.h"
#include "gpu/table.h"

namespace gemmlab::gpu {
namespace {

constexpr std::int64_t kThreeProducts = 3;
constexpr std::int64_t kEightProducts = 8;
constexpr int kHopper = 90;          // compute capability 9.0
constexpr std::int64_t kTile = 128;  // rows and columns of C that a block computes
constexpr const char* kWidest = "widest";

int attribute(cudaDeviceAttr what) {
  int value = 0;
  GEMMLAB_CUDA_CHECK(cudaDeviceGetAttribute(&value, what, 0));
  return value;
}

/// Does "widest" stand for FP32 here?
bool takes_fp32(const Shape& shape, const GemmForm& form, const Parameters& parameters) {
  return integer(parameters, "products") == kThreeProducts && text(parameters, "instruction") == kWidest &&
         gpu::unavailable().empty() && parts::better_in_fp32(shape, form, this_card());
}

Description tensor_description() {
  return describe(
      {.id = "gpu.tensor",
       .name = "tensor",
       .family = "matrix units",
       .summary = "FP32's accuracy on the tensor cores, from operands split into 16-bit parts",
       .source = "Ootomo and Yokota, Recovering single precision accuracy from Tensor Cores (2022); "
                 "Henry, Tang and Heinecke, bfloat16 for higher-precision computations (2019)",
       .precision = Precision::kFp32Split,
       .parameters = {
           choice("instruction",
                  "mma: warps by mma.sync; wgmma: warpgroups by wgmma where the card has it; widest: as "
                  "wgmma, or for 3 products FP32 units where they are faster",
                  {std::string("mma"), std::string("wgmma"), std::string(kWidest)}, std::string(kWidest),
                  ", {instruction}"),
           choice("products",
                  "3: INT8 triples or FP16 pairs where the data allow it, else 8; 8: BF16 triples",
                  {kThreeProducts, kEightProducts}, kThreeProducts, ", {products} products")}});
}

class Tensor : public GemmImplementation, public PreparesBatches, public TakesBatches, public SharesOperands {
 public:
  const Description& description() const override { return description_; }

  std::string unavailable() const override {
    if (std::string reason = gpu::unavailable(); !reason.empty()) return reason;
    const int major = attribute(cudaDevAttrComputeCapabilityMajor);
    if (major >= 8) return {};
    return "needs compute capability 8.0 (mma.sync on BF16); this card has " + std::to_string(major) + "." +
           std::to_string(attribute(cudaDevAttrComputeCapabilityMinor));
  }

  std::string why_not(const Shape& shape, const Parameters&) const override {
    if (std::string reason = too_long(shape); !reason.empty()) return reason;
    constexpr std::int64_t kMostTiles = std::numeric_limits<std::int32_t>::max();
    const std::int64_t tiles = ceil_div(shape.m, kTile) * ceil_div(shape.n, kTile);
    if (tiles <= kMostTiles) return {};
    return "C has " + std::to_string(tiles) + " tiles of 128x128, over " + std::to_string(kMostTiles);
  }

  /// A and B by the scan and the split, once on Hopper (of what the scan has read, the second-level cache holds much);
  /// their parts written once, and read once a column or row of tiles; C once.
  double moved_bytes(const Shape& shape, const Parameters& parameters) const override {
    if (takes_fp32(shape, form_of(shape), parameters))
      return InFp32::row().moved_bytes(shape, complete(InFp32::row().description(), {}));
    const bool three = integer(parameters, "products") == kThreeProducts;
    const bool once = three && text(parameters, "instruction") != "mma" && gpu::unavailable().empty() &&
                      this_card().compute_capability == kHopper;
    const double part_bytes =
        once && parts::choose_wgmma(shape, this_card().sms).digits
            ? parts::kDigits
            : static_cast<double>((three ? 2 : parts::kMostParts) * sizeof(std::uint16_t));
    const double a = static_cast<double>(shape.a_count());
    const double b = static_cast<double>(shape.b_count());
    return (a + b) * ((once ? 1 : 2) * sizeof(float) + part_bytes) +
           part_bytes * (a * ceil_div(shape.n, kTile) + b * ceil_div(shape.m, kTile)) +
           sizeof(float) * static_cast<double>(shape.c_count());
  }

  std::string why_not_form(const Shape& shape, const GemmForm& form,
                           const Parameters& parameters) const override {
    if (std::string reason = wrong_form(shape, form); !reason.empty()) return reason;
    if (std::string reason = too_long(shape, form); !reason.empty()) return reason;
    return why_not(shape, parameters);
  }

  std::unique_ptr<Session> prepare(const Shape& shape, const Parameters& parameters) const override {
    return prepare_form(shape, form_of(shape), parameters);
  }

  std::unique_ptr<Session> prepare_form(const Shape& shape, const GemmForm& form,
                                        const Parameters& parameters) const override {
    return prepare_after({}, shape, form, parameters);
  }

  std::unique_ptr<Session> prepare_after(const SessionsBefore& before, const Shape& shape,
                                         const GemmForm& form, const Parameters& parameters) const override {
    if (scales_only(shape, form)) return make_scale_session(shape, form);
    if (takes_fp32(shape, form, parameters)) return std::make_unique<InFp32>(shape, form);
    return parts::make_tensor_session({shape, form}, integer(parameters, "products") == kThreeProducts,
                                      text(parameters, "instruction") != "mma", before);
  }

  bool shares(const Shape& shape, const GemmForm& form, const Parameters& parameters) const override {
    if (scales_only(shape, form) || takes_fp32(shape, form, parameters)) return false;
    return parts::splits_once({shape, form}, integer(parameters, "products") == kThreeProducts,
                              text(parameters, "instruction") != "mma");
  }

  /// By 3 products and wgmma as one list of tiles. Where FP32 is faster for the batch, gpu.pipelined's one launch.
  std::unique_ptr<Session> prepare_batch(const GemmBatch& batch,
                                         const Parameters& parameters) const override {
    const std::string instruction = text(parameters, "instruction");
    if (integer(parameters, "products") != kThreeProducts || instruction == "mma") return nullptr;
    if (scales_only(batch.shape, batch.form)) return nullptr;
    const bool widest = instruction == kWidest;
    const bool whole = parts::why_no_batch(batch).empty() && parts::wgmma_here();
    if (whole && (!widest || parts::better_as_batch(batch)))
      return parts::make_tensor_session(batch, true, true);
    if (!widest || !(whole || takes_fp32(batch.shape, batch.form, parameters))) return nullptr;
    const GemmImplementation& row = InFp32::row();
    return batch_session(row.prepare_form(batch.shape, batch.form, complete(row.description(), {})),
                         strides_of(batch), batch.count);
  }

  bool one_launch(const GemmBatch& batch) const override {
    return parts::better_as_batch(batch) ||
           dynamic_cast<const TakesBatches&>(InFp32::row()).one_launch(batch);
  }

 private:
  Description description_ = tensor_description();
};

}  // namespace

const Implementation& tensor() {
  static const Tensor implementation;
  return implementation;
}

}  // namespace gemmlab::gpu
