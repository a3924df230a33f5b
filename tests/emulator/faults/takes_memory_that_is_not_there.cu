// finds: out-of-memory
// says: that nobody has freed
// error: any
// without a line: out-of-memory
// More memory is asked for than is left. The line is that of the caller's caller: the judge puts a function of its own
// before cudaMalloc(), and here a compiler may leave it out.

__global__ void multiply(const float* A, const float* B, float* C, int M, int N, int K) {
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= M || col >= K) return;
  float sum = 0;
  for (int k = 0; k < N; ++k) sum += A[row * N + k] * B[k * K + col];
  C[row * K + col] = sum;
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  std::size_t free = 0, total = 0;
  cudaMemGetInfo(&free, &total);
  float *work = nullptr, *more = nullptr;
  cudaMalloc(&work, free / 4 * 3);
  cudaMalloc(&more, free / 2);  // <- out-of-memory
  multiply<<<dim3((K + 15) / 16, (M + 15) / 16), dim3(16, 16)>>>(A, B, C, M, N, K);
  cudaFree(work);
}
