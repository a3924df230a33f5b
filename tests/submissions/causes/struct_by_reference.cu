// verdict: out-of-bounds
// pattern: illegal-address
// says: a parameter that the kernel takes by reference
struct Dims {
  int M, N, K;
};
__global__ void mm(const float* A, const float* B, float* C, const Dims& d) {
  const long e = (long)blockIdx.x * blockDim.x + threadIdx.x;
  if (e >= (long)d.M * d.K) return;
  const long row = e / d.K, col = e % d.K;
  float s = 0;
  for (int k = 0; k < d.N; ++k) s += A[row * d.N + k] * B[(long)k * d.K + col];
  C[e] = s;
}
extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  Dims d{M, N, K};
  mm<<<(unsigned)(((long)M * K + 255) / 256), 256>>>(A, B, C, d);
}
