// finds: out-of-bounds
// error: any
#include <thrust/device_ptr.h>
#include <thrust/execution_policy.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/transform.h>

struct Element {
  const float *A, *B;
  int N, K;
  __host__ __device__ float operator()(int at) const {
    float sum = 0;
    for (int k = 0; k <= N; ++k)
      sum += A[at / K * N + k] *  // <- out-of-bounds
             (k < N ? B[k * K + at % K] : 0.0f);
    return sum;
  }
};

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  thrust::transform(thrust::device, thrust::make_counting_iterator(0), thrust::make_counting_iterator(M * K),
                    C, Element{A, B, N, K});
}
