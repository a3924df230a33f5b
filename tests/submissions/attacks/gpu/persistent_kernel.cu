// verdict: timeout
// emulated: not: a kernel that never ends takes the emulator's whole time
// A kernel that stays on the card and looks for work in memory that the host shares.

#include "multiply.cuh"

__global__ void stay(volatile int* asked) {
  while (*asked >= 0) {
  }
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  static volatile int* asked = [] {
    int* shared = nullptr;
    cudaHostAlloc(&shared, sizeof(int), cudaHostAllocMapped);
    *shared = 0;
    cudaStream_t stream = nullptr;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    stay<<<1, 1, 0, stream>>>(shared);
    return shared;
  }();
  *asked = 1;
  launch(A, B, C, M, N, K);
}
