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
constexpr std::int64_t kClusterBlocks = 2;

/// Rounds of tiles of a cluster of two blocks, which lie one below the other.
double rounds_of(const Shape& shape, int cols, int multiprocessors, std::int64_t batch) {
  const std::int64_t tiles = batch * ceil_div(shape.m, kClusterBlocks * 128) * ceil_div(shape.n, cols);
  return static_cast<double>(ceil_div(tiles, std::max<std::int64_t>(1, multiprocessors / kClusterBlocks)));
}

double estimated(const Shape& shape, std::int64_t batch, double a_and_b, double c,
                 const PipelinedCard& card) {
  if (card.compute_capability != kHopper) return 0;
  constexpr double kLaunches =
      12.9e-6;  // of the split's two kernels, one that does nothing, and the products
  const double kSplit = batch == 1 ? 2.2e-12 : 3.2e-12;  // per element of A and B
  constexpr double kStore = 2.9e-12;                     // per element of C
  constexpr double kRound = 2.1e-6;                      // per round of tiles, and below per term of K of it
  constexpr double kDigits = 15.5e-9;
  constexpr double kDropped = 17.2e-9;
  constexpr double kNarrow = 9.0e-9;
  constexpr double kCarried = 22.3e-9;
  const WgmmaChoice choice = choose_wgmma(shape, card.sms, batch);
  const bool narrow = !choice.digits && choice.cols == 64;
  const double per_term = choice.digits ? kDigits : choice.carries ? kCarried : narrow ? kNarrow : kDropped;
  return kLaunches + kSplit * a_and_b + kStore * c +
         rounds_of(shape, narrow ? 64 : 128, card.sms, batch) *
             (kRound + per_term * static_cast<double>(shape.k));
}

}  // namespace

bool may_be_split(std::int64_t M, std::int64_t N, int multiprocessors, std::int64_t batch) {
  constexpr double kBusy = 0.85;
  const std::int64_t tiles = ceil_div(M, 128) * ceil_div(N, 256) * batch;
  const std::int64_t places = rounded_up(tiles, multiprocessors);
  return static_cast<double>(tiles) < kBusy * static_cast<double>(places);
}

WgmmaChoice choose_wgmma(const Shape& shape, int multiprocessors, std::int64_t batch) {
  constexpr std::int64_t kLeastForDigits = 200;  // tiles of 128×256: from 2560 squared on
  constexpr std::int64_t kFew = 32;              // tiles: below, a library's sums are so short at any K
  constexpr std::int64_t kLong = 2048;  // of K: of less, there are too few additions to keep their roundings
  constexpr double kNarrow = 0.6;       // of a wide tile's time
  const std::int64_t tiles = batch * ceil_div(shape.m, 128) * ceil_div(shape.n, 256);
  WgmmaChoice choice;
  choice.digits = shape.k >= kLong && shape.k <= kMostForDigits && tiles >= kLeastForDigits;
  choice.carries =
      (shape.k > kLong || tiles < kFew) && may_be_split(shape.m, shape.n, multiprocessors, batch);
  // a batch has so many tiles that a few more or fewer rounds do not count
  const bool narrow =
      batch == 1 && !choice.carries &&
      kNarrow * rounds_of(shape, 64, multiprocessors, batch) < rounds_of(shape, 128, multiprocessors, batch);
  choice.cols = narrow ? 64 : 128;
  return choice;
}

double estimated_seconds(const Shape& shape, const PipelinedCard& card) {
  return estimated(shape, 1, static_cast<double>(shape.a_count() + shape.b_count()),
                   static_cast<double>(shape.c_count()), card);
}

bool better_in_fp32(const Shape& shape, const GemmForm& form, const PipelinedCard& card) {
  constexpr double kLate =
      1.13;  // the estimate of gpu.pipelined is so much too low where it takes 50 µs and more
  if (shape.k < kLeastForParts) return true;
  const double here = estimated_seconds(shape, card);
  if (here == 0) return false;
  if (is_thin(shape)) return true;
  const PipelinedChoice choice = choose_pipelined(shape, "auto", card, layout_of_b(shape, form));
  return choice.candidate != nullptr && kLate * choice.cycles / kHopperHz <= here;
}

double estimated_seconds(const GemmBatch& batch, const PipelinedCard& card) {
  const auto elements = [&](std::int64_t one, std::int64_t stride) {
    return static_cast<double>(stride == 0 ? one : batch.count * one);
  };
  const Shape& shape = batch.shape;
  return estimated(shape, batch.count,
                   elements(shape.a_count(), batch.stride_a) + elements(shape.b_count(), batch.stride_b),
                   elements(shape.c_count(), batch.stride_c), card);
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
