// verdict: correct
// Each call is captured into a graph, which is launched into the default stream.

__global__ void multiply(const float* A, const float* B, float* C, int M, int N, int K) {
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= M || col >= K) return;
  float sum = 0;
  for (int i = 0; i < N; ++i) sum += A[static_cast<long>(row) * N + i] * B[static_cast<long>(i) * K + col];
  C[static_cast<long>(row) * K + col] = sum;
}

static void launch(const float* A, const float* B, float* C, int M, int N, int K,
                   cudaStream_t stream = nullptr) {
  multiply<<<dim3((K + 15) / 16, (M + 15) / 16), dim3(16, 16), 0, stream>>>(A, B, C, M, N, K);
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  cudaStream_t stream = nullptr;
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t ready = nullptr;
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal);
  launch(A, B, C, M, N, K, stream);
  cudaStreamEndCapture(stream, &graph);
  cudaGraphInstantiateWithFlags(&ready, graph, 0);
  cudaGraphLaunch(ready, nullptr);
  cudaStreamSynchronize(nullptr);
  cudaGraphExecDestroy(ready);
  cudaGraphDestroy(graph);
  cudaStreamDestroy(stream);
}
