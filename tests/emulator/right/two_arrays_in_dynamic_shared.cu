// Dynamic shared memory in two parts, of which the launch alone knows the sizes; declared outside of the kernel.

extern __shared__ float memory[];

__global__ void multiply(const float* A, const float* B, float* C, int M, int N, int K, int step) {
  float* const of_a = memory;
  float* const of_b = of_a + step;
  const int row = blockIdx.y;
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int k0 = 0; k0 < N; k0 += step) {
    const int steps = min(step, N - k0);
    for (int k = threadIdx.x; k < steps; k += blockDim.x) of_a[k] = A[row * N + k0 + k];
    for (int k = 0; k < steps; ++k) of_b[k * blockDim.x + threadIdx.x] = col < K ? B[(k0 + k) * K + col] : 0;
    __syncthreads();
    for (int k = 0; k < steps; ++k) sum += of_a[k] * of_b[k * blockDim.x + threadIdx.x];
    __syncthreads();
  }
  if (col < K) C[row * K + col] = sum;
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  const int step = 12;
  const int threads = 40;
  const size_t bytes = sizeof(float) * step * (threads + 1);
  multiply<<<dim3((K + threads - 1) / threads, M), threads, bytes>>>(A, B, C, M, N, K, step);
}
