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

/// May digits serve a product of this shape, where the data allow it? Not where C is so small that a library
/// splits K many times: its error is then a fraction of the one that digits are held against (operand_scan.h).
bool digits_may_serve(std::int64_t M, std::int64_t N, std::int64_t K);

/// Is C such that a library may split K, which makes its sums short and their roundings few? Where tiles of
/// 256×128, the usual ones, leave multiprocessors idle: cuBLAS 13.1 does so at 128, 512, 1280, 1536 and 3072
/// squared, and not at 2048, 4096 and 8192.
/// Of a batch all tiles count.
bool may_be_split(std::int64_t M, std::int64_t N, int multiprocessors, std::int64_t batch = 1);

/// Seconds that a product of FP16 pairs by wgmma takes on that card, about: fitted to 31 shapes on an H200, from 128³ to
/// 16384³, to within 14 % of each. Cards of another compute capability: 0, unknown.
double estimated_seconds(const Shape& shape, const PipelinedCard& card);

/// The same of digits by wgmma, where the data allow them: fitted to twelve shapes on an H200, from 1024³ to 16384³, to within
/// 15 % of each.
double estimated_seconds_of_digits(const Shape& shape, const PipelinedCard& card);

/// Is the product faster in plain FP32, by gpu.pipelined's kernels?
bool better_in_fp32(const Shape& shape, const GemmForm& form, const PipelinedCard& card);

/// Several products, as one list of tiles by wgmma: four kernels whatever the data. Where digits pass for uniform data, they
/// are all; FP16 pairs are split behind them. Fitted to five batches on an H200, to within 4 % of each. Cards of another compute
/// capability: 0, unknown.
double estimated_seconds(const GemmBatch& batch, const PipelinedCard& card);

/// Are several products faster in plain FP32, by gpu.pipelined's kernels? Also where the time here is unknown.
bool better_in_fp32(const GemmBatch& batch, const PipelinedCard& card);

}  // namespace gemmlab::gpu::parts
