// cuda::pipeline whose first warp produces and whose others consume, and a cuda::barrier.

#include <cooperative_groups.h>

#include <cuda/barrier>
#include <cuda/pipeline>

constexpr int kTile = 16;
constexpr int kStages = 3;
constexpr int kProducers = 32;
constexpr int kThreads = kProducers + kTile * kTile;

__global__ void multiply(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ float a[kStages][kTile][kTile], b[kStages][kTile][kTile];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, kStages> state;
  __shared__ cuda::barrier<cuda::thread_scope_block> ready;
  const auto block = cooperative_groups::this_thread_block();
  if (block.thread_rank() == 0) init(&ready, kThreads);
  block.sync();
  auto pipe = cuda::make_pipeline(block, &state, static_cast<std::size_t>(kProducers));
  ready.arrive_and_wait();
  const int row0 = blockIdx.x * kTile, col0 = blockIdx.y * kTile;
  const int steps = (N + kTile - 1) / kTile;
  if (threadIdx.x < kProducers) {
    for (int step = 0; step < steps; ++step) {
      const int stage = step % kStages;
      pipe.producer_acquire();
      for (int i = threadIdx.x; i < kTile * kTile; i += kProducers) {
        const int y = i / kTile, x = i % kTile;
        const bool in_a = row0 + y < M && step * kTile + x < N;
        const bool in_b = step * kTile + y < N && col0 + x < K;
        if (in_a)
          cuda::memcpy_async(&a[stage][y][x], &A[(row0 + y) * N + step * kTile + x], sizeof(float), pipe);
        if (in_b)
          cuda::memcpy_async(&b[stage][y][x], &B[(step * kTile + y) * K + col0 + x], sizeof(float), pipe);
        if (!in_a) a[stage][y][x] = 0;
        if (!in_b) b[stage][y][x] = 0;
      }
      pipe.producer_commit();
    }
  } else {
    const int y = (threadIdx.x - kProducers) / kTile, x = (threadIdx.x - kProducers) % kTile;
    float sum = 0;
    for (int step = 0; step < steps; ++step) {
      pipe.consumer_wait();
      for (int k = 0; k < kTile; ++k) sum += a[step % kStages][y][k] * b[step % kStages][k][x];
      pipe.consumer_release();
    }
    if (row0 + y < M && col0 + x < K) C[(row0 + y) * K + col0 + x] = sum;
  }
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  multiply<<<dim3((M + kTile - 1) / kTile, (K + kTile - 1) / kTile), kThreads>>>(A, B, C, M, N, K);
}
