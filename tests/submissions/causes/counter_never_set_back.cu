// verdict: incorrect
// pattern: kept-state
// says: Kept are: arrived
__device__ unsigned arrived;
__global__ void mm(const float* A, const float* B, float* part, float* C, int M, int N, int K, int splits) {
  const long n = (long)M * K, step = (N + splits - 1) / splits;
  const long s = blockIdx.x;
  for (long e = threadIdx.x; e < n; e += blockDim.x) {
    float sum = 0;
    for (long k = s * step; k < min((long)N, (s + 1) * step); ++k) sum += A[e / K * N + k] * B[k * K + e % K];
    part[s * n + e] = sum;
  }
  __threadfence();
  __syncthreads();
  __shared__ bool last;
  if (threadIdx.x == 0) last = atomicAdd(&arrived, 1u) == gridDim.x - 1;
  __syncthreads();
  if (!last) return;
  for (long e = threadIdx.x; e < n; e += blockDim.x) {
    float sum = 0;
    for (int i = 0; i < splits; ++i) sum += part[i * n + e];
    C[e] = sum;
  }
}
extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  float* part;
  cudaMalloc(&part, sizeof(float) * (size_t)M * K * 4);
  mm<<<4, 256>>>(A, B, part, C, M, N, K, 4);
  cudaDeviceSynchronize();
  cudaFree(part);
}
