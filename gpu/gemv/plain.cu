#include "core/rounding.h"
#include "gpu/call_row.h"
#include "gpu/describe.h"
#include "gpu/device/launch.h"

namespace gemmlab::gpu {
namespace {

constexpr int kThreads = 256;

/// A thread per row of A (m, n): neighbouring threads read addresses that lie a row apart.
__global__ void gemv_kernel(const float* A, const float* x, float* y, int m, int n) {
  const int row = blockIdx.x * kThreads + threadIdx.x;
  if (row >= m) return;
  float sum = 0;
  for (int col = 0; col < n; ++col) sum += A[static_cast<long long>(row) * n + col] * x[col];
  y[row] = sum;
}

/// y = Aᵀ·x, a thread per column of A: neighbouring threads read neighbouring floats.
__global__ void gemv_transposed_kernel(const float* A, const float* x, float* y, int m, int n) {
  const int col = blockIdx.x * kThreads + threadIdx.x;
  if (col >= n) return;
  float sum = 0;
  for (int row = 0; row < m; ++row) sum += A[static_cast<long long>(row) * n + col] * x[row];
  y[col] = sum;
}

class GemvSession : public Session {
 public:
  explicit GemvSession(const Instance& instance)
      : m_(static_cast<int>(instance.dims[0])),
        n_(static_cast<int>(instance.dims[1])),
        transposed_(std::get<std::int64_t>(instance.option("transpose_a")) != 0) {}

  void run(const Operands& operands) override {
    const std::int64_t results = transposed_ ? n_ : m_;
    launch(kernel(), ceil_div(results, kThreads), dim3(kThreads), 0, operands.in<float>(0),
           operands.in<float>(1), operands.out<float>(2), m_, n_);
  }
  Facts chosen() const override { return {{"threads_per_block", std::int64_t{kThreads}}}; }
  Facts resources() const override {
    return kernel_resources(reinterpret_cast<const void*>(kernel()), kThreads, 0);
  }

 private:
  decltype(&gemv_kernel) kernel() const { return transposed_ ? gemv_transposed_kernel : gemv_kernel; }

  int m_;
  int n_;
  bool transposed_;
};

}  // namespace

const Implementation& gemv() {
  static const CallImplementation row(
      "gemv",
      describe({.id = "gpu.gemv",
                .name = "gemv",
                .summary = "a thread per element of y: a row of A each, transposed a column",
                .source = "textbook",
                .counterpart = "cpu.gemv_openmp"}),
      [](const Instance& instance) -> std::unique_ptr<Session> {
        return std::make_unique<GemvSession>(instance);
      });
  return row;
}

}  // namespace gemmlab::gpu
