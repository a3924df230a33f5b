#pragma once

// Decides by shape and card whether tensor cores serve a product, and with which numbers.

#include <cstdint>

#include "gpu/gemm/pipelined/choose.h"
#include "operations/gemm/batch.h"

namespace gemmlab::gpu::parts {

/// Of K: of fewer products a sum in FP32 rounds less than the parts lose.
inline constexpr int kLeastForParts = 128;

/// Of K: the largest sum of products of digits stays below 2³¹, three times 2¹⁴ for each term.
inline constexpr int kMostForDigits = 32768;

/// Is C such that a library may split K, which makes its sums short and their roundings few? Where tiles of
/// 256×128, the usual ones, leave multiprocessors idle: cuBLAS 13.1 does so at 128, 512, 1280, 1536 and 3072
/// squared, and not at 2048, 4096 and 8192.
/// Of a batch all tiles count.
bool may_be_split(std::int64_t M, std::int64_t N, int multiprocessors, std::int64_t batch = 1);

/// How a product goes by wgmma where its data are ordinary.
struct WgmmaChoice {
  /// Are operands split into digits first, rather than into FP16 pairs? Where they pass for uniform data, and gain more time
  /// than splitting anew costs for other data. For a C so small that a library splits K many times they would err more than it.
  bool digits = false;
  int cols = 128;  ///< of a block's tile of C for FP16 pairs, 128 or 64; digits have 128
  /// Of FP16 pairs: is what adding up rounds off kept, since a library may be as accurate? By tiles of 128 columns.
  bool carries = false;
};
/// Of a batch all products count.
WgmmaChoice choose_wgmma(const Shape& shape, int multiprocessors, std::int64_t batch = 1);

/// Seconds that a product by wgmma takes on that card where its data are ordinary, about: fitted to 48 times of 22 shapes on an
/// H200, from 512³ to 10240³, to within 14 % of each. Cards of another compute capability: 0, unknown.
double estimated_seconds(const Shape& shape, const PipelinedCard& card);

/// Is the product faster in plain FP32, by gpu.pipelined's kernels?
bool better_in_fp32(const Shape& shape, const GemmForm& form, const PipelinedCard& card);

/// Several products, as one list of tiles by wgmma: seen to within 16 % of six batches on an H200.
double estimated_seconds(const GemmBatch& batch, const PipelinedCard& card);

/// Are several products faster in plain FP32, by gpu.pipelined's kernels? Also where the time here is unknown.
bool better_in_fp32(const GemmBatch& batch, const PipelinedCard& card);

}  // namespace gemmlab::gpu::parts
