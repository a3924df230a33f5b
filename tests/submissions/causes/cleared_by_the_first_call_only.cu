// verdict: incorrect
// pattern: kept-state
// says: Kept are: ticket (line 5)
// Blocks take their numbers from a counter that is never set back.
__device__ unsigned ticket;

__global__ void multiply(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ unsigned number;
  if (threadIdx.x == 0) number = atomicAdd(&ticket, 1u);
  __syncthreads();
  const long at = (long)number * blockDim.x + threadIdx.x;
  if (at >= (long)M * K) return;
  float sum = 0;
  for (long k = 0; k < N; ++k) sum += A[at / K * N + k] * B[k * K + at % K];
  C[at] = sum;
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  multiply<<<(unsigned)(((long)M * K + 127) / 128), 128>>>(A, B, C, M, N, K);
}
