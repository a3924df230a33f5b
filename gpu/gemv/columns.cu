// Limit: memory, 4 bytes of A per multiply-add; x is read once per block, y written once.
// Prediction for 16384 × 16384 on an H200: 4.3 TB/s, 0.94 of the read roof; the partial sums of the splits
// are 0.4 % more.

#include <algorithm>

#include "core/rounding.h"
#include "gpu/device/reduce.h"
#include "gpu/device/vector4.h"
#include "gpu/gemv/tuned.h"

namespace gemmlab::gpu {
namespace {

/// Rows whose loads a thread issues before it waits.
template <typename Vector>
constexpr int kUnroll = kMoreLoads<Vector> * 8;

/// The sums of the kDeep threads of each column, in the first of them.
template <int kWide, typename Vector>
__device__ Vector sum_down(Vector sum, Vector* sums) {
  constexpr int kDeep = kGemvThreads / kWide;
  sums[threadIdx.x] = sum;
  __syncthreads();
#pragma unroll
  for (int half = kDeep / 2; half > 0; half /= 2) {
    if (threadIdx.x < half * kWide)
      sums[threadIdx.x] = added(sums[threadIdx.x], sums[threadIdx.x + half * kWide]);
    __syncthreads();
  }
  return sums[threadIdx.x % kWide];
}

/// y = Aᵀ·x. A block covers kWide vectors of columns, and its part of the rows; its threads lie kWide across,
/// so that a row of them reads neighbouring vectors of A. The last block of a group adds up the parts.
template <typename Vector, int kWide>
__global__ void __launch_bounds__(kGemvThreads, 4)
    gemv_columns(const float* A, const float* x, float* y, int m, int n, int groups, int splits,
                 float* partial, unsigned* arrived) {
  constexpr int kDeep = kGemvThreads / kWide;
  __shared__ Vector sums[kGemvThreads];
  const int group = blockIdx.x % groups;
  const int split = blockIdx.x / groups;
  const int across = threadIdx.x % kWide;
  const int down = threadIdx.x / kWide;
  const int vectors = n / kFloatsOf<Vector>;
  const int vector = group * kWide + across;
  const int per_split = ceil_div(m, splits);
  const long long end = min(static_cast<long long>(m), static_cast<long long>(split + 1) * per_split);

  Vector sum = zero_of<Vector>();
  if (vector < vectors) {
    for (long long first = static_cast<long long>(split) * per_split + down; first < end;
         first += kDeep * kUnroll<Vector>) {
      Vector values[kUnroll<Vector>];
      float factors[kUnroll<Vector>];
#pragma unroll
      for (int i = 0; i < kUnroll<Vector>; ++i) {
        const long long row = first + i * kDeep;
        const bool inside = row < end;
        values[i] = inside ? load_matrix<Vector>(A + row * n, vector) : zero_of<Vector>();
        factors[i] = inside ? x[row] : 0.0f;
      }
#pragma unroll
      for (int i = 0; i < kUnroll<Vector>; ++i) sum = multiply_add(factors[i], values[i], sum);
    }
  }
  sum = sum_down<kWide>(sum, sums);
  const bool stores = down == 0 && vector < vectors;
  if (splits == 1) {
    if (stores) store_once(y, vector, sum);
    return;
  }
  if (stores) store_once(partial + static_cast<long long>(split) * n, vector, sum);
  if (!last_to_arrive(arrived + group, splits)) return;

  sum = zero_of<Vector>();
  for (int part = down; part < splits && vector < vectors; part += kDeep) {
    sum = added(sum, load_once<Vector>(partial + static_cast<long long>(part) * n, vector));
  }
  sum = sum_down<kWide>(sum, sums);
  if (stores) store_once(y, vector, sum);
}

template <typename Vector, int kWide>
GemvPlan plan_of(std::int64_t m, std::int64_t n) {
  constexpr int kDeep = kGemvThreads / kWide;
  GemvPlan plan;
  plan.kernel = gemv_columns<Vector, kWide>;
  plan.path = "columns";
  plan.results_per_block = kWide * kFloatsOf<Vector>;
  plan.groups = static_cast<int>(ceil_div(n, plan.results_per_block));
  plan.load_bytes = sizeof(Vector);
  plan.splits = splits_for(plan.groups, resident_blocks(plan.kernel), m, kDeep * kUnroll<Vector>);
  return plan;
}

template <typename Vector>
GemvPlan plan_columns_of(std::int64_t m, std::int64_t n) {
  constexpr int kNarrow = 8;  // threads that read 128 bytes
  return n / kFloatsOf<Vector> >= kWarp ? plan_of<Vector, kWarp>(m, n) : plan_of<Vector, kNarrow>(m, n);
}

}  // namespace

GemvPlan plan_columns(std::int64_t m, std::int64_t n, bool aligned) {
  return aligned ? plan_columns_of<float4>(m, n) : plan_columns_of<float>(m, n);
}

}  // namespace gemmlab::gpu
