// Keeps a buffer for B transposed, and fills it anew in each call.

#include <vector>
extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  static std::vector<float> turned;
  turned.resize(static_cast<std::size_t>(N) * K);
  for (long l = 0; l < N; ++l)
    for (long j = 0; j < K; ++j) turned[j * N + l] = B[l * K + j];
  for (long i = 0; i < M; ++i)
    for (long j = 0; j < K; ++j) {
      float sum = 0;
      for (long l = 0; l < N; ++l) sum += A[i * N + l] * turned[j * N + l];
      C[i * K + j] = sum;
    }
}
