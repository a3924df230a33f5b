// rule: inner = "K", alpha_beta = true
// verdict: correct

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K, float alpha,
                      float beta) {
  for (int row = 0; row < M; ++row) {
    for (int col = 0; col < N; ++col) {
      float sum = 0;
      for (int i = 0; i < K; ++i) sum += A[(long long)row * K + i] * B[(long long)i * N + col];
      float& c = C[(long long)row * N + col];
      c = alpha * sum + (beta == 0 ? 0 : beta * c);
    }
  }
}
