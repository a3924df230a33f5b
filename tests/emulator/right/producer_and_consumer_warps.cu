// Warp 0 loads the next row of B for warp 1, which multiplies; they meet at one barrier for each row, and the lanes of
// warp 0 at __syncwarp.

__global__ void multiply(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ float rows[2][32];
  __shared__ float staged[32];
  const int lane = threadIdx.x % 32;
  const bool producer = threadIdx.x < 32;
  const int row = blockIdx.y;
  const int col = blockIdx.x * 32 + lane;
  float sum = 0;
  for (int k = 0; k <= N; ++k) {
    if (producer && k < N) {
      staged[31 - lane] = col < K ? B[k * K + col] : 0;
      __syncwarp();
      rows[k % 2][lane] = staged[31 - lane] * (lane >= 0 ? 1 : staged[lane]);
      __syncwarp();
    }
    if (!producer && k > 0) sum += A[row * N + k - 1] * rows[(k - 1) % 2][lane];
    __syncthreads();
  }
  if (!producer && row < M && col < K) C[row * K + col] = sum;
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  multiply<<<dim3((K + 31) / 32, M), 64>>>(A, B, C, M, N, K);
}
