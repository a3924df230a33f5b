// Blocks of 7×5×3 threads: partial warps, shuffles among the lanes that there are.

__global__ void multiply(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ float warps[4];
  const int thread = threadIdx.x + 7 * (threadIdx.y + 5 * threadIdx.z);  // 0 to 104
  const int lane = thread % 32;
  const int lanes = min(32, 105 - thread / 32 * 32);
  const unsigned mask = lanes == 32 ? ~0u : (1u << lanes) - 1;
  const int row = blockIdx.y;
  const int col = blockIdx.x;
  float sum = 0;
  for (int k = thread; k < N; k += 105) sum += A[row * N + k] * B[k * K + col];
  for (int distance = 16; distance > 0; distance /= 2) {
    const float other = __shfl_down_sync(mask, sum, distance);
    if (lane + distance < lanes) sum += other;
  }
  if (lane == 0) warps[thread / 32] = sum;
  if (__syncthreads_count(lane == 0) != 4) return;
  if (thread == 0) C[row * K + col] = warps[0] + warps[1] + warps[2] + warps[3];
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  multiply<<<dim3(K, M), dim3(7, 5, 3)>>>(A, B, C, M, N, K);
}
