// What __syncthreads costs a block that has an SM to itself.

#include "core/session_row.h"
#include "gpu/describe.h"
#include "gpu/device/cycles.h"
#include "gpu/device/launch.h"
#include "gpu/device/resources.h"
#include "gpu/table.h"
#include "operations/barrier/barrier.h"

namespace gemmlab::gpu {
namespace {

using waiting::kGiven;
using waiting::kReceived;
using waiting::kStretch;

constexpr int kMostThreads = 1024;

__global__ void __launch_bounds__(kMostThreads)
    wait_for_all(const std::int32_t* given, std::int32_t* received, int stretches, long long* cycles) {
  __shared__ std::int32_t numbers[2]
                                 [kMostThreads];  // by turns: the slowest may still read the last stretch's
  const int mine = static_cast<int>(threadIdx.x);
  const int right = (mine + 1) % static_cast<int>(blockDim.x);
  std::int32_t number = given[mine];
  const long long start = clock_now();
  for (int stretch = 0; stretch < stretches; ++stretch) {
    numbers[stretch % 2][mine] = number;
#pragma unroll 16
    for (int i = 0; i < kStretch; ++i) __syncthreads();
    number = numbers[stretch % 2][right];
  }
  if (mine == 0) *cycles = clock_now() - start;
  received[mine] = number;
}

class BarrierSession : public Session {
 public:
  static constexpr bool kResident = false;

  BarrierSession(const Instance& instance, const Parameters&)
      : threads_(static_cast<unsigned>(instance.dims.at(0))),
        stretches_(static_cast<int>(instance.dims.at(1))) {}

  void run(const Operands& operands) override {
    launch(wait_for_all, 1, dim3(threads_), 0, operands.in<std::int32_t>(kGiven),
           operands.out<std::int32_t>(kReceived), stretches_, cycles_.device());
  }
  Facts chosen() const override {
    return {{"cycles_per_barrier", cycles_.read() / (static_cast<double>(stretches_) * kStretch)}};
  }
  Facts resources() const override {
    return kernel_resources(reinterpret_cast<const void*>(wait_for_all), static_cast<int>(threads_), 0);
  }

 private:
  unsigned threads_;
  int stretches_;
  Cycles cycles_;
};

}  // namespace

const Implementation& barrier() {
  static const SessionRow<BarrierSession> row(
      describe({.id = "gpu.barrier",
                .name = "barrier",
                .summary = "one block, __syncthreads after __syncthreads",
                .source = "CUDA C++ Programming Guide, synchronization functions",
                .counterpart = "cpu.barrier",
                .operation = "barrier"}),
      nullptr, unavailable);
  return row;
}

}  // namespace gemmlab::gpu
