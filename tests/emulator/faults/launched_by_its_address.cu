// finds: invalid-launch
// says: CUDA refuses the launch of a kernel in line 1
__global__ void multiply(float* C, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) C[i] = 0;
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  int count = M * K;
  void* arguments[] = {&C, &count};
  cudaLaunchKernel((const void*)multiply, dim3(1), dim3(2048), arguments, 0, nullptr);  // <- invalid-launch
}
