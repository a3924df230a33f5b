// Extents in __constant__ memory, a counter and a table in __device__ memory, copied to and from by symbol.

__constant__ int extents[3];
__device__ unsigned finished;
__device__ float ones[4] = {1, 1, 1, 1};

__global__ void multiply(const float* A, const float* B, float* C) {
  const int M = extents[0], N = extents[1], K = extents[2];
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= M || col >= K) return;
  float sum = 0;
  for (int k = 0; k < N; ++k) sum += A[row * N + k] * B[k * K + col] * ones[k % 4];
  C[row * K + col] = sum;
  atomicAdd(&finished, 1u);
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  const int given[3] = {M, N, K};
  const unsigned none = 0;
  cudaMemcpyToSymbol(extents, given, sizeof given);
  cudaMemcpyToSymbol(finished, &none, sizeof none);
  multiply<<<dim3((K + 15) / 16, (M + 15) / 16), dim3(16, 16)>>>(A, B, C);
  unsigned count = 0;
  cudaMemcpyFromSymbol(&count, finished, sizeof count);
  if (count != static_cast<unsigned>(M) * K) cudaMemset(C, 0xff, sizeof(float) * M * K);
}
