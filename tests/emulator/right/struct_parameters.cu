// Matrices as structs by value, with member functions, and a functor.

struct Matrix {
  const float* data;
  int rows;
  int columns;
  __host__ __device__ float operator()(int row, int column) const {
    return row < rows && column < columns ? data[row * columns + column] : 0;
  }
};
struct Store {
  float* data;
  int columns;
  __device__ void operator()(int row, int column, float value) const { data[row * columns + column] = value; }
};

template <typename Output>
__global__ void multiply(Matrix a, Matrix b, Output output) {
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= a.rows || col >= b.columns) return;
  float sum = 0;
  for (int k = 0; k < a.columns; ++k) sum += a(row, k) * b(k, col);
  output(row, col, sum);
}

extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  multiply<<<dim3((K + 31) / 32, (M + 7) / 8), dim3(32, 8)>>>(Matrix{A, M, N}, Matrix{B, N, K}, Store{C, K});
}
