// finds: race
// may find: uninitialised-shared
// Lanes of one warp exchange values through shared memory without __syncwarp: no longer in step since Volta.

__global__ void multiply(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ float sums[32];
  const int lane = threadIdx.x;
  const int row = blockIdx.y;
  const int col = blockIdx.x;
  float sum = 0;
  for (int k = lane; k < N; k += 32) sum += A[row * N + k] * B[k * K + col];
  sums[lane] = sum;  // <- race
  for (int distance = 16; distance > 0; distance /= 2) {
    if (lane < distance) sums[lane] += sums[lane + distance];  // <- race, uninitialised-shared
  }
  if (lane == 0) C[row * K + col] = sums[0];
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  multiply<<<dim3(K, M), 32>>>(A, B, C, M, N, K);
}
