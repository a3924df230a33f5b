// Sums by atomics: in shared memory within a block, in global memory between blocks that share the inner extent.

__global__ void clear(float* C, int count) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) C[i] = 0;
}

__global__ void multiply(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ float total;
  __shared__ unsigned arrived;
  const int row = blockIdx.y;
  const int col = blockIdx.x;
  if (threadIdx.x == 0) {
    total = 0;
    arrived = 0;
  }
  __syncthreads();
  float sum = 0;
  for (int k = blockIdx.z * blockDim.x + threadIdx.x; k < N; k += gridDim.z * blockDim.x) {
    sum += A[row * N + k] * B[k * K + col];
  }
  atomicAdd(&total, sum);
  atomicInc(&arrived, 1000);
  __syncthreads();
  if (threadIdx.x == 0 && arrived == blockDim.x) atomicAdd(&C[row * K + col], total);
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  clear<<<4, 64>>>(C, M * K);
  multiply<<<dim3(K, M, 2), 40>>>(A, B, C, M, N, K);
}
