const long long rows = M, inner = N, cols = K;
for (long long row = 0; row < rows; ++row) {
  float* c = C + row * cols;
  for (long long col = 0; col < cols; ++col) c[col] = 0;
  for (long long i = 0; i < inner; ++i) {
    // B and C are read along their rows: all 16 floats of each cache line are used, and the compiler can vectorise
    const float a = A[row * inner + i];
    const float* b = B + i * cols;
    for (long long col = 0; col < cols; ++col) c[col] += a * b[col];
  }
}
