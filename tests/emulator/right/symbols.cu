// Tables in __device__ and __constant__ memory: static, in a namespace, two-dimensional, by address, and copies by symbol that
// CUDA refuses since they are too long.

namespace tables {
static __device__ float rows[3][5];
__constant__ unsigned char steps[7] = {1, 2, 3, 4, 5, 6, 7};
}  // namespace tables
__device__ int4 quad;

__global__ void fill() {
  tables::rows[threadIdx.x / 5][threadIdx.x % 5] = 1;
  if (threadIdx.x == 0) quad = make_int4(1, 1, 1, 1);
}

__global__ void multiply(const float* A, const float* B, const float* ones, float* C, int M, int N, int K) {
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= M || col >= K) return;
  float sum = 0;
  for (int k = 0; k < N; ++k) {
    const float one = tables::rows[k % 3][k % 5] * ones[k % 15] * (tables::steps[k % 7] - k % 7) * quad.w;
    sum += A[row * N + k] * B[k * K + col] * one;
  }
  C[row * K + col] = sum;
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  const float many[16] = {};
  fill<<<1, 15>>>();
  void* ones = nullptr;
  cudaGetSymbolAddress(&ones, tables::rows);
  const bool refused = cudaMemcpyToSymbol(tables::rows, many, sizeof many) == cudaErrorInvalidValue &&
                       cudaGetLastError() == cudaErrorInvalidValue &&
                       cudaMemcpyToSymbol(quad, many, 16, 4) == cudaErrorInvalidValue &&
                       cudaMemcpy(ones, many, sizeof many, cudaMemcpyHostToDevice) == cudaErrorInvalidValue;
  cudaGetLastError();
  if (!refused) return;
  multiply<<<dim3((K + 15) / 16, (M + 15) / 16), dim3(16, 16)>>>(A, B, static_cast<float*>(ones), C, M, N, K);
}
