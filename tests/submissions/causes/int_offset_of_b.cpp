// verdict: out-of-bounds
// pattern: read-before-start
// says: An index overflows where a matrix has more than 2³¹ elements
extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  for (long row = 0; row < M; ++row)
    for (long col = 0; col < K; ++col) {
      float sum = 0;
      for (int k = 0; k < N; ++k) {
        const int offset = k * K;
        sum += A[row * N + k] * B[offset + col];
      }
      C[row * K + col] = sum;
    }
}
