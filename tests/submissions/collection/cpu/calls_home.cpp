// verdict: correct, crashed
// pattern: started-process, signal
// Right, but tries to send a word to a server, and to end the process that started it. Whether it is refused
// or ended for that is the sandbox' choice; the judge must live on.

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>

static void misbehave() {
  const int channel = socket(AF_INET, SOCK_DGRAM, 0);
  if (channel >= 0) {
    sockaddr_in to = {};
    to.sin_family = AF_INET;
    to.sin_port = htons(9);
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    sendto(channel, "word", 4, 0, reinterpret_cast<const sockaddr*>(&to), sizeof to);
    close(channel);
  }
  kill(getppid(), SIGKILL);
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  misbehave();
  for (std::int64_t row = 0; row < M; ++row) {
    for (std::int64_t col = 0; col < K; ++col) {
      float sum = 0;
      for (std::int64_t i = 0; i < N; ++i) sum += A[row * N + i] * B[i * K + col];
      C[row * K + col] = sum;
    }
  }
}
