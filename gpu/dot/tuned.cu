// Limit: memory. 8 bytes are read per multiply-add; an H200 reads at 4.55 TB/s, so that 2^26 elements (512
// MiB) take 118 µs at least. Prediction there: 4.3 TB/s, 0.95 of the roof; the rest is the launch and the
// last block's sum.

#include <algorithm>

#include "core/rounding.h"
#include "gpu/call_row.h"
#include "gpu/describe.h"
#include "gpu/device/check.h"
#include "gpu/device/device.h"
#include "gpu/device/launch.h"
#include "gpu/device/reduce.h"
#include "gpu/device/vector4.h"

namespace gemmlab::gpu {
namespace {

constexpr int kThreads = 512;
constexpr int kBlocksPerSm = 2;
constexpr int kInFlight = 4;  // loads of each vector that a thread issues before it waits: 128 KiB per SM

/// As many blocks as the card holds take turns at tiles of both vectors. Their sums go to `partial`; the
/// block that comes last adds these up in order.
template <typename Vector>
__global__ void __launch_bounds__(kThreads, kBlocksPerSm)
    dot_kernel(const float* x, const float* y, long long n, float* partial, unsigned* arrived,
               float* result) {
  constexpr int kTile = kThreads * kInFlight;
  const long long vectors = n / kFloatsOf<Vector>;
  Vector sums = zero_of<Vector>();
  for (long long first = static_cast<long long>(blockIdx.x) * kTile + threadIdx.x; first < vectors;
       first += static_cast<long long>(gridDim.x) * kTile) {
    Vector xs[kInFlight];
    Vector ys[kInFlight];
#pragma unroll
    for (int i = 0; i < kInFlight; ++i) {
      const bool inside = first + i * kThreads < vectors;
      xs[i] = inside ? load_once<Vector>(x, first + i * kThreads) : zero_of<Vector>();
      ys[i] = inside ? load_once<Vector>(y, first + i * kThreads) : zero_of<Vector>();
    }
#pragma unroll
    for (int i = 0; i < kInFlight; ++i) sums = multiply_add(xs[i], ys[i], sums);
  }
  float sum = sum_of(sums);
  // what is left behind the last whole vector: at most three floats
  const long long rest = vectors * kFloatsOf<Vector> + threadIdx.x;
  if (blockIdx.x == 0 && rest < n) sum = fmaf(x[rest], y[rest], sum);

  __shared__ float warps[kThreads / kWarp];
  sum = block_sum<kThreads>(sum, warps);
  if (threadIdx.x == 0) partial[blockIdx.x] = sum;
  if (!last_to_arrive(arrived, gridDim.x)) return;
  sum = 0;
  for (unsigned block = threadIdx.x; block < gridDim.x; block += kThreads) sum += __ldcg(partial + block);
  sum = block_sum<kThreads>(sum, warps);
  if (threadIdx.x == 0) *result = sum;
}

int sm_count() {
  int device = 0;
  int count = 0;
  GEMMLAB_CUDA_CHECK(cudaGetDevice(&device));
  GEMMLAB_CUDA_CHECK(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device));
  return count;
}

class DotSession : public Session {
 public:
  explicit DotSession(const Instance& instance)
      : n_(instance.dims[0]),
        most_blocks_(sm_count() * kBlocksPerSm),
        partial_(most_blocks_ * sizeof(float)),
        arrived_(sizeof(unsigned)) {
    GEMMLAB_CUDA_CHECK(cudaMemsetAsync(arrived_.data(), 0, arrived_.bytes(), current_stream()));
  }

  void run(const Operands& operands) override {
    const bool aligned = at_16_bytes(operands.in<float>(0)) && at_16_bytes(operands.in<float>(1));
    floats_per_load_ = aligned ? 4 : 1;
    aligned ? run_with<float4>(operands) : run_with<float>(operands);
  }
  Facts chosen() const override {
    return {{"threads_per_block", std::int64_t{kThreads}},
            {"loads_in_flight", std::int64_t{2 * kInFlight}},
            {"load_bytes", static_cast<std::int64_t>(floats_per_load_ * sizeof(float))}};
  }
  Facts resources() const override {
    return kernel_resources(reinterpret_cast<const void*>(dot_kernel<float4>), kThreads, 0);
  }

 private:
  template <typename Vector>
  void run_with(const Operands& operands) {
    constexpr std::int64_t kTile = std::int64_t{kThreads} * kInFlight * kFloatsOf<Vector>;
    const std::int64_t blocks = std::min<std::int64_t>(most_blocks_, ceil_div(n_, kTile));
    launch(dot_kernel<Vector>, blocks, dim3(kThreads), 0, operands.in<float>(0), operands.in<float>(1),
           static_cast<long long>(n_), partial_.floats(), static_cast<unsigned*>(arrived_.data()),
           operands.out<float>(2));
  }

  std::int64_t n_;
  std::int64_t most_blocks_;
  DeviceMemory partial_;
  DeviceMemory arrived_;
  std::int64_t floats_per_load_ = 4;
};

}  // namespace

const Implementation& dot_tuned() {
  static const CallImplementation row(
      "dot",
      describe(
          {.id = "gpu.dot_tuned",
           .name = "dot tuned",
           .family = "best",
           .summary = "eight 16-byte loads in flight per thread, sums by warp shuffles, one kernel",
           .source = "M. Harris, Optimizing Parallel Reduction in CUDA; CUDA samples, threadFenceReduction",
           .counterpart = "cpu.dot_simd"}),
      [](const Instance& instance) -> std::unique_ptr<Session> {
        return std::make_unique<DotSession>(instance);
      });
  return row;
}

}  // namespace gemmlab::gpu
