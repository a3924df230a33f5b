// The largest bits of a row chosen by atomicCAS in a loop, then used to scale by 1.

__global__ void multiply(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ unsigned most;
  if (threadIdx.x == 0) most = 0;
  __syncthreads();
  const int row = blockIdx.x;
  for (int k = threadIdx.x; k < N; k += blockDim.x) {
    const unsigned mine = __float_as_uint(fabsf(A[row * N + k]));
    unsigned seen = atomicAdd(&most, 0u);
    while (seen < mine) {
      const unsigned before = atomicCAS(&most, seen, mine);
      if (before == seen) break;
      seen = before;
    }
  }
  __syncthreads();
  const float largest = __uint_as_float(most);
  for (int col = threadIdx.x; col < K; col += blockDim.x) {
    float sum = 0;
    for (int k = 0; k < N; ++k) {
      const float a = A[row * N + k];
      if (fabsf(a) <= largest) sum += a * B[k * K + col];
    }
    C[row * K + col] = sum;
  }
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  multiply<<<M, 64>>>(A, B, C, M, N, K);
}
