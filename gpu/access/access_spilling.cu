// The reading kernel with more sums than it has registers: each sum lies in local memory, so that every load
// costs a load and a store there as well.

#include "core/session_row.h"
#include "gpu/access/grid.h"
#include "gpu/access/loads.h"
#include "gpu/access/tally.h"
#include "gpu/describe.h"
#include "gpu/device/resources.h"
#include "gpu/table.h"
#include "operations/access/access.h"

namespace gemmlab::gpu {
namespace {

using gemmlab::accessing::kTotal;
using gemmlab::accessing::kValues;
using gemmlab::accessing::Pattern;

constexpr int kSums = 64;
constexpr int kTile = accessing::kThreads * kSums;

// Blocks per SM: as many threads as the architecture holds, 2048, 1536 (8.6 to 8.9, from 11.0 on) or 1024, which leaves each
// 32, 42 or 64 registers.
#if !defined(__CUDA_ARCH__)
constexpr int kBlocks = 2048 / accessing::kThreads;
#elif __CUDA_ARCH__ < 800
constexpr int kBlocks = 1024 / accessing::kThreads;
#elif (__CUDA_ARCH__ > 800 && __CUDA_ARCH__ < 900) || __CUDA_ARCH__ >= 1100
constexpr int kBlocks = 1536 / accessing::kThreads;
#else
constexpr int kBlocks = 2048 / accessing::kThreads;
#endif

/// kHeldDown: the instance that is launched with dynamic shared memory.
template <bool kHeldDown>
__global__ void __launch_bounds__(accessing::kThreads, kBlocks)
    read_spilling(const std::int32_t* first, std::int64_t n, std::int64_t stride, int passes,
                  accessing::Tally tally, unsigned long long* total) {
  using Word = accessing::Load<4, true>;
  unsigned sums[kSums] = {};
  unsigned long long sum = 0;
  for (int pass = 0; pass < passes; ++pass) {
    std::int64_t tile = static_cast<std::int64_t>(blockIdx.x) * kTile;
    for (; tile + kTile <= n; tile += static_cast<std::int64_t>(gridDim.x) * kTile) {
      const std::int32_t* from = first + (tile + threadIdx.x) * stride;
#pragma unroll
      for (int i = 0; i < kSums; ++i) {
        sums[i] += Word::sum(reinterpret_cast<const char*>(from + i * accessing::kThreads * stride));
      }
    }
    for (std::int64_t i = tile + threadIdx.x; i < n && i < tile + kTile; i += accessing::kThreads) {
      sum += Word::sum(reinterpret_cast<const char*>(first + i * stride));
    }
#pragma unroll
    for (int i = 0; i < kSums; ++i) {
      sum += sums[i];
      sums[i] = 0;
    }
  }
  accessing::add_up(sum, tally, total);
}

class SpillingSession : public Session {
 public:
  static constexpr bool kResident = false;

  SpillingSession(const Instance& instance, const Parameters& parameters)
      : pattern_(gemmlab::accessing::pattern_of(instance)),
        kernel_(integer(parameters, "blocks_per_sm") > 0 ? read_spilling<true> : read_spilling<false>),
        grid_(accessing::grid_of(reinterpret_cast<const void*>(kernel_),
                                 static_cast<int>(integer(parameters, "blocks_per_sm")))) {}

  void run(const Operands& operands) override {
    launch(kernel_, grid_.blocks, dim3(accessing::kThreads), grid_.shared_bytes,
           operands.in<std::int32_t>(kValues) + pattern_.offset, pattern_.n, pattern_.stride,
           static_cast<int>(pattern_.passes), tally_.device(), operands.out<unsigned long long>(kTotal));
  }
  /// Lets the report's doctor know that the spilled registers are no fault.
  Facts chosen() const override { return {{"spills", std::string("on purpose")}}; }
  Facts resources() const override {
    return kernel_resources(reinterpret_cast<const void*>(kernel_), accessing::kThreads, grid_.shared_bytes);
  }

 private:
  using SpillingKernel = void (*)(const std::int32_t*, std::int64_t, std::int64_t, int, accessing::Tally,
                                  unsigned long long*);
  Pattern pattern_;
  SpillingKernel kernel_;
  accessing::Grid grid_;
  accessing::TallyMemory tally_;
};

}  // namespace

const Implementation& access_spilling() {
  static const SessionRow<SpillingSession> row(
      describe({.id = "gpu.access_spilling",
                .name = "access spilling",
                .family = "overlapped",
                .summary = "gpu.access with 64 sums per thread, for which 32 registers do not suffice",
                .source = "CUDA C++ Best Practices Guide, local memory",
                .parameters = {accessing::blocks_parameter()},
                .operation = "access",
                .variant_of = "gpu.access"}),
      nullptr, unavailable);
  return row;
}

}  // namespace gemmlab::gpu
