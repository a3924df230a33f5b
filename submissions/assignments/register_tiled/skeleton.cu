// A is M×N, B is N×K, C is M×K: rows M, inner N, columns K (BLAS calls the inner one K).
constexpr int kSide = 64;                // of a block's tile of C
constexpr int kPiece = 4;                // rows and columns of a thread
constexpr int kAcross = kSide / kPiece;  // threads along each side of the tile

__global__ void multiply(const float* A, const float* B, float* C, int M, int N, int K) {
  const int row0 = blockIdx.y * kSide + threadIdx.y, col0 = blockIdx.x * kSide + threadIdx.x;
  float sums[kPiece][kPiece] = {};
  // TODO: for each tile along the inner dimension: fetch it into shared memory, wait, then let each thread load
  // kPiece floats of A and kPiece of B and multiply each with each, and wait
  (void)A, (void)B, (void)N;
  for (int p = 0; p < kPiece; ++p) {
    for (int q = 0; q < kPiece; ++q) {
      const int row = row0 + p * kAcross, col = col0 + q * kAcross;
      if (row < M && col < K) C[static_cast<long long>(row) * K + col] = sums[p][q];
    }
  }
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  multiply<<<dim3((K - 1) / kSide + 1, (M - 1) / kSide + 1), dim3(kAcross, kAcross)>>>(A, B, C, M, N, K);
}
