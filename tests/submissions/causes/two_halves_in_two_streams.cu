// verdict: incorrect
// pattern: unordered-work
// says: in another stream has written
// The second half adds to what the first has stored, in a stream that does not wait for it.
__global__ void add(const float* A, const float* B, float* C, int M, int N, int K, int from, int to,
                    bool first) {
  const long at = (long)blockIdx.x * blockDim.x + threadIdx.x;
  if (at >= (long)M * K) return;
  float sum = first ? 0 : C[at];
  for (long k = from; k < to; ++k) sum += A[at / K * N + k] * B[k * K + at % K];
  C[at] = sum;
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  cudaStream_t streams[2];
  for (auto& one : streams) cudaStreamCreate(&one);
  const unsigned blocks = ((long)M * K + 127) / 128;
  add<<<blocks, 128, 0, streams[0]>>>(A, B, C, M, N, K, 0, N / 2, true);
  add<<<blocks, 128, 0, streams[1]>>>(A, B, C, M, N, K, N / 2, N, false);
  for (auto& one : streams) {
    cudaStreamSynchronize(one);
    cudaStreamDestroy(one);
  }
}
