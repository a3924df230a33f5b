// verdict: reduced-precision
// pattern: fast-algorithm
// Strassen's seven products of blocks in place of eight, two levels deep, in float throughout. What does not divide by four is
// padded with zeros.

#include <cstddef>
#include <vector>

namespace {

using Square = std::vector<float>;

void plain(const float* a, const float* b, float* c, int side) {
  for (int row = 0; row < side; ++row) {
    for (int col = 0; col < side; ++col) c[row * side + col] = 0;
    for (int i = 0; i < side; ++i)
      for (int col = 0; col < side; ++col) c[row * side + col] += a[row * side + i] * b[i * side + col];
  }
}

/// One quarter of a square, plus `sign` times another.
Square quarters(const Square& from, int side, int row, int col, float sign = 0, int other_row = 0,
                int other_col = 0) {
  const int half = side / 2;
  Square made(static_cast<std::size_t>(half) * half);
  for (int i = 0; i < half; ++i)
    for (int j = 0; j < half; ++j) {
      const float first = from[(row * half + i) * side + col * half + j];
      made[i * half + j] =
          sign == 0 ? first : first + sign * from[(other_row * half + i) * side + other_col * half + j];
    }
  return made;
}

Square product(const Square& a, const Square& b, int side, int levels) {
  Square c(a.size());
  if (levels == 0) {
    plain(a.data(), b.data(), c.data(), side);
    return c;
  }
  const int half = side / 2;
  const auto times = [&](const Square& left, const Square& right) {
    return product(left, right, half, levels - 1);
  };
  const Square m1 = times(quarters(a, side, 0, 0, 1, 1, 1), quarters(b, side, 0, 0, 1, 1, 1));
  const Square m2 = times(quarters(a, side, 1, 0, 1, 1, 1), quarters(b, side, 0, 0));
  const Square m3 = times(quarters(a, side, 0, 0), quarters(b, side, 0, 1, -1, 1, 1));
  const Square m4 = times(quarters(a, side, 1, 1), quarters(b, side, 1, 0, -1, 0, 0));
  const Square m5 = times(quarters(a, side, 0, 0, 1, 0, 1), quarters(b, side, 1, 1));
  const Square m6 = times(quarters(a, side, 1, 0, -1, 0, 0), quarters(b, side, 0, 0, 1, 0, 1));
  const Square m7 = times(quarters(a, side, 0, 1, -1, 1, 1), quarters(b, side, 1, 0, 1, 1, 1));
  for (int i = 0; i < half; ++i)
    for (int j = 0; j < half; ++j) {
      const int at = i * half + j;
      c[i * side + j] = m1[at] + m4[at] - m5[at] + m7[at];
      c[i * side + half + j] = m3[at] + m5[at];
      c[(half + i) * side + j] = m2[at] + m4[at];
      c[(half + i) * side + half + j] = m1[at] - m2[at] + m3[at] + m6[at];
    }
  return c;
}

}  // namespace

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  constexpr int kLevels = 2, kMultiple = 1 << kLevels, kLargest = 2048;
  int side = M > N ? M : N;
  side = ((side > K ? side : K) + kMultiple - 1) / kMultiple * kMultiple;
  if (side > kLargest) {  // thin: the padding would be all there is
    for (long row = 0; row < M; ++row)
      for (long col = 0; col < K; ++col) {
        float sum = 0;
        for (long i = 0; i < N; ++i) sum += A[row * N + i] * B[i * K + col];
        C[row * K + col] = sum;
      }
    return;
  }
  Square a(static_cast<std::size_t>(side) * side), b(a.size());
  for (int row = 0; row < M; ++row)
    for (int i = 0; i < N; ++i) a[row * side + i] = A[row * N + i];
  for (int i = 0; i < N; ++i)
    for (int col = 0; col < K; ++col) b[i * side + col] = B[i * K + col];
  const Square c = product(a, b, side, kLevels);
  for (int row = 0; row < M; ++row)
    for (int col = 0; col < K; ++col) C[row * K + col] = c[row * side + col];
}
