// verdict: crashed
// pattern: warp-divergence
// says: with a mask that does not name itself
__global__ void mm(const float* A, const float* B, float* C, int M, int N, int K) {
  long w = ((long)blockIdx.x * blockDim.x + threadIdx.x) / 32;
  int lane = threadIdx.x % 32;
  if (w >= (long)M * K) return;
  long row = w / K, col = w % K;
  float s = 0;
  for (int k = lane; k < N; k += 32) s += A[row * N + k] * B[(long)k * K + col];
  for (int d = 16; d > 0; d >>= 1) s += __shfl_down_sync(0xffff, s, d);
  if (lane == 0) C[w] = s;
}
extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  long warps = (long)M * K;
  mm<<<(unsigned)((warps * 32 + 255) / 256), 256>>>(A, B, C, M, N, K);
}
