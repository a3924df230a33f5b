// Packs B into memory of its own mapping, with huge pages where there are any.

#include <sys/mman.h>

#include <cstring>
static void multiply(const float* A, const float* B, float* C, int M, int N, int K) {
  for (long i = 0; i < M; ++i)
    for (long j = 0; j < K; ++j) {
      float sum = 0;
      for (long l = 0; l < N; ++l) sum += A[i * N + l] * B[l * K + j];
      C[i * K + j] = sum;
    }
}
extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  const std::size_t bytes = static_cast<std::size_t>(N) * K * sizeof(float);
  void* room = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (room == MAP_FAILED) return;
  madvise(room, bytes, MADV_HUGEPAGE);
  std::memcpy(room, B, bytes);
  multiply(A, static_cast<const float*>(room), C, M, N, K);
  munmap(room, bytes);
}
