#include "gpu/gemm/tensor/choose.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/rounding.h"
#include "gpu/gemm/batched/choose.h"
#include "gpu/gemm/thin/product.h"

namespace gemmlab::gpu::parts {
namespace {

constexpr int kHopper = 90;  // compute capability 9.0
constexpr double kHopperHz = 1.98e9;
// Of K: from here on digits pass for uniform data (seen at 1024, not at 512). Data that they do not pass for, normal
// ones among them, then take FP16 pairs, about 60 µs at 1024³ on an H200 where FP32 takes 47.
constexpr std::int64_t kUsualForDigits = 1000;

}  // namespace

bool may_be_split(std::int64_t M, std::int64_t N, int multiprocessors, std::int64_t batch) {
  constexpr double kBusy = 0.85;
  const std::int64_t tiles = ceil_div(M, 128) * ceil_div(N, 256) * batch;
  const std::int64_t places = rounded_up(tiles, multiprocessors);
  return static_cast<double>(tiles) < kBusy * static_cast<double>(places);
}

bool digits_may_serve(std::int64_t M, std::int64_t N, std::int64_t K) {
  constexpr std::int64_t kLeastTiles = 24;  // of 128×256: from 1024×768 on
  return K >= kLeastForParts && K <= kMostForDigits && ceil_div(M, 128) * ceil_div(N, 256) >= kLeastTiles;
}

double estimated_seconds(const Shape& shape, const PipelinedCard& card) {
  if (card.compute_capability != kHopper) return 0;
  constexpr double kLaunches = 29.5e-6;      // of a memset and six kernels, three of which do nothing
  constexpr double kScanAndSplit = 3.6e-12;  // per element of A and B
  constexpr double kStore = 3.2e-12;         // per element of C
  constexpr double kDropped = 17.5e-9;       // per term of K and round of tiles of 256×128
  constexpr double kCarried = 22.0e-9;       // the same where roundings are carried on
  constexpr std::int64_t kClusterBlocks = 2;
  const std::int64_t tiles = ceil_div(shape.m, 256) * ceil_div(shape.n, 128);
  const double rounds =
      static_cast<double>(ceil_div(tiles, std::max<std::int64_t>(1, card.sms / kClusterBlocks)));
  const double per_term = may_be_split(shape.m, shape.n, card.sms) ? kCarried : kDropped;
  return kLaunches + kScanAndSplit * static_cast<double>(shape.a_count() + shape.b_count()) +
         kStore * static_cast<double>(shape.c_count()) + per_term * rounds * static_cast<double>(shape.k);
}

double estimated_seconds_of_digits(const Shape& shape, const PipelinedCard& card) {
  if (card.compute_capability != kHopper) return 0;
  constexpr double kLaunches = 14e-6;  // of the split's two kernels, one that does nothing, and the products
  constexpr double kSplit = 2.4e-12;   // per element of A and B
  constexpr double kStore = 3.2e-12;   // per element of C
  constexpr double kWide = 14.65e-9;   // per term of K and round of tiles of 128×128
  constexpr double kNarrow = 8.95e-9;  // the same of 128×64
  const double sms = std::max(1, card.sms);
  const auto products = [&](std::int64_t cols, double per_term) {
    const double tiles = static_cast<double>(ceil_div(shape.m, 128) * ceil_div(shape.n, cols));
    return per_term * std::ceil(tiles / sms) * static_cast<double>(shape.k);
  };
  return kLaunches + kSplit * static_cast<double>(shape.a_count() + shape.b_count()) +
         kStore * static_cast<double>(shape.c_count()) +
         std::min(products(128, kWide), products(64, kNarrow));
}

bool better_in_fp32(const Shape& shape, const GemmForm& form, const PipelinedCard& card) {
  constexpr double kLate =
      1.13;  // the estimate of gpu.pipelined is so much too low where it takes 50 µs and more
  if (shape.k < kLeastForParts) return true;
  const bool digits = shape.k >= kUsualForDigits && digits_may_serve(shape.m, shape.n, shape.k);
  const double here = digits ? estimated_seconds_of_digits(shape, card) : estimated_seconds(shape, card);
  if (here == 0) return false;
  if (is_thin(shape)) return true;
  const PipelinedChoice choice = choose_pipelined(shape, "auto", card, layout_of_b(shape, form));
  return choice.candidate != nullptr && kLate * choice.cycles / kHopperHz <= here;
}

double estimated_seconds(const GemmBatch& batch, const PipelinedCard& card) {
  if (card.compute_capability != kHopper) return 0;
  constexpr double kLaunches = 71e-6;      // and all else that does not grow with the batch
  constexpr double kSplit = 1.6e-12;       // per element of A and B, into digits: 7 bytes at 4.4 TB/s
  constexpr double kOtherSplit = 3.2e-12;  // the same, into FP16 pairs behind it
  constexpr double kStore = 3.2e-12;       // per element of C
  constexpr double kDigits = 14.65e-9;     // per term of K and round of tiles of 256×128 by digits
  constexpr double kDropped = 17.5e-9;     // by FP16 pairs
  constexpr double kCarried = 22.0e-9;     // where their roundings are carried on
  constexpr std::int64_t kClusterBlocks = 2;
  const Shape& shape = batch.shape;
  const bool digits = shape.k >= kUsualForDigits;
  const std::int64_t tiles = ceil_div(shape.m, 256) * ceil_div(shape.n, 128) * batch.count;
  const double rounds =
      static_cast<double>(ceil_div(tiles, std::max<std::int64_t>(1, card.sms / kClusterBlocks)));
  const double per_term = digits                                                  ? kDigits
                          : may_be_split(shape.m, shape.n, card.sms, batch.count) ? kCarried
                                                                                  : kDropped;
  const auto elements = [&](std::int64_t one, std::int64_t stride) {
    return static_cast<double>(stride == 0 ? one : batch.count * one);
  };
  return kLaunches +
         (kSplit + (digits ? 0 : kOtherSplit)) *
             (elements(shape.a_count(), batch.stride_a) + elements(shape.b_count(), batch.stride_b)) +
         kStore * elements(shape.c_count(), batch.stride_c) +
         per_term * rounds * static_cast<double>(shape.k);
}

bool better_in_fp32(const GemmBatch& batch, const PipelinedCard& card) {
  const double here = estimated_seconds(batch, card);
  if (here == 0 || batch.shape.k < kLeastForParts) return true;
  constexpr double kLaunch = 4000;  // in cycles, between products that are launched one by one
  const PipelinedChoice one =
      choose_pipelined(batch.shape, "auto", card, layout_of_b(batch.shape, batch.form));
  const BatchChoice all = choose_batched(batch, "auto", true, card);
  double cycles = std::numeric_limits<double>::infinity();
  if (one.candidate != nullptr) cycles = (one.cycles + kLaunch) * static_cast<double>(batch.count);
  if (all.candidate != nullptr) cycles = std::min(cycles, all.cycles);
  return cycles / kHopperHz <= here;
}

}  // namespace gemmlab::gpu::parts
