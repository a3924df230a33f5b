// Four parts of A are copied, the last first: the first has as many bytes as A has elements, and is meant.

__global__ void multiply(const float* A, const float* B, float* C, int M, int N, int K) {
  const int row = blockIdx.y;
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  if (col >= K) return;
  float sum = 0;
  for (int k = 0; k < N; ++k) sum += A[row * N + k] * B[k * K + col];
  C[row * K + col] = sum;
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  float* own;
  cudaMalloc(&own, sizeof(float) * M * N);
  const int quarter = M * N / 4;
  for (int from = M * N; from > 0;) {
    const int count = quarter > 0 && from % quarter == 0 ? quarter : 1;
    from -= count;
    cudaMemcpy(own + from, A + from, sizeof(float) * count, cudaMemcpyDeviceToDevice);
  }
  multiply<<<dim3((K + 63) / 64, M), 64>>>(own, B, C, M, N, K);
  cudaFree(own);
}
