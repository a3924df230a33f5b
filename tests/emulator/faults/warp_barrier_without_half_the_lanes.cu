// finds: deadlock | warp-divergence
// error: any
// The lower half waits for all lanes; the upper half names other lanes, and then waits for the block.

__global__ void multiply(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ float halves[2];
  const int lane = threadIdx.x;
  const int row = blockIdx.y;
  const int col = blockIdx.x;
  float sum = 0;
  for (int k = lane; k < N; k += 32) sum += A[row * N + k] * B[k * K + col];
  for (int distance = 8; distance > 0; distance /= 2) sum += __shfl_xor_sync(~0u, sum, distance);
  if (lane % 16 == 0) halves[lane / 16] = sum;
  if (lane < 16) {
    __syncwarp();  // <- deadlock, warp-divergence
    if (lane == 0) C[row * K + col] = halves[0] + halves[1];
  } else {
    __syncwarp(0xffff0000u);  // <- warp-divergence
  }
  __syncthreads();  // <- deadlock
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  multiply<<<dim3(K, M), 32>>>(A, B, C, M, N, K);
}
