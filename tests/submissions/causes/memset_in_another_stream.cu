// verdict: incorrect
// pattern: unordered-work
// says: in another stream has written
__global__ void mm(const float* A, const float* B, float* C, int M, int N, int K, int step) {
  const long e = (long)blockIdx.x * blockDim.x + threadIdx.x;
  if (e >= (long)M * K) return;
  const long row = e / K, col = e % K;
  const int first = blockIdx.y * step, last = min(N, first + step);
  float s = 0;
  for (int k = first; k < last; ++k) s += A[row * N + k] * B[(long)k * K + col];
  atomicAdd(&C[e], s);
}
static cudaStream_t s = [] {
  cudaStream_t x;
  cudaStreamCreateWithFlags(&x, cudaStreamNonBlocking);
  return x;
}();
extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  const size_t n = (size_t)M * K;
  mm<<<dim3((unsigned)((n + 255) / 256), 4), 256, 0, s>>>(A, B, C, M, N, K, (N + 3) / 4);
  cudaMemsetAsync(C, 0, n * sizeof(float));
  cudaStreamSynchronize(s);
}
