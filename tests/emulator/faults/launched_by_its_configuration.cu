// finds: invalid-launch
// says: CUDA refuses the launch of a kernel in line 1
__global__ void multiply(float* C, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) C[i] = 0;
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(1);
  config.blockDim = dim3(2048);
  cudaLaunchKernelEx(&config, multiply, C, M * K);  // <- invalid-launch
}
