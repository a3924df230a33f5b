#include "core/session_row.h"
#include "gpu/describe.h"
#include "gpu/gemm/tiled.h"

namespace gemmlab::gpu {
namespace {

/// What a step has; each adds one thing to the step before it.
struct Step {
  const char* name;
  bool coalesced;      ///< a warp reads global memory along rows, else down columns
  bool conflict_free;  ///< a row of Bs is one float longer than the tile is wide
  bool unrolled;
};
constexpr Step kSteps[] = {{"shared", false, false, false},
                           {"coalesced", true, false, false},
                           {"conflict_free", true, true, false},
                           {"unrolled", true, true, true}};

/// C = A·B. A (M, K), B (K, N), C (M, N), row-major float32. C is overwritten, never read.
/// One BLOCK×BLOCK tile of C per thread block, one element per thread. Bs holds B's tile transposed, so that a
/// warp reads it down a column: without the spare float all 32 reads of a step fall on one bank at BLOCK 32,
/// eight at 16. Edges are zero-filled. The published kernels are described, not printed: this is the reading
/// in which each of their names is one change.
template <int BLOCK, int STEP>
__global__ void __launch_bounds__(BLOCK* BLOCK)
    tiled_cumulative_kernel(const float* A, const float* B, float* C, int M, int N, int K) {
  constexpr Step kStep = kSteps[STEP];
  constexpr int kRowOfBs = BLOCK + (kStep.conflict_free ? 1 : 0);
  __shared__ float As[BLOCK][BLOCK];
  __shared__ float Bs[BLOCK][kRowOfBs];  // Bs[col][k]
  const int tx = threadIdx.x;
  const int ty = threadIdx.y;
  const TileCorner corner = tile_corner(N, BLOCK, BLOCK);
  // The element of each tile that this thread loads. Neighbouring threads take neighbours of a row, or
  // elements one below the other, K and N floats apart in memory.
  const int load_row = kStep.coalesced ? ty : tx;
  const int load_col = kStep.coalesced ? tx : ty;
  const int a_row = corner.row + load_row;
  const int b_col = corner.col + load_col;

  float sum = 0;
  for (int k0 = 0; k0 < K; k0 += BLOCK) {
    const int a_k = k0 + load_col;
    const int b_k = k0 + load_row;
    As[load_row][load_col] = a_row < M && a_k < K ? A[static_cast<std::int64_t>(a_row) * K + a_k] : 0;
    Bs[load_col][load_row] = b_k < K && b_col < N ? B[static_cast<std::int64_t>(b_k) * N + b_col] : 0;
    __syncthreads();

#pragma unroll(kStep.unrolled ? BLOCK : 1)
    for (int k = 0; k < BLOCK; ++k) sum += As[ty][k] * Bs[tx][k];
    // every thread must finish reading As and Bs before the next tiles overwrite them
    __syncthreads();
  }
  const int row = corner.row + ty;
  const int col = corner.col + tx;
  if (row < M && col < N) C[static_cast<std::int64_t>(row) * N + col] = sum;
}

template <int STEP>
LaunchPlan plan_of(const Parameters& parameters) {
  return wide_square_plan(
      parameters, [](auto block) -> Kernel { return tiled_cumulative_kernel<decltype(block)::value, STEP>; });
}

LaunchPlan plan(const Parameters& parameters) {
  const std::string step = text(parameters, "step");
  if (step == kSteps[0].name) return plan_of<0>(parameters);
  if (step == kSteps[1].name) return plan_of<1>(parameters);
  if (step == kSteps[2].name) return plan_of<2>(parameters);
  if (step == kSteps[3].name) return plan_of<3>(parameters);
  throw std::invalid_argument("step = " + step + " is none of gpu.tiled_cumulative");
}

ParameterSpec step_parameter() {
  std::vector<ParameterValue> names;
  for (const Step& step : kSteps) names.push_back(std::string(step.name));
  return choice(
      "step",
      "shared: tiles in shared memory; coalesced: read along rows, too; conflict_free: with a spare column, "
      "too; unrolled: the inner loop, too",
      names, names.back(), ", {step}");
}

}  // namespace

const Implementation& tiled_cumulative() {
  static const KernelImplementation implementation(
      describe({.id = "gpu.tiled_cumulative",
                .name = "tiled {block}, cumulative",
                .family = "tiles",
                .summary = "a shared-memory tile that each step improves by one thing",
                .source = "data/published/parallel-matmul-paper.csv, table 2",
                .parameters = {wide_block_parameter(), step_parameter()}}),
      plan);
  return implementation;
}

}  // namespace gemmlab::gpu
