// Hand-ins for the fake card, by GEMMLAB_KIND.

#include <unistd.h>

#include <algorithm>
#include <thread>
#include <vector>

static void multiply(const float* A, const float* B, float* C, int M, int N, int K) {
  for (int i = 0; i < M; ++i)
    for (int j = 0; j < K; ++j) {
      float sum = 0;
      for (int l = 0; l < N; ++l) sum += A[i * N + l] * B[l * K + j];
      C[i * K + j] = sum;
    }
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  enum { kRight, kEverySecond, kLate, kByAddress, kHalf };
  static std::vector<float> last;
  static const float* seen = nullptr;
  static int calls = 0;
  const bool again =
      (GEMMLAB_KIND == kEverySecond && ++calls % 2 == 0) || (GEMMLAB_KIND == kByAddress && seen == A);
  if (GEMMLAB_KIND == kLate) {
    std::thread([=] {
      usleep(20'000);
      multiply(A, B, C, M, N, K);
    }).detach();
    return;
  }
  if (again && last.size() == static_cast<std::size_t>(M) * K) {
    std::copy(last.begin(), last.end(), C);
  } else {
    multiply(A, B, C, M, N, K);
  }
  if (GEMMLAB_KIND == kHalf) std::for_each(C, C + M * K, [](float& value) { value *= 1.0002F; });
  last.assign(C, C + M * K);
  seen = A;
}
