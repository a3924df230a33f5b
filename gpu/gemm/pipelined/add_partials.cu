#include "gpu/device/launch.h"
#include "gpu/gemm/pipelined/add_partials.h"
#include "gpu/gemm/pipelined/choose.h"
#include "gpu/gemm/pipelined/kernel.h"

namespace gemmlab::gpu {
namespace {

constexpr int kAddThreads = 256;
constexpr int kMostLanes = 16;

/// Four neighbours, added in double: the roundings of many parts would otherwise show beside those of their sums.
struct Four {
  double x, y, z, w;

  template <typename Part>
  __device__ void add(const Part& part) {
    x += part.x;
    y += part.y;
    z += part.z;
    w += part.w;
  }
};

/// The elements of C that several blocks have computed parts of: the parts added in the order of k,
/// whatever the order in which they came. Four neighbouring elements are `lanes` threads' work; each adds
/// every lanes-th part.
__global__ void __launch_bounds__(kAddThreads)
    add_partials(const PipelinedArguments arguments, int BM, int BN, int lanes) {
  __shared__ Four sums[kAddThreads];
  const int width = kAddThreads / lanes;
  const int chunks = BM * BN / (kVector * width);
  const unsigned shared_tile = blockIdx.x / chunks;
  const Schedule& schedule = arguments.schedule;
  const unsigned first = schedule.block_of(shared_tile * schedule.steps);
  const unsigned last = schedule.block_of((shared_tile + 1) * schedule.steps - 1);
  if (first == last) return;  // one block has computed it all, and written it

  const int four = blockIdx.x % chunks * width + threadIdx.x % width;
  const int lane = threadIdx.x / width;
  Four sum = {};
#pragma unroll 4
  for (unsigned block = first + lane; block <= last; block += lanes) {
    const std::int64_t slot = partial_slot(block, block == first);
    sum.add(reinterpret_cast<const float4*>(arguments.partials + slot * (BM * BN))[four]);
  }
  sums[threadIdx.x] = sum;
  __syncthreads();
  if (lane > 0) return;
  for (int other = 1; other < lanes; ++other) sum.add(sums[other * width + threadIdx.x]);
  const TilePlace place = place_of(schedule, schedule.whole + shared_tile);
  store_into_c(arguments, place.row * BM + four * kVector / BN, place.col * BN + four * kVector % BN,
               make_float4(static_cast<float>(sum.x), static_cast<float>(sum.y), static_cast<float>(sum.z),
                           static_cast<float>(sum.w)));
}

}  // namespace

void launch_add_partials(const PipelinedArguments& arguments, const PipelinedCandidate& candidate) {
  const Schedule& schedule = arguments.schedule;
  const int parts = split_k(schedule);
  int lanes = 1;
  while (4 * lanes < parts && lanes < kMostLanes) lanes *= 2;
  const int chunks = candidate.BM * candidate.BN * lanes / (kVector * kAddThreads);
  launch(add_partials, std::int64_t{schedule.shared_tiles()} * chunks, dim3(kAddThreads), 0, arguments,
         candidate.BM, candidate.BN, lanes);
}

}  // namespace gemmlab::gpu
