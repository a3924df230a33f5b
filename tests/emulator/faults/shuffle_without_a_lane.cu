// finds: deadlock
// error: 702
// The last lanes take no part in a shuffle whose mask names them: they wait at the block's barrier.

__global__ void multiply(const float* A, const float* B, float* C, int M, int N, int K) {
  const int lane = threadIdx.x;
  const int row = blockIdx.y;
  const int col = blockIdx.x;
  float sum = 0;
  for (int k = lane; k < N; k += 32) sum += A[row * N + k] * B[k * K + col];
  if (lane < 31) {
    for (int distance = 16; distance > 0; distance /= 2) {
      sum += __shfl_down_sync(~0u, sum, distance);  // <- deadlock
    }
  }
  __syncthreads();  // <- deadlock
  if (lane == 0) C[row * K + col] = sum;
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  multiply<<<dim3(K, M), 32>>>(A, B, C, M, N, K);
}
