// What a copy reads from memory that is not pinned it has read when it returns, also in a stream.
#include <vector>

__global__ void multiply(const float* A, const float* B, float* C, const int* sizes) {
  const int M = sizes[0], N = sizes[1], K = sizes[2];
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= M || col >= K) return;
  float sum = 0;
  for (int k = 0; k < N; ++k) sum += A[row * N + k] * B[k * K + col];
  C[row * K + col] = sum;
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  cudaStream_t stream;
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  int* sizes = nullptr;
  cudaMalloc(&sizes, 3 * sizeof(int));
  {
    std::vector<int> given = {M, N, K};
    cudaMemcpyAsync(sizes, given.data(), 3 * sizeof(int), cudaMemcpyHostToDevice, stream);
    given.assign(3, 1 << 20);
  }
  multiply<<<dim3((K + 15) / 16, (M + 15) / 16), dim3(16, 16), 0, stream>>>(A, B, C, sizes);
  cudaStreamSynchronize(stream);
  cudaFree(sizes);
  cudaStreamDestroy(stream);
}
