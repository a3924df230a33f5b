// verdict: reduced-precision
// pattern: fast-algorithm
// says: Winograd's inner product
#include <vector>

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  const long half = N / 2;
  std::vector<float> of_row(M), of_col(K);
  for (long row = 0; row < M; ++row)
    for (long k = 0; k < half; ++k) of_row[row] += A[row * N + 2 * k] * A[row * N + 2 * k + 1];
  for (long k = 0; k < half; ++k)
    for (long col = 0; col < K; ++col) of_col[col] += B[2 * k * K + col] * B[(2 * k + 1) * K + col];
  for (long row = 0; row < M; ++row)
    for (long col = 0; col < K; ++col) {
      float sum = -of_row[row] - of_col[col];
      for (long k = 0; k < half; ++k)
        sum +=
            (A[row * N + 2 * k] + B[(2 * k + 1) * K + col]) * (A[row * N + 2 * k + 1] + B[2 * k * K + col]);
      if (N % 2 != 0) sum += A[row * N + N - 1] * B[(N - 1L) * K + col];
      C[row * K + col] = sum;
    }
}
