#pragma once

// What the square-tile rungs share: their one parameter, and the way from its value to a kernel compiled for
// it.

#include <stdexcept>
#include <type_traits>

#include "core/implementation.h"
#include "gpu/session.h"

namespace gemmlab::gpu {

inline ParameterSpec block_parameter() {
  ParameterSpec block;
  block.name = "block";
  block.summary = "side of the tile that a thread block computes; it has block² threads";
  block.choices = {std::int64_t{4}, std::int64_t{8}, std::int64_t{16}, std::int64_t{32}};
  block.default_value = std::int64_t{16};
  return block;
}

/// `kernel_for` takes the block as a std::integral_constant and returns the kernel compiled for it.
template <typename KernelFor>
LaunchPlan square_plan(const Parameters& parameters, KernelFor kernel_for) {
  const auto plan = [&](auto block) -> LaunchPlan {
    constexpr int kBlock = decltype(block)::value;
    return {kernel_for(block), dim3(kBlock, kBlock), kBlock, kBlock};
  };
  switch (const std::int64_t block = integer(parameters, "block")) {
    case 4:
      return plan(std::integral_constant<int, 4>{});
    case 8:
      return plan(std::integral_constant<int, 8>{});
    case 16:
      return plan(std::integral_constant<int, 16>{});
    case 32:
      return plan(std::integral_constant<int, 32>{});
    default:
      throw std::invalid_argument("block = " + std::to_string(block) + " is not among 4, 8, 16, 32");
  }
}

}  // namespace gemmlab::gpu
