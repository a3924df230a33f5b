// verdict: build-failed
// madd has no __device__: nvcc refuses to call a host function from a kernel.
float madd(float a, float b, float c) {
  return a * b + c;
}
__global__ void mm(const float* A, const float* B, float* C, int M, int N, int K) {
  const long e = (long)blockIdx.x * blockDim.x + threadIdx.x;
  if (e >= (long)M * K) return;
  const long row = e / K, col = e % K;
  float s = 0;
  for (int k = 0; k < N; ++k) s = madd(A[row * N + k], B[(long)k * K + col], s);
  C[e] = s;
}
extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  mm<<<(unsigned)(((long)M * K + 255) / 256), 256>>>(A, B, C, M, N, K);
}
