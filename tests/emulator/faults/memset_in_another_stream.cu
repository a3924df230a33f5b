// finds: unordered-work
// says: in another stream has written
// names: C
// C is cleared in one stream while the kernel of another adds to it; no event orders the two.

__global__ void add_product(const float* A, const float* B, float* C, int M, int N, int K) {
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= M || col >= K) return;
  float sum = 0;
  for (int k = 0; k < N; ++k) sum += A[row * N + k] * B[k * K + col];
  atomicAdd(&C[row * K + col], sum);  // <- unordered-work
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  cudaStream_t clearing, adding;
  cudaStreamCreateWithFlags(&clearing, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&adding, cudaStreamNonBlocking);
  cudaMemsetAsync(C, 0, sizeof(float) * M * K, clearing);
  add_product<<<dim3((K + 15) / 16, (M + 15) / 16), dim3(16, 16), 0, adding>>>(A, B, C, M, N, K);
  cudaStreamSynchronize(clearing);
  cudaStreamSynchronize(adding);
  cudaStreamDestroy(clearing);
  cudaStreamDestroy(adding);
}
