// verdict: out-of-bounds
// pattern: write-past-end
// says: asks for 512 bytes of dynamic shared memory
extern __shared__ float tiles[];
__global__ void mm(const float* A, const float* B, float* C, int M, int N, int K) {
  const int T = blockDim.x;
  float* a = tiles;
  float* b = tiles + T * T;
  const int tx = threadIdx.x, ty = threadIdx.y;
  const long row = (long)blockIdx.x * T + ty, col = (long)blockIdx.y * T + tx;
  float s = 0;
  for (int k0 = 0; k0 < N; k0 += T) {
    a[ty * T + tx] = row < M && k0 + tx < N ? A[row * N + k0 + tx] : 0.0f;
    b[ty * T + tx] = col < K && k0 + ty < N ? B[(long)(k0 + ty) * K + col] : 0.0f;
    __syncthreads();
    for (int k = 0; k < T; ++k) s += a[ty * T + k] * b[k * T + tx];
    __syncthreads();
  }
  if (row < M && col < K) C[row * K + col] = s;
}
extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  const int T = 16;
  dim3 block(T, T);
  // x has room for 2^31 tiles, y for 65,535
  dim3 grid((M + T - 1) / T, (K + T - 1) / T);
  mm<<<grid, block, 2 * T * T>>>(A, B, C, M, N, K);
}
