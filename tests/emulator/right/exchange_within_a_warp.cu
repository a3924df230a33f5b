// Lanes exchange through shared memory, with __syncwarp between writing and reading, each warp in its own part.

__global__ void multiply(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ float sums[4][32];
  const int lane = threadIdx.x;
  const int warp = threadIdx.y;
  const int row = blockIdx.y;
  const int col = blockIdx.x * 4 + warp;
  if (col >= K) return;
  float sum = 0;
  for (int k = lane; k < N; k += 32) sum += A[row * N + k] * B[k * K + col];
  sums[warp][lane] = sum;
  __syncwarp();
  for (int distance = 16; distance > 0; distance /= 2) {
    if (lane < distance) sums[warp][lane] += sums[warp][lane + distance];
    __syncwarp();
  }
  if (lane == 0) C[row * K + col] = sums[warp][0];
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  multiply<<<dim3((K + 3) / 4, M), dim3(32, 4)>>>(A, B, C, M, N, K);
}
