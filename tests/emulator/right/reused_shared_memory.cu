// One union for tiles and then for partial sums, with a barrier between its two uses; and a struct with its variable.

__global__ void multiply(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ union {
    float tile[64][2];
    double sums[64];
  } memory;
  __shared__ struct Place { int row, col; } place;
  const int thread = threadIdx.x;
  if (thread == 0) {
    place.row = blockIdx.y;
    place.col = blockIdx.x;
  }
  __syncthreads();
  double sum = 0;
  for (int k0 = 0; k0 < N; k0 += 64) {
    const int k = k0 + thread;
    memory.tile[thread][0] = k < N ? A[place.row * N + k] : 0;
    memory.tile[63 - thread][1] = k0 + 63 - thread < N ? B[(k0 + 63 - thread) * K + place.col] : 0;
    __syncthreads();
    sum += memory.tile[thread][0] * memory.tile[thread][1];
    __syncthreads();
  }
  memory.sums[thread] = sum;
  for (int distance = 32; distance > 0; distance /= 2) {
    __syncthreads();
    if (thread < distance) memory.sums[thread] += memory.sums[thread + distance];
  }
  if (thread == 0) C[place.row * K + place.col] = static_cast<float>(memory.sums[0]);
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  multiply<<<dim3(K, M), 64>>>(A, B, C, M, N, K);
}
