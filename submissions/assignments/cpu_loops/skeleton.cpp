// A is M×N, B is N×K, C is M×K, row-major, A[row * N + i]: rows M, inner N, columns K (BLAS calls the inner one K).
const long long rows = M, inner = N, cols = K;
for (long long row = 0; row < rows; ++row) {
  for (long long col = 0; col < cols; ++col) {
    C[row * cols + col] = 0;
    // TODO: the sum over i = 0 … inner − 1. Then: which order of the three loops walks along rows only?
  }
}
(void)inner;  // remove this line as soon as inner is used
