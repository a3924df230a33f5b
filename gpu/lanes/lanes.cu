// What a warp's load from shared or constant memory costs, by how many banks or words its lanes ask for.

#include "core/rounding.h"
#include "core/session_row.h"
#include "gpu/describe.h"
#include "gpu/device/launch.h"
#include "gpu/device/resources.h"
#include "gpu/table.h"
#include "operations/lanes/lanes.h"

namespace gemmlab::gpu {
namespace {

using reading::kLanes;
using reading::kSums;
using reading::kTable;
using reading::kTurn;
using reading::kWords;

constexpr int kThreads = 512;
constexpr int kRowBytes = kLanes * sizeof(std::int32_t);

__constant__ unsigned constant_table[kWords];

struct FromShared {
  unsigned base;
  __device__ unsigned operator()(unsigned byte) const {
    unsigned value;
    asm volatile("ld.shared.u32 %0, [%1];" : "=r"(value) : "r"(base + byte));
    return value;
  }
};
struct FromConstant {
  __device__ unsigned operator()(unsigned byte) const {
    return *reinterpret_cast<const unsigned*>(reinterpret_cast<const char*>(constant_table) + byte);
  }
};

/// Each turn of kTurn loads begins a row further than the one before, so that none of them repeats its loads.
template <typename From>
__device__ unsigned long long sum_of_lane(const From& from, unsigned first_byte, int loads) {
  unsigned long long sum = 0;
  int load = 0;
  for (; load + kTurn <= loads; load += kTurn) {
    const unsigned byte = first_byte + static_cast<unsigned>(reading::row_of(load) * kRowBytes);
    unsigned of_turn = 0;
#pragma unroll
    for (int i = 0; i < kTurn; ++i) of_turn += from(byte + static_cast<unsigned>(i * kRowBytes));
    sum += of_turn;
  }
  for (; load < loads; ++load)
    sum += from(first_byte + static_cast<unsigned>(reading::row_of(load) * kRowBytes));
  return sum;
}

/// A warp writes the sum of its lanes.
template <bool kShared>
__global__ void __launch_bounds__(kThreads)
    read_lanes(const std::int32_t* table, unsigned long long* sums, std::int64_t warps, int loads, int degree,
               bool conflict) {
  __shared__ std::int32_t shared_table[kShared ? kWords : 1];
  if (kShared) {
    for (int i = static_cast<int>(threadIdx.x); i < kWords; i += kThreads) shared_table[i] = table[i];
    __syncthreads();
  }
  const int lane = static_cast<int>(threadIdx.x) % kLanes;
  const std::int64_t warp = blockIdx.x * static_cast<std::int64_t>(kThreads / kLanes) + threadIdx.x / kLanes;
  if (warp >= warps) return;
  const auto byte = static_cast<unsigned>(reading::first_word(lane, degree, conflict)) * 4u;
  unsigned long long sum;
  if (kShared) {
    sum = sum_of_lane(FromShared{static_cast<unsigned>(__cvta_generic_to_shared(shared_table))}, byte, loads);
  } else {
    sum = sum_of_lane(FromConstant{}, byte, loads);
  }
  for (int apart = kLanes / 2; apart > 0; apart /= 2) sum += __shfl_down_sync(~0u, sum, apart);
  if (lane == 0) sums[warp] = sum;
}

class LanesSession : public Session {
 public:
  static constexpr bool kResident = false;

  LanesSession(const Instance& instance, const Parameters& parameters)
      : warps_(instance.dims.at(0)),
        loads_(static_cast<int>(instance.dims.at(1))),
        degree_(static_cast<int>(integer_option(instance, "degree"))),
        conflict_(text_option(instance, "pattern") == "conflict"),
        shared_(text(parameters, "path") == "shared") {}

  void run(const Operands& operands) override {
    constexpr std::int64_t kWarps = kThreads / kLanes;
    const auto* table = operands.in<std::int32_t>(kTable);
    if (!shared_) {
      GEMMLAB_CUDA_CHECK(cudaMemcpyToSymbolAsync(constant_table, table, sizeof(constant_table), 0,
                                                 cudaMemcpyDeviceToDevice, current_stream()));
    }
    launch(kernel(), ceil_div(warps_, kWarps), dim3(kThreads), 0, table,
           operands.out<unsigned long long>(kSums), warps_, loads_, degree_, conflict_);
  }
  Facts resources() const override {
    return kernel_resources(reinterpret_cast<const void*>(kernel()), kThreads, 0);
  }

 private:
  using LanesKernel = void (*)(const std::int32_t*, unsigned long long*, std::int64_t, int, int, bool);
  LanesKernel kernel() const { return shared_ ? read_lanes<true> : read_lanes<false>; }

  std::int64_t warps_;
  int loads_;
  int degree_;
  bool conflict_;
  bool shared_;
};

}  // namespace

const Implementation& lanes() {
  static const SessionRow<LanesSession> row(
      describe(
          {.id = "gpu.lanes",
           .name = "lanes, {path}",
           .summary = "every warp reads a small table again and again, its lanes in one pattern",
           .source = "CUDA C++ Programming Guide, shared memory and constant memory",
           .parameters = {choice("path", "memory that is read",
                                 {std::string("shared"), std::string("constant")}, std::string("shared"))},
           .operation = "lanes"}),
      nullptr, unavailable);
  return row;
}

}  // namespace gemmlab::gpu
