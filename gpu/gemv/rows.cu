// Limit: memory, 4 bytes of A per multiply-add, as long as x does not come through the L2 as often as A
// itself: an H200 reads DRAM at 4.55 TB/s and its L2 at 4.6 TB/s. So four rows share each load of x.
// Prediction for 16384 × 16384 there: 4.3 TB/s, 0.95 of the roof.

#include <algorithm>

#include "core/rounding.h"
#include "gpu/device/reduce.h"
#include "gpu/device/vector4.h"
#include "gpu/gemv/tuned.h"

namespace gemmlab::gpu {
namespace {

/// A team of kTeam threads sums kRows rows of A; where the terms are split, over its part of the
/// columns, and the last block of a group adds up the parts. kUnroll loads of each row are issued before
/// the first is used.
template <typename Vector, int kTeam, int kRows, int kUnroll>
__global__ void __launch_bounds__(kGemvThreads, 3)
    gemv_rows(const float* A, const float* x, float* y, int m, int n, int groups, int splits, float* partial,
              unsigned* arrived) {
  constexpr int kTeams = kGemvThreads / kTeam;
  const int group = blockIdx.x % groups;
  const int split = blockIdx.x / groups;
  const int lane = threadIdx.x % kTeam;
  const long long row0 = (static_cast<long long>(group) * kTeams + threadIdx.x / kTeam) * kRows;

  const int vectors = n / kFloatsOf<Vector>;
  const int per_split = ceil_div(vectors, splits);
  const int end = min(vectors, (split + 1) * per_split);
  // rows beyond the last read the last one again, and are not stored
  const float* rows[kRows];
#pragma unroll
  for (int r = 0; r < kRows; ++r) rows[r] = A + min(row0 + r, static_cast<long long>(m) - 1) * n;

  Vector sums[kRows];
#pragma unroll
  for (int r = 0; r < kRows; ++r) sums[r] = zero_of<Vector>();
  for (int first = split * per_split + lane; first < end; first += kTeam * kUnroll) {
    Vector parts[kUnroll];
    Vector values[kUnroll][kRows];
#pragma unroll
    for (int i = 0; i < kUnroll; ++i) {
      const int vector = first + i * kTeam;
      const bool inside = vector < end;
      parts[i] = inside ? reinterpret_cast<const Vector*>(x)[vector] : zero_of<Vector>();
#pragma unroll
      for (int r = 0; r < kRows; ++r) {
        values[i][r] = inside ? load_matrix<Vector>(rows[r], vector) : zero_of<Vector>();
      }
    }
#pragma unroll
    for (int i = 0; i < kUnroll; ++i) {
#pragma unroll
      for (int r = 0; r < kRows; ++r) sums[r] = multiply_add(values[i][r], parts[i], sums[r]);
    }
  }

  __shared__ float warps[kRows][kGemvThreads / kWarp];
  constexpr int kLanes = kTeam < kWarp ? kTeam : kWarp;
  float* to = splits == 1 ? y : partial + static_cast<long long>(split) * m;
#pragma unroll
  for (int r = 0; r < kRows; ++r) {
    const float mine = sum_of(sums[r]);
    const float sum = kTeam > kWarp ? block_sum<kGemvThreads>(mine, warps[r]) : group_sum<kLanes>(mine);
    if (lane == 0 && row0 + r < m) to[row0 + r] = sum;
  }
  if (splits == 1 || !last_to_arrive(arrived + group, splits)) return;

  // a warp per row of the group adds up the parts, always in the same order
  const long long block_row0 = static_cast<long long>(group) * kTeams * kRows;
  for (int r = threadIdx.x / kWarp; r < kTeams * kRows && block_row0 + r < m; r += kGemvThreads / kWarp) {
    float sum = 0;
    for (int part = threadIdx.x % kWarp; part < splits; part += kWarp) {
      sum += __ldcg(partial + static_cast<long long>(part) * m + block_row0 + r);
    }
    sum = group_sum(sum);
    if (threadIdx.x % kWarp == 0) y[block_row0 + r] = sum;
  }
}

template <typename Vector, int kTeam, int kRows>
GemvPlan plan_of(std::int64_t m, std::int64_t n) {
  constexpr int kMore = kTeam < kWarp ? 1 : kMoreLoads<Vector>;  // a short row has no more to load
  constexpr int kUnroll = kMore * 8 / kRows;
  GemvPlan plan;
  plan.kernel = gemv_rows<Vector, kTeam, kRows, kUnroll>;
  plan.path = "rows";
  plan.results_per_block = kGemvThreads / kTeam * kRows;
  plan.groups = static_cast<int>(ceil_div(m, plan.results_per_block));
  plan.load_bytes = sizeof(Vector);
  plan.splits = splits_for(plan.groups, resident_blocks(plan.kernel), n / kFloatsOf<Vector>, kTeam * kUnroll);
  return plan;
}

/// One row per team where four would leave SMs without work.
template <typename Vector, int kTeam>
GemvPlan plan_team(std::int64_t m, std::int64_t n) {
  constexpr int kRows = 4;
  const GemvPlan plan = plan_of<Vector, kTeam, kRows>(m, n);
  const bool fills = static_cast<std::int64_t>(plan.groups) * plan.splits * 2 >= resident_blocks(plan.kernel);
  return m >= kRows && fills ? plan : plan_of<Vector, kTeam, 1>(m, n);
}

/// A block per rows of 512 vectors and more; a warp from 32 vectors on, and from 128 only where the rows are
/// many; a quarter of a warp below.
template <typename Vector>
GemvPlan plan_rows_of(std::int64_t m, std::int64_t n) {
  constexpr std::int64_t kManyRows = 8192;
  const std::int64_t vectors = n / kFloatsOf<Vector>;
  if (vectors >= 512 || (vectors >= 128 && m < kManyRows)) return plan_team<Vector, kGemvThreads>(m, n);
  return vectors >= kWarp ? plan_team<Vector, kWarp>(m, n) : plan_team<Vector, kWarp / 4>(m, n);
}

}  // namespace

GemvPlan plan_rows(std::int64_t m, std::int64_t n, bool aligned) {
  return aligned ? plan_rows_of<float4>(m, n) : plan_rows_of<float>(m, n);
}

}  // namespace gemmlab::gpu
