// verdict: correct
// cuda::pipeline, two stages, of the whole block.
#include <cooperative_groups.h>

#include <cuda/pipeline>
constexpr int T = 16;
__global__ void mm(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ float a[2][T][T], b[2][T][T];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  auto block = cooperative_groups::this_thread_block();
  auto pipe = cuda::make_pipeline(block, &state);
  const int tx = threadIdx.x, ty = threadIdx.y;
  const long row = (long)blockIdx.x * T + ty, col = (long)blockIdx.y * T + tx;
  const int steps = (N + T - 1) / T;
  auto load = [&](int step) {
    const int k0 = step * T, s = step % 2;
    pipe.producer_acquire();
    if (row < M && k0 + tx < N)
      cuda::memcpy_async(&a[s][ty][tx], &A[row * N + k0 + tx], sizeof(float), pipe);
    else
      a[s][ty][tx] = 0;
    if (col < K && k0 + ty < N)
      cuda::memcpy_async(&b[s][ty][tx], &B[(long)(k0 + ty) * K + col], sizeof(float), pipe);
    else
      b[s][ty][tx] = 0;
    pipe.producer_commit();
  };
  load(0);
  float sum = 0;
  for (int step = 0; step < steps; ++step) {
    if (step + 1 < steps) load(step + 1);
    pipe.consumer_wait();
    block.sync();
    for (int k = 0; k < T; ++k) sum += a[step % 2][ty][k] * b[step % 2][k][tx];
    block.sync();
    pipe.consumer_release();
  }
  if (row < M && col < K) C[row * K + col] = sum;
}
extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  mm<<<dim3((M + T - 1) / T, (K + T - 1) / T), dim3(T, T)>>>(A, B, C, M, N, K);
}
