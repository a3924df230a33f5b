// The definition of C = A·B, element by element: right for every shape, and slow.
//
// Where to begin:
// 1. Submit it as it is (./gemmlab submit starter.cpp) and read the page: it is the number to beat.
// 2. Look at the innermost loop. From one step to the next, A moves on by one float, but B jumps a whole row
//    (K floats): nearly every step fetches a cache line and uses 4 of its 64 bytes. Which order of the three
//    loops walks along rows only?
// 3. One core works, and the others wait. Which loop's steps are independent of each other?
// 4. Each float of A is used K times and each of B M times. How far apart in time are those uses, and is the
//    float still in a cache by then?
//
// A is M×N, B is N×K, C is M×K: rows M, inner N, columns K. N is the inner dimension, the one that is summed over; BLAS and
// the rest of gemmlab call it K, and the columns N.

#include <cstdint>

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  // row * N can pass 2^31 for matrices that still fit into memory, so all offsets have 64 bits
  const std::int64_t rows = M, inner = N, cols = K;
  for (std::int64_t row = 0; row < rows; ++row) {
    for (std::int64_t col = 0; col < cols; ++col) {
      float sum = 0;
      for (std::int64_t i = 0; i < inner; ++i) sum += A[row * inner + i] * B[i * cols + col];
      C[row * cols + col] = sum;  // C holds anything before the call: set it, never add to it
    }
  }
}
