// finds: out-of-bounds
// says: At thrust::reduce, which line 10 calls, thread
// error: any
#include <thrust/device_ptr.h>
#include <thrust/execution_policy.h>
#include <thrust/reduce.h>

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  const thrust::device_ptr<const float> from = thrust::device_pointer_cast(A);
  const float sum = thrust::reduce(from, from + M * N + 1);  // <- out-of-bounds
  cudaMemcpy(C, &sum, sizeof sum, cudaMemcpyHostToDevice);
}
