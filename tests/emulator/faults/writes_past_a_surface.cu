// finds: out-of-bounds
// says: of row 37 of a surface of 37 rows of 180 bytes
// error: 700
__global__ void multiply(const float* A, const float* B, cudaSurfaceObject_t c, int M, int N, int K) {
  const int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= M || col >= K) return;
  float sum = 0;
  for (int k = 0; k < N; ++k) sum += A[row * N + k] * B[k * K + col];
  surf2Dwrite(sum, c, col * 4, row + 1);  // <- out-of-bounds
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  const cudaChannelFormatDesc desc = cudaCreateChannelDesc<float>();
  cudaArray_t array = nullptr;
  cudaMallocArray(&array, &desc, K, M, cudaArraySurfaceLoadStore);
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaSurfaceObject_t surface = 0;
  cudaCreateSurfaceObject(&surface, &resource);
  const dim3 block(16, 16), grid((K + 15) / 16, (M + 15) / 16);
  multiply<<<grid, block>>>(A, B, surface, M, N, K);
  cudaMemcpy2DFromArray(C, K * sizeof(float), array, 0, 0, K * sizeof(float), M, cudaMemcpyDeviceToDevice);
  cudaDestroySurfaceObject(surface);
  cudaFreeArray(array);
}
