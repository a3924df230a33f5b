// Four threads of the host copy and launch a part of the rows each, at once and while the others are in their own code; each has an
// error of its own.
#include <atomic>
#include <thread>
#include <vector>

__global__ void multiply_rows(const float* A, const float* B, float* C, int rows, int N, int K) {
  __shared__ float row_of_a[32];
  const int row = blockIdx.y;
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int k0 = 0; k0 < N; k0 += 32) {
    if (k0 + threadIdx.x < N) row_of_a[threadIdx.x] = A[row * N + k0 + threadIdx.x];
    __syncthreads();
    for (int k = k0; k < N && k < k0 + 32; ++k) {
      if (col < K) sum += row_of_a[k - k0] * B[k * K + col];
    }
    __syncthreads();
  }
  if (row < rows && col < K) C[row * K + col] = sum;
}

static void multiply(const float* A, const float* B, float* C, int rows, int N, int K) {
  if (rows > 0) multiply_rows<<<dim3((K + 31) / 32, rows), 32>>>(A, B, C, rows, N, K);
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  std::atomic<int> next{0}, without_error{0};
  const auto take = [&](bool frees_what_is_not_there) {
    cudaSetDevice(0);
    if (frees_what_is_not_there) cudaFree(reinterpret_cast<void*>(8));
    std::vector<float> kept(static_cast<std::size_t>(N));
    for (int row; (row = next++) < M;) {
      multiply(A + row * N, B, C + row * K, 1, N, K);
      cudaMemcpy(kept.data(), A + row * N, kept.size() * sizeof(float), cudaMemcpyDeviceToHost);
      for (float& one : kept) one *= 2;  // code of the host beside another thread's kernel
    }
    if (cudaGetLastError() == cudaSuccess) ++without_error;
  };
  std::vector<std::thread> others;
  for (int i = 0; i < 3; ++i) others.emplace_back(take, i == 0);
  take(false);
  for (std::thread& one : others) one.join();
  if (without_error != 3) cudaMemset(C, 0, sizeof(float) * M * K);
}
