// A library with the calls of cuBLASMp that the suite makes, for the emulator's cards. The cards' threads meet in each call that all
// of them have to make; the product itself is made by the host, once all parts are there, from the blocks of each card as its
// matrices describe them. It is as strict as cuBLASMp about blocks that have to fit.

#include <algorithm>
#include <condition_variable>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <vector>

#include "emulator/planted_runtime.h"
#include "tests/emulator/rows/planted_communicator.h"

namespace {

using Communicator = gemmlab::emulation::PlantedCommunicator;
using gemmlab::emulation::PlantedRuntime;

constexpr int kSuccess = 0;
constexpr int kInvalidValue = 3;
constexpr int kInternalError = 6;

PlantedRuntime runtime;

struct Grid {
  std::int64_t rows = 0, cols = 0;
  const Communicator* communicator = nullptr;
  int row() const { return communicator->card % static_cast<int>(rows); }
  int col() const { return communicator->card / static_cast<int>(rows); }
};

struct Matrix {
  std::int64_t rows = 0, cols = 0, block_rows = 0, block_cols = 0, stride = 0;
  const Grid* grid = nullptr;
};

struct Handle {
  cudaStream_t stream = nullptr;
};

struct Product {
  int compute = 0;
  int transposed = 0;
};

/// A card's part in a call that all make.
struct Part {
  Handle* handle = nullptr;
  const Matrix *a_matrix = nullptr, *b_matrix = nullptr, *d_matrix = nullptr;
  const float *a = nullptr, *b = nullptr;
  float* d = nullptr;
};

std::mutex mutex;
std::condition_variable all_there;
std::map<int, Part> parts;
std::uint64_t meetings = 0;
int result_of_meeting = kSuccess;

bool spoilt(const char* call) {
  const char* const fault = std::getenv("GEMMLAB_PLANTED_CUBLASMP_FAULT");
  return fault != nullptr && std::strcmp(fault, call) == 0;
}

/// Copies the elements of a card's part from or to the whole matrix, by columns.
template <typename Visit>
void with_elements(const Matrix& matrix, const Visit& visit) {
  const Grid& grid = *matrix.grid;
  std::int64_t local_col = 0;
  for (std::int64_t col = 0; col < matrix.cols; ++col) {
    if (col / matrix.block_cols % grid.cols != grid.col()) continue;
    std::int64_t local_row = 0;
    for (std::int64_t row = 0; row < matrix.rows; ++row) {
      if (row / matrix.block_rows % grid.rows != grid.row()) continue;
      visit(static_cast<std::size_t>(row + col * matrix.rows),
            static_cast<std::size_t>(local_row++ + local_col * matrix.stride));
    }
    ++local_col;
  }
}

/// Floats of the card's part.
std::size_t local_floats(const Matrix& matrix) {
  std::size_t count = 0;
  with_elements(matrix, [&](std::size_t, std::size_t local) { count = std::max(count, local + 1); });
  return count;
}

bool gather(const Matrix& matrix, const float* part, cudaStream_t stream, std::vector<float>& whole) {
  std::vector<float> local(local_floats(matrix));
  if (local.empty()) return true;
  const bool copied = runtime.copy(local.data(), part, sizeof(float) * local.size(), cudaMemcpyDeviceToHost,
                                   stream) == cudaSuccess &&
                      runtime.synchronize(stream) == cudaSuccess;
  with_elements(matrix, [&](std::size_t at, std::size_t from) { whole[at] = local[from]; });
  return copied;
}

bool scatter(const Matrix& matrix, const std::vector<float>& whole, float* part, cudaStream_t stream) {
  std::vector<float> local(local_floats(matrix));
  if (local.empty()) return true;
  with_elements(matrix, [&](std::size_t at, std::size_t to) { local[to] = whole[at]; });
  return runtime.copy(part, local.data(), sizeof(float) * local.size(), cudaMemcpyHostToDevice, stream) ==
             cudaSuccess &&
         runtime.synchronize(stream) == cudaSuccess;
}

int multiply_all() {
  const Part& first = parts.begin()->second;
  const auto m = static_cast<std::size_t>(first.a_matrix->rows);
  const auto k = static_cast<std::size_t>(first.a_matrix->cols);
  const auto n = static_cast<std::size_t>(first.b_matrix->cols);
  std::vector<float> a(m * k), b(k * n), d(m * n);
  bool good = true;
  for (const auto& [card, part] : parts) {
    good = good && runtime.set_device(card) == cudaSuccess;
    good = good && gather(*part.a_matrix, part.a, part.handle->stream, a);
    good = good && gather(*part.b_matrix, part.b, part.handle->stream, b);
  }
  for (std::size_t col = 0; col < n; ++col) {
    for (std::size_t row = 0; row < m; ++row) {
      float sum = 0;
      for (std::size_t i = 0; i < k; ++i) sum += a[row + i * m] * b[i + col * k];
      d[row + col * m] = sum;
    }
  }
  for (const auto& [card, part] : parts) {
    good = good && runtime.set_device(card) == cudaSuccess;
    good = good && scatter(*part.d_matrix, d, part.d, part.handle->stream);
  }
  return good ? kSuccess : kInternalError;
}

/// Waits until all cards have come; the last one makes the product, where `multiplies`.
int meet(const Communicator& communicator, const Part& part, bool multiplies) {
  std::unique_lock<std::mutex> lock(mutex);
  const std::uint64_t this_one = meetings;
  parts[communicator.card] = part;
  if (static_cast<int>(parts.size()) < communicator.cards) {
    all_there.wait(lock, [&] { return meetings != this_one; });
    return result_of_meeting;
  }
  int before = 0;
  runtime.get_device(&before);
  result_of_meeting = multiplies ? multiply_all() : kSuccess;
  runtime.set_device(before);
  parts.clear();
  ++meetings;
  all_there.notify_all();
  return result_of_meeting;
}

bool fit(const Matrix& a, const Matrix& b, const Matrix& d, std::int64_t m, std::int64_t n, std::int64_t k) {
  return a.rows == m && a.cols == k && b.rows == k && b.cols == n && d.rows == m && d.cols == n &&
         a.block_cols == b.block_rows && a.block_rows == d.block_rows && b.block_cols == d.block_cols;
}

}  // namespace

extern "C" {

void gemmlab_planted_take_runtime(const PlantedRuntime& given) {
  runtime = given;
}

int cublasMpGetVersion(int* version) {
  const char* const asked = std::getenv("GEMMLAB_PLANTED_CUBLASMP_VERSION");
  *version = asked == nullptr ? 1000 : std::atoi(asked);
  return kSuccess;
}

int cublasMpCreate(void** handle, cudaStream_t stream) {
  *handle = new Handle{stream};
  return kSuccess;
}
int cublasMpDestroy(void* handle) {
  delete static_cast<Handle*>(handle);
  return kSuccess;
}

int cublasMpGridCreate(std::int64_t rows, std::int64_t cols, int layout, void* communicator, void** grid) {
  const auto* const own = static_cast<const Communicator*>(communicator);
  if (layout != 0 || rows * cols != own->cards) return kInvalidValue;
  *grid = new Grid{rows, cols, own};
  return meet(*own, {}, false);
}
int cublasMpGridDestroy(void* grid) {
  auto* const own = static_cast<Grid*>(grid);
  const int result = meet(*own->communicator, {}, false);
  delete own;
  return result;
}

int cublasMpMatrixDescriptorCreate(std::int64_t rows, std::int64_t cols, std::int64_t block_rows,
                                   std::int64_t block_cols, std::int64_t first_row, std::int64_t first_col,
                                   std::int64_t stride, int type, void* grid, void** matrix) {
  if (block_rows < 1 || block_cols < 1 || stride < 1 || first_row != 0 || first_col != 0 || type != 0)
    return kInvalidValue;
  *matrix = new Matrix{rows, cols, block_rows, block_cols, stride, static_cast<const Grid*>(grid)};
  return kSuccess;
}
int cublasMpMatrixDescriptorDestroy(void* matrix) {
  delete static_cast<Matrix*>(matrix);
  return kSuccess;
}

int cublasMpMatmulDescriptorCreate(void** product, int compute) {
  *product = new Product{compute, 0};
  return kSuccess;
}
int cublasMpMatmulDescriptorDestroy(void* product) {
  delete static_cast<Product*>(product);
  return kSuccess;
}
int cublasMpMatmulDescriptorSetAttribute(void* product, int which, const void* value, std::size_t bytes) {
  int operation = 0;
  if (which > 1 || bytes != sizeof(operation)) return kInvalidValue;
  std::memcpy(&operation, value, bytes);
  static_cast<Product*>(product)->transposed += operation;
  return kSuccess;
}

int cublasMpMalloc(void* grid, void** memory, std::size_t bytes) {
  if (runtime.allocate(memory, bytes) != cudaSuccess) return kInternalError;
  return meet(*static_cast<Grid*>(grid)->communicator, {}, false);
}
int cublasMpFree(void* grid, void* memory) {
  const int result = meet(*static_cast<Grid*>(grid)->communicator, {}, false);
  return runtime.release(memory) == cudaSuccess ? result : kInternalError;
}

int cublasMpMatmul_bufferSize(void*, void*, std::int64_t m, std::int64_t n, std::int64_t k, const void*,
                              const void*, std::int64_t, std::int64_t, void* a_matrix, const void*,
                              std::int64_t, std::int64_t, void* b_matrix, const void*, const void*,
                              std::int64_t, std::int64_t, void*, void*, std::int64_t, std::int64_t,
                              void* d_matrix, std::size_t* device, std::size_t* host) {
  if (spoilt("cublasMpMatmul_bufferSize")) return kInternalError;
  if (!fit(*static_cast<Matrix*>(a_matrix), *static_cast<Matrix*>(b_matrix), *static_cast<Matrix*>(d_matrix),
           m, n, k))
    return kInvalidValue;
  *device = 256;
  *host = 16;
  return kSuccess;
}

int cublasMpMatmul(void* handle, void* product, std::int64_t m, std::int64_t n, std::int64_t k,
                   const void* alpha, const void* a, std::int64_t ia, std::int64_t ja, void* a_matrix,
                   const void* b, std::int64_t ib, std::int64_t jb, void* b_matrix, const void* beta,
                   const void*, std::int64_t, std::int64_t, void*, void* d, std::int64_t id, std::int64_t jd,
                   void* d_matrix, void* device, std::size_t device_bytes, void* host,
                   std::size_t host_bytes) {
  constexpr int kComputeInFloat32 = 68;
  const auto* const own = static_cast<const Product*>(product);
  if (spoilt("cublasMpMatmul")) return kInternalError;
  const auto& of_a = *static_cast<const Matrix*>(a_matrix);
  const auto& of_b = *static_cast<const Matrix*>(b_matrix);
  const auto& of_d = *static_cast<const Matrix*>(d_matrix);
  const bool plain = *static_cast<const float*>(alpha) == 1 && *static_cast<const float*>(beta) == 0 &&
                     own->compute == kComputeInFloat32 && own->transposed == 0;
  const bool whole = ia == 1 && ja == 1 && ib == 1 && jb == 1 && id == 1 && jd == 1;
  if (!plain || !whole || !fit(of_a, of_b, of_d, m, n, k) || device == nullptr || device_bytes != 256 ||
      host == nullptr || host_bytes != 16)
    return kInvalidValue;
  return meet(*of_a.grid->communicator,
              {static_cast<Handle*>(handle), &of_a, &of_b, &of_d, static_cast<const float*>(a),
               static_cast<const float*>(b), static_cast<float*>(d)},
              true);
}

}  // extern "C"
