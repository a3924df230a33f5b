#include "core/rounding.h"
#include "gpu/call_row.h"
#include "gpu/describe.h"
#include "gpu/device/device.h"
#include "gpu/device/launch.h"
#include "operations/vectors.h"

namespace gemmlab::gpu {
namespace {

constexpr int kThreads = 256;

/// The sum over the block's threads by a tree in shared memory: half of the threads add the other half's
/// sums, then a quarter, and so on.
__device__ float tree_sum(float value) {
  __shared__ float sums[kThreads];
  sums[threadIdx.x] = value;
  __syncthreads();
  for (int half = kThreads / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + half];
    __syncthreads();
  }
  return sums[0];
}

/// A thread per element, a partial sum per block.
__global__ void dot_blocks(const float* x, const float* y, long long n, float* partial) {
  const long long i = static_cast<long long>(blockIdx.x) * kThreads + threadIdx.x;
  const float sum = tree_sum(i < n ? x[i] * y[i] : 0.0f);
  if (threadIdx.x == 0) partial[blockIdx.x] = sum;
}

/// One block adds up the partial sums.
__global__ void add_blocks(const float* partial, long long count, float* result) {
  float sum = 0;
  for (long long i = threadIdx.x; i < count; i += kThreads) sum += partial[i];
  sum = tree_sum(sum);
  if (threadIdx.x == 0) *result = sum;
}

class DotSession : public Session {
 public:
  explicit DotSession(const Instance& instance)
      : n_(instance.dims[0]), blocks_(ceil_div(n_, kThreads)), partial_(blocks_ * sizeof(float)) {}

  void run(const Operands& operands) override {
    const dim3 threads(kThreads);
    launch(dot_blocks, blocks_, threads, 0, operands.in<float>(0), operands.in<float>(1),
           static_cast<long long>(n_), partial_.floats());
    launch(add_blocks, 1, threads, 0, static_cast<const float*>(partial_.floats()),
           static_cast<long long>(blocks_), operands.out<float>(2));
  }
  Facts chosen() const override { return {{"threads_per_block", std::int64_t{kThreads}}}; }
  Facts resources() const override {
    return kernel_resources(reinterpret_cast<const void*>(dot_blocks), kThreads, 0);
  }

 private:
  std::int64_t n_;
  std::int64_t blocks_;
  DeviceMemory partial_;
};

}  // namespace

const Implementation& dot() {
  static const CallImplementation row(
      "dot",
      describe({.id = "gpu.dot",
                .name = "dot",
                .summary =
                    "a thread per element, a tree in shared memory per block, a second kernel for the blocks",
                .source = "M. Harris, Optimizing Parallel Reduction in CUDA",
                .counterpart = "cpu.dot_openmp"}),
      [](const Instance& instance) -> std::unique_ptr<Session> {
        return std::make_unique<DotSession>(instance);
      });
  return row;
}

}  // namespace gemmlab::gpu
