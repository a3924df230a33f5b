#include "gpu/gemm/session.h"

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "core/rounding.h"
#include "gpu/device/check.h"
#include "gpu/device/launch.h"
#include "gpu/table.h"

namespace gemmlab::gpu {
namespace {

constexpr std::int64_t kMostBlocks = std::numeric_limits<std::int32_t>::max();  // of a grid's x

}  // namespace

std::int64_t tiles_of(const Shape& shape, int BM, int BN) {
  return ceil_div(shape.m, BM) * ceil_div(shape.n, BN);
}

std::string too_many_tiles(const Shape& shape, int BM, int BN) {
  const std::int64_t tiles = tiles_of(shape, BM, BN);
  if (tiles <= kMostBlocks) return {};
  return "C has " + std::to_string(tiles) + " tiles of " + std::to_string(BM) + "x" + std::to_string(BN) +
         ", over a grid's " + std::to_string(kMostBlocks);
}

double tiled_bytes(const Shape& shape, std::int64_t tile_rows, std::int64_t tile_cols,
                   const GemmTypes& types) {
  const auto tiles_down = static_cast<double>(ceil_div(shape.m, tile_rows));
  const auto tiles_across = static_cast<double>(ceil_div(shape.n, tile_cols));
  return static_cast<double>(bytes_of(types.type)) * (static_cast<double>(shape.a_count()) * tiles_across +
                                                      static_cast<double>(shape.b_count()) * tiles_down) +
         static_cast<double>(bytes_of(types.result)) * static_cast<double>(shape.c_count());
}

std::string too_long(const Shape& shape) {
  return too_long(shape, form_of(shape));
}

std::string too_long(const Shape& shape, const GemmForm& form) {
  const std::int64_t longest = std::max({shape.m, shape.n, shape.k, form.lda, form.ldb, form.ldc});
  if (longest <= kLongestSide) return {};
  return "a side of " + std::to_string(longest) + " is over " + std::to_string(kLongestSide) +
         " (32-bit indices)";
}

KernelSession::KernelSession(const LaunchPlan& plan, const Shape& shape) : plan_(plan), shape_(shape) {
  blocks_ = tiles_of(shape, plan.BM, plan.BN);
  if (blocks_ < 1 || blocks_ > kMostBlocks || !too_long(shape).empty()) {
    throw std::runtime_error("no grid for m=" + std::to_string(shape.m) + " n=" + std::to_string(shape.n) +
                             " k=" + std::to_string(shape.k));
  }
  last_kernel_ = plan_.aligned_kernel && shape.rows_at_16_bytes() ? plan_.aligned_kernel : plan_.kernel;
}

void KernelSession::multiply(const float* a, const float* b, float* c) {
  const bool aligned =
      plan_.aligned_kernel && shape_.rows_at_16_bytes() && at_16_bytes(a) && at_16_bytes(b) && at_16_bytes(c);
  last_kernel_ = aligned ? plan_.aligned_kernel : plan_.kernel;
  launch(last_kernel_, blocks_, plan_.threads, 0, a, b, c, static_cast<int>(shape_.m),
         static_cast<int>(shape_.n), static_cast<int>(shape_.k));
}

Facts KernelSession::chosen() const {
  Facts facts = {{"tile", std::to_string(plan_.BM) + "x" + std::to_string(plan_.BN)},
                 {"threads_per_block", static_cast<std::int64_t>(plan_.threads.x) * plan_.threads.y}};
  if (plan_.aligned_kernel) {
    facts["load_bytes"] = std::int64_t{last_kernel_ == plan_.aligned_kernel ? 16 : 4};
  }
  return facts;
}

Facts KernelSession::resources() const {
  return kernel_resources(reinterpret_cast<const void*>(last_kernel_),
                          static_cast<int>(plan_.threads.x * plan_.threads.y), 0);
}

std::string KernelImplementation::unavailable() const {
  return gpu::unavailable();
}

std::string KernelImplementation::why_not(const Shape& shape, const Parameters& parameters) const {
  if (std::string reason = too_long(shape); !reason.empty()) return reason;
  const LaunchPlan plan = planner_(parameters);
  return too_many_tiles(shape, plan.BM, plan.BN);
}

double KernelImplementation::moved_bytes(const Shape& shape, const Parameters& parameters) const {
  const LaunchPlan plan = planner_(parameters);
  const std::int64_t tile_rows = plan.shares_loads ? plan.BM : 1;
  const std::int64_t tile_cols = plan.shares_loads ? plan.BN : 1;
  return tiled_bytes(shape, tile_rows, tile_cols);
}

std::unique_ptr<Session> KernelImplementation::prepare(const Shape& shape,
                                                       const Parameters& parameters) const {
  return std::make_unique<KernelSession>(planner_(parameters), shape);
}

}  // namespace gemmlab::gpu
