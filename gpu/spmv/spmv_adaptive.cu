#include "core/rounding.h"
#include "core/session_row.h"
#include "gpu/describe.h"
#include "gpu/device/launch.h"
#include "gpu/device/resources.h"
#include "gpu/spmv/lanes.h"

namespace gemmlab::gpu {
namespace {

constexpr int kThreads = 256;
constexpr int kWarp = 32;
constexpr int kBatch = 4;
constexpr int kLongRow = 64;  // passes of a group from which a row is the whole block's

/// The sum over the block, in thread 0.
__device__ float sum_over_block(float sum, float* warp_sums) {
  sum = sum_over_lanes<kWarp>(sum);
  if (threadIdx.x % kWarp == 0) warp_sums[threadIdx.x / kWarp] = sum;
  __syncthreads();
  float all = 0;
#pragma unroll
  for (int warp = 0; warp < kThreads / kWarp; ++warp) all += warp_sums[warp];
  __syncthreads();
  return all;
}

/// y = A·x, kLanes lanes per row, kBatch entries of each in flight. Rows that would take a group more than
/// kLongRow passes are put aside and summed by the whole block, one after another.
/// Limit: values, columns, offsets and y over the memory's bandwidth, where x is gathered from whole lines
/// (banded, blocks); a sector of 32 bytes from L2 per entry, where columns are spread over more of x than L1
/// holds (uniform, power law): at the H200's 4.6 TB/s of L2 that is 2^26 entries in 0.47 ms against 0.13 ms.
/// Prediction: 0.8 of the roof for rows of one length, where nothing is searched for and no block waits for
/// another; behind gpu.spmv_merge for a power law, whose longest rows keep one block each.
/// Source: Bell, Garland 2008 (lanes per row); Greathouse, Daga, Efficient Sparse Matrix-Vector
/// Multiplication on GPUs using the CSR Storage Format, 2014 (long rows by the block).
template <int kLanes>
__global__ void __launch_bounds__(kThreads) spmv_adaptive_kernel(const SpmvProblem p) {
  constexpr int kRows = kThreads / kLanes;
  __shared__ std::int64_t long_rows[kRows];
  __shared__ float warp_sums[kThreads / kWarp];
  __shared__ int long_count;
  if (threadIdx.x == 0) long_count = 0;
  __syncthreads();

  const std::int64_t row = static_cast<std::int64_t>(blockIdx.x) * kRows + threadIdx.x / kLanes;
  const int lane = threadIdx.x % kLanes;
  int begin = 0;
  int end = 0;
  if (row < p.m) {
    begin = __ldg(p.offsets + row);
    end = __ldg(p.offsets + row + 1);
  }
  const bool is_long = end - begin > kLongRow * kLanes;
  float sum = is_long ? 0 : strided_sum<kLanes, kBatch>(p, begin + lane, end);
  sum = sum_over_lanes<kLanes>(sum);
  if (lane == 0 && row < p.m) {
    if (is_long) {
      long_rows[atomicAdd(&long_count, 1)] = row;
    } else {
      p.y[row] = sum;
    }
  }
  __syncthreads();

  for (int i = 0; i < long_count; ++i) {
    const std::int64_t long_row = long_rows[i];
    const float mine =
        strided_sum<kThreads, kBatch>(p, p.offsets[long_row] + threadIdx.x, p.offsets[long_row + 1]);
    const float all = sum_over_block(mine, warp_sums);
    if (threadIdx.x == 0) p.y[long_row] = all;
  }
}

using Kernel = void (*)(SpmvProblem);

Kernel kernel_of(int lanes) {
  switch (lanes) {
    case 1:
      return spmv_adaptive_kernel<1>;
    case 2:
      return spmv_adaptive_kernel<2>;
    case 4:
      return spmv_adaptive_kernel<4>;
    case 8:
      return spmv_adaptive_kernel<8>;
    case 16:
      return spmv_adaptive_kernel<16>;
    default:
      return spmv_adaptive_kernel<32>;
  }
}

/// So many that a row of the mean length is one batch of each.
int lanes_for(const SpmvProblem& shape) {
  const std::int64_t mean = ceil_div(std::int64_t{shape.nnz}, shape.m);
  int lanes = 1;
  while (lanes < kWarp && lanes * kBatch < mean) lanes *= 2;
  return lanes;
}

class Adaptive : public SpmvSession {
 public:
  Adaptive(const Instance& instance, int lanes)
      : SpmvSession(instance), lanes_(lanes > 0 ? lanes : lanes_for(shape())) {}
  Facts chosen() const override { return {{"lanes", std::int64_t{lanes_}}}; }
  Facts resources() const override {
    return kernel_resources(reinterpret_cast<const void*>(kernel_of(lanes_)), kThreads, 0);
  }

 protected:
  void multiply(const SpmvProblem& problem) override {
    const int rows = kThreads / lanes_;
    launch(kernel_of(lanes_), ceil_div(std::int64_t{problem.m}, rows), dim3(kThreads), 0, problem);
  }

 private:
  int lanes_;
};

}  // namespace

const Implementation& spmv_adaptive() {
  static const SpmvRow implementation(
      describe({.id = "gpu.spmv_adaptive",
                .name = "spmv adaptive",
                .summary = "as many lanes per row as its mean length asks for, long rows by the block",
                .source = "Greathouse, Daga, Efficient Sparse Matrix-Vector Multiplication on GPUs using the "
                          "CSR Storage "
                          "Format, 2014",
                .counterpart = "cpu.spmv_simd",
                .parameters = {choice("lanes", "lanes per row; 0: by the mean length of the rows",
                                      {std::int64_t{0}, std::int64_t{1}, std::int64_t{2}, std::int64_t{4},
                                       std::int64_t{8}, std::int64_t{16}, std::int64_t{32}},
                                      std::int64_t{0}, ", {lanes} lanes per row")}}),
      [](const Instance& instance, const Parameters& parameters) -> std::unique_ptr<Session> {
        return std::make_unique<Adaptive>(instance, static_cast<int>(integer(parameters, "lanes")));
      });
  return implementation;
}

}  // namespace gemmlab::gpu
