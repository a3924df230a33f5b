#pragma once

// What the square-tile rungs share: their one parameter, and the choice of the kernel compiled for its value.

#include <stdexcept>
#include <string>
#include <type_traits>

#include "core/session_row.h"
#include "gpu/gemm/session.h"

namespace gemmlab::gpu {

inline ParameterSpec block_parameter() {
  return choice("block", "side of the tile that a thread block computes; it has block² threads",
                {std::int64_t{4}, std::int64_t{8}, std::int64_t{16}, std::int64_t{32}}, std::int64_t{16});
}

/// Likewise for what is measured at the two usual widths alone.
inline ParameterSpec wide_block_parameter() {
  ParameterSpec block = block_parameter();
  block.choices = {std::int64_t{16}, std::int64_t{32}};
  block.default_value = std::int64_t{32};
  return block;
}

/// `kernel_for` takes the block, one of BLOCKS, as a std::integral_constant and returns the kernel
/// compiled for it.
template <int... BLOCKS, typename KernelFor>
LaunchPlan square_plan_among(const Parameters& parameters, KernelFor kernel_for) {
  const std::int64_t block = integer(parameters, "block");
  LaunchPlan plan;
  const auto take = [&](auto side) {
    constexpr int kBlock = decltype(side)::value;
    plan = {kernel_for(side), dim3(kBlock, kBlock), kBlock, kBlock};
    return true;
  };
  if (((block == BLOCKS && take(std::integral_constant<int, BLOCKS>{})) || ...)) return plan;
  throw std::invalid_argument("block = " + std::to_string(block) + " is not among" +
                              ((" " + std::to_string(BLOCKS)) + ...));
}
template <typename KernelFor>
LaunchPlan square_plan(const Parameters& parameters, KernelFor kernel_for) {
  return square_plan_among<4, 8, 16, 32>(parameters, kernel_for);
}
template <typename KernelFor>
LaunchPlan wide_square_plan(const Parameters& parameters, KernelFor kernel_for) {
  return square_plan_among<16, 32>(parameters, kernel_for);
}

}  // namespace gemmlab::gpu
