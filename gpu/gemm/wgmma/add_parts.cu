#include <cuda_runtime.h>

#include "core/rounding.h"
#include "gpu/gemm/tensor/instructions/launch_after.h"
#include "gpu/gemm/wgmma/add_parts.h"
#include "gpu/gemm/wgmma/result.h"

namespace gemmlab::gpu::tensor_core {
namespace {

constexpr int kThreads = 256;
constexpr int kNeighbours = 4;  // of a row, for a thread

__device__ void add(float (&sums)[kNeighbours], const float* part) {
  const float4 more = __ldcg(reinterpret_cast<const float4*>(part));
  sums[0] += more.x, sums[1] += more.y, sums[2] += more.z, sums[3] += more.w;
}
__device__ void add(std::int32_t (&sums)[kNeighbours], const std::int32_t* part) {
  const int4 more = __ldcg(reinterpret_cast<const int4*>(part));
  sums[0] += more.x, sums[1] += more.y, sums[2] += more.z, sums[3] += more.w;
}

/// A block has kThreads·kNeighbours of a tile's BM×BN sums, gridDim.y tiles of one block each. Parts are added in the order of terms.
template <typename Sum, typename Out>
__global__ void __launch_bounds__(kThreads) add_parts(Arguments work, int BM, int BN, int cluster) {
  parts::start_next();
  parts::wait_for_previous();
  const int at = (static_cast<int>(blockIdx.x) * kThreads + static_cast<int>(threadIdx.x)) * kNeighbours;
  const int late = static_cast<int>(blockIdx.y) / cluster;
  const int block = static_cast<int>(blockIdx.y) % cluster;
  const TilePlace place = work.place(work.whole + late);
  const int row = (place.row * cluster + block) * BM + at / BN;
  const int col = place.col * BN + at % BN;
  if (at >= BM * BN || row >= work.C.M || col >= work.C.N) return;
  const std::int64_t tile = std::int64_t{BM} * BN;
  const Sum* const first =
      static_cast<const Sum*>(work.parts) + (std::int64_t{late} * work.splits * cluster + block) * tile + at;
  Sum sums[kNeighbours] = {};
#pragma unroll 4
  for (int split = 0; split < work.splits; ++split) add(sums, first + split * cluster * tile);
  store_neighbours<Out>(sums, work.C, row, col);
}

template <typename Sum, typename Out>
void launch_for(const Arguments& work, int BM, int BN, int cluster) {
  const dim3 blocks(static_cast<unsigned>(ceil_div(BM * BN, kThreads * kNeighbours)),
                    static_cast<unsigned>((work.tiles() - work.whole) * cluster));
  parts::launch_after(true, add_parts<Sum, Out>, blocks, kThreads, work, BM, BN, cluster);
}

}  // namespace

void launch_add_parts(const Arguments& work, int BM, int BN, int cluster) {
  switch (work.C.type) {
    case ElementType::kInt32:
      return launch_for<std::int32_t, std::int32_t>(work, BM, BN, cluster);
    case ElementType::kBfloat16:
      return launch_for<float, Bfloat16>(work, BM, BN, cluster);
    case ElementType::kFloat16:
      return launch_for<float, Float16>(work, BM, BN, cluster);
    case ElementType::kFloat8E4m3:
      return launch_for<float, Float8E4m3>(work, BM, BN, cluster);
    case ElementType::kFloat8E5m2:
      return launch_for<float, Float8E5m2>(work, BM, BN, cluster);
    default:
      return launch_for<float, float>(work, BM, BN, cluster);
  }
}

}  // namespace gemmlab::gpu::tensor_core
