// Slices of the inner dimension are added up by atomics, after a launch of its own has set C to zero.

__global__ void clear(float* C, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) C[i] = 0;
}

__global__ void multiply(const float* A, const float* B, float* C, int M, int N, int K) {
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= M || col >= K) return;
  float sum = 0;
  for (int k = blockIdx.z; k < N; k += gridDim.z) sum += A[row * N + k] * B[k * K + col];
  atomicAdd(&C[row * K + col], sum);
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  clear<<<(M * K + 255) / 256, 256>>>(C, M * K);
  multiply<<<dim3((K + 15) / 16, (M + 15) / 16, 4), dim3(16, 16)>>>(A, B, C, M, N, K);
}
