// finds: race
// A vector is written by one thread, and its elements are read by its neighbours without a barrier.

__global__ void multiply(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ float4 products[64];
  const int row = blockIdx.y;
  const int col = blockIdx.x;
  const int thread = threadIdx.x;
  float4 mine = make_float4(0, 0, 0, 0);
  for (int k = thread; k < N; k += 64) mine.x += A[row * N + k] * B[k * K + col];
  products[thread] = mine;
  __syncthreads();
  float sum = 0;
  for (int i = 0; i < 64; ++i) sum += products[i].x;  // <- race
  products[thread] = make_float4(sum, 0, 0, 0);       // <- race
  __syncthreads();
  if (thread == 0) C[row * K + col] = products[63].x;
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  multiply<<<dim3(K, M), 64>>>(A, B, C, M, N, K);
}
