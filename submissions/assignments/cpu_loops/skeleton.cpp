// A: M rows, N columns. B: N rows, K columns. C: M rows, K columns. Row-major: A[row * N + i].
const long long rows = M, inner = N, cols = K;
for (long long row = 0; row < rows; ++row) {
  for (long long col = 0; col < cols; ++col) {
    C[row * cols + col] = 0;
    // TODO: the sum over i = 0 … inner − 1. Then: which order of the three loops walks along rows only?
  }
}
(void)inner;  // remove this line as soon as inner is used
