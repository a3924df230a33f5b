// Shared memory that is volatile, in a device function that two kernels call.

__device__ float added_up(float value) {
  __shared__ volatile float values[32];
  const int lane = threadIdx.x;
  values[lane] = value;
  __syncwarp();
  for (int distance = 16; distance > 0; distance /= 2) {
    const float other = lane < distance ? values[lane + distance] : 0;
    __syncwarp();
    values[lane] = values[lane] + other;
    __syncwarp();
  }
  const float sum = values[0];
  __syncwarp();
  return sum;
}

__global__ void by_lanes(const float* A, const float* B, float* C, int M, int N, int K) {
  float sum = 0;
  for (int k = threadIdx.x; k < N; k += 32) sum += A[blockIdx.y * N + k] * B[k * K + blockIdx.x];
  sum = added_up(sum);
  if (threadIdx.x == 0) C[blockIdx.y * K + blockIdx.x] = sum;
}
__global__ void check(float* C, int count) {
  const int i = blockIdx.x * 32 + threadIdx.x;
  const float none = added_up(i < count && C[i] == C[i] ? 0 : 1);
  if (i < count) C[i] += none - none;
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  by_lanes<<<dim3(K, M), 32>>>(A, B, C, M, N, K);
  check<<<(M * K + 31) / 32, 32>>>(C, M * K);
}
