// devices: 2
// finds: unordered-work
// without a line: unordered-work
// says: cudaMemcpyPeerAsync reads byte 0 of
// The product of the second card is sent to the first with no event that makes the copy wait for it.

__global__ void multiply(const float* A, const float* B, float* C, int M, int N, int K) {
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= M || col >= K) return;
  float sum = 0;
  for (int k = 0; k < N; ++k) sum += A[row * N + k] * B[k * K + col];
  C[row * K + col] = sum;
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  const dim3 threads(16, 16);
  const dim3 blocks((K + 15) / 16, (M + 15) / 16);
  const size_t bytes_a = sizeof(float) * M * N, bytes_b = sizeof(float) * N * K,
               bytes_c = sizeof(float) * M * K;
  cudaSetDevice(1);
  float *a = nullptr, *b = nullptr, *c = nullptr;
  cudaMalloc(&a, bytes_a);
  cudaMalloc(&b, bytes_b);
  cudaMalloc(&c, bytes_c);
  cudaStream_t copies, products;
  cudaStreamCreateWithFlags(&copies, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&products, cudaStreamNonBlocking);
  cudaEvent_t arrived, done;
  cudaEventCreateWithFlags(&arrived, cudaEventDisableTiming);
  cudaEventCreateWithFlags(&done, cudaEventDisableTiming);
  cudaMemcpyPeerAsync(a, 1, A, 0, bytes_a, copies);
  cudaMemcpyPeerAsync(b, 1, B, 0, bytes_b, copies);
  cudaEventRecord(arrived, copies);
  cudaStreamWaitEvent(products, arrived, 0);
  multiply<<<blocks, threads, 0, products>>>(a, b, c, M, N, K);
  cudaEventRecord(done, products);
  cudaMemcpyPeerAsync(C, 0, c, 1, bytes_c, copies);
  cudaStreamSynchronize(products);
  cudaStreamSynchronize(copies);
  for (float* each : {a, b, c}) cudaFree(each);
  for (cudaEvent_t each : {arrived, done}) cudaEventDestroy(each);
  for (cudaStream_t each : {copies, products}) cudaStreamDestroy(each);
  cudaSetDevice(0);
}
