// verdict: build-failed
// Calls cuBLAS without its header, in the hope that it is linked.


extern "C" int cublasCreate_v2(void**);
extern "C" int cublasSgemm_v2(void*, int, int, int, int, int, const float*, const float*, int, const float*, int,
                              const float*, float*, int);

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  static void* handle = nullptr;
  if (handle == nullptr) cublasCreate_v2(&handle);
  const float one = 1, zero = 0;
  cublasSgemm_v2(handle, 0, 0, K, M, N, &one, B, K, A, N, &zero, C, K);
}
