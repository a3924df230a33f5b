// Objects with constructors and destructors, thread-local ones, and a locale.

#include <locale>
#include <string>
#include <vector>
struct Room {
  std::vector<float> values = std::vector<float>(1 << 16, 1.f);
  std::string name = std::locale::classic().name();
  ~Room() { values.clear(); }
};
static Room room;
thread_local Room own;
static void multiply(const float* A, const float* B, float* C, int M, int N, int K) {
  for (long i = 0; i < M; ++i)
    for (long j = 0; j < K; ++j) {
      float sum = 0;
      for (long l = 0; l < N; ++l) sum += A[i * N + l] * B[l * K + j];
      C[i * K + j] = sum;
    }
}
extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  own.values[0] = room.values[1];
  multiply(A, B, C, M, N, K);
}
