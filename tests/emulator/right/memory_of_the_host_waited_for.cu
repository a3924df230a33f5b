// Managed and pinned memory that the host touches only before its work is asked for, and after that is done.

__global__ void multiply(const float* A, const float* B, float* C, const int* sizes, int* done) {
  const int M = sizes[0], N = sizes[1], K = sizes[2];
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= M || col >= K) return;
  float sum = 0;
  for (int k = 0; k < N; ++k) sum += A[row * N + k] * B[k * K + col];
  C[row * K + col] = sum;
  if (row == 0 && col == 0) done[0] = M;
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  cudaStream_t stream;
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  int *sizes = nullptr, *staging = nullptr, *done = nullptr, *back = nullptr;
  cudaMallocManaged(&sizes, 3 * sizeof(int));
  cudaMalloc(&done, sizeof(int));
  cudaMallocHost(&staging, sizeof(int));
  cudaMallocHost(&back, sizeof(int));
  sizes[0] = M;
  sizes[1] = N;
  sizes[2] = K;
  staging[0] = 0;
  cudaMemcpyAsync(done, staging, sizeof(int), cudaMemcpyHostToDevice, stream);
  multiply<<<dim3((K + 15) / 16, (M + 15) / 16), dim3(16, 16), 0, stream>>>(A, B, C, sizes, done);
  cudaMemcpyAsync(back, done, sizeof(int), cudaMemcpyDeviceToHost, stream);
  cudaStreamSynchronize(stream);
  if (back[0] != M) cudaMemset(C, 0, sizeof(float));
  sizes[0] = staging[0] = 0;
  cudaFree(sizes);
  cudaFree(done);
  cudaFreeHost(staging);
  cudaFreeHost(back);
  cudaStreamDestroy(stream);
}
