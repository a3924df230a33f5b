// verdict: correct
// pattern:
// Right, but tries to leave a file named gemmlab_submission_was_here in places that are not its own: none may
// be there afterwards. That the attempt fails is no reason to call C wrong.

#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <initializer_list>
#include <string>

static void leave_a_file() {
  const char* home = std::getenv("HOME");
  for (const std::string& folder :
       {std::string("/"), std::string("/tmp"), std::string("/var/tmp"), std::string("/dev/shm"),
        std::string(".."), std::string(home != nullptr ? home : ".") + "/.."}) {
    std::ofstream(folder + "/gemmlab_submission_was_here") << "written by a submission\n";
  }
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  leave_a_file();
  for (std::int64_t row = 0; row < M; ++row) {
    for (std::int64_t col = 0; col < K; ++col) {
      float sum = 0;
      for (std::int64_t i = 0; i < N; ++i) sum += A[row * N + i] * B[i * K + col];
      C[row * K + col] = sum;
    }
  }
}
