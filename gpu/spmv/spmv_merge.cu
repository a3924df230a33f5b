#include <climits>

#include "core/rounding.h"
#include "core/session_row.h"
#include "gpu/describe.h"
#include "gpu/device/device.h"
#include "gpu/device/launch.h"
#include "gpu/device/resources.h"
#include "gpu/spmv/carries.h"

namespace gemmlab::gpu {
namespace {

// y = A·x by the merge path: the ends of rows and the entries make one list, an end behind the entries of
// its row, and the list is cut into equal tiles. So a tile is the same work whether it holds one long row,
// short ones or empty ones. Three launches: the first row of each tile; the tiles; and the sums of the rows
// that tiles cut.
//
// Limit: as gpu.spmv_adaptive's, and the offsets once more from L2. Products go through shared memory: a
// thread's share of the list is not what it can load in whole lines.
// Prediction: 0.75 of the memory's roof for banded and blocks at 2^26 entries whatever the rows' length, of
// which the search and the two small launches cost about 5 µs; as fast as any other for uniform columns,
// which L2 limits; ahead of all others for a power law and for one long row; behind for matrices of under
// 10^6 entries, where three launches cost more than the product.
// Tried on an NVIDIA H200, cuSPARSE (csr1) as 1.00, geometric mean and worst of the 12 matrices of spmv's
// families: 7 items and 256 threads 0.91, 0.83; 11 and 128 0.99, 0.90; 15 and 256 1.00, 0.88; 15 and
// 128 1.03, 0.88. Longer shares per thread divide the search and the scan by more entries; smaller blocks
// wait less at their barriers. Source: Merrill, Garland, Merge-based Parallel Sparse Matrix-Vector
// Multiplication, 2016.

constexpr int kWarp = 32;
constexpr int kSearchThreads = 128;

/// How many rows end within the first `path` steps of the list. Looks first near the row at which rows of
/// equal length would end, then in ever wider stretches around it, then halves the stretch.
__device__ int rows_before(const SpmvProblem& p, std::int64_t path) {
  const auto ended = [&](std::int64_t row) { return p.offsets[row + 1] + row < path; };
  std::int64_t low = max(std::int64_t{0}, path - p.nnz);
  std::int64_t high = min(path, std::int64_t{p.m});
  const std::int64_t guess = path * p.m / (std::int64_t{p.m} + p.nnz);
  for (std::int64_t reach = 8; low < high; reach *= 8) {
    const std::int64_t from = max(low, guess - reach);
    const std::int64_t to = min(high, guess + reach);
    if (from > low && !ended(from - 1)) {
      high = from - 1;
    } else if (to < high && ended(to)) {
      low = to + 1;
    } else {
      low = from;
      high = to;
      break;
    }
  }
  while (low < high) {
    const std::int64_t middle = (low + high) / 2;
    if (ended(middle)) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return static_cast<int>(low);
}

__global__ void __launch_bounds__(kSearchThreads)
    find_tiles_kernel(const SpmvProblem p, int tile_size, int tiles, int* first_rows) {
  const int tile = blockIdx.x * kSearchThreads + threadIdx.x;
  if (tile > tiles) return;
  first_rows[tile] = rows_before(p, min(std::int64_t{tile} * tile_size, std::int64_t{p.m} + p.nnz));
}

/// A sum, and whether a row has ended since it began: what adds up to the left of an end counts no longer.
struct Open {
  float sum;
  bool ended;
};
__device__ inline Open followed_by(Open left, Open right) {
  return {right.ended ? right.sum : left.sum + right.sum, left.ended || right.ended};
}

/// The open sum of all threads before this one, and of the whole block.
template <int kThreads>
__device__ void scan(Open mine, Open& before, Open& block) {
  constexpr int kWarps = kThreads / kWarp;
  __shared__ Open warps[kWarps];
  const int lane = threadIdx.x % kWarp;
  const int warp = threadIdx.x / kWarp;
  const auto left_neighbour = [](Open open, int distance) {
    return Open{__shfl_up_sync(0xffffffffu, open.sum, distance),
                __shfl_up_sync(0xffffffffu, static_cast<int>(open.ended), distance) != 0};
  };
#pragma unroll
  for (int distance = 1; distance < kWarp; distance *= 2) {
    const Open left = left_neighbour(mine, distance);
    if (lane >= distance) mine = followed_by(left, mine);
  }
  if (lane == kWarp - 1) warps[warp] = mine;
  before = left_neighbour(mine, 1);
  if (lane == 0) before = {0, false};
  __syncthreads();
  Open warps_before = {0, false};
  block = {0, false};
#pragma unroll
  for (int i = 0; i < kWarps; ++i) {
    if (i == warp) warps_before = block;
    block = followed_by(block, warps[i]);
  }
  before = followed_by(warps_before, before);
}

/// How many of the tile's rows end in the first `path` steps of the tile; ends[i] entries of it lie before
/// the end of row i.
__device__ inline int rows_before_in_tile(const int* ends, int rows, int entries, int path) {
  int low = max(0, path - entries);
  int high = min(path, rows);
  while (low < high) {
    const int middle = (low + high) / 2;
    if (ends[middle] + middle < path) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

/// The products of a tile's entries to shared memory. Loads have no condition, the last entry stands in for
/// those behind it: with one each, the compiler waits for the first before it issues the last. Values and
/// columns are read once and marked for early eviction, so that x keeps the caches.
template <int kThreads, int kItems>
__device__ inline void multiply_entries(const SpmvProblem& p, int first, int entries, float* products) {
  int columns[kItems];
  float values[kItems];
#pragma unroll
  for (int i = 0; i < kItems; ++i) {
    const int entry = first + min(i * kThreads + static_cast<int>(threadIdx.x), entries - 1);
    columns[i] = __ldcs(p.columns + entry);
    values[i] = __ldcs(p.values + entry);
  }
#pragma unroll
  for (int i = 0; i < kItems; ++i) values[i] *= __ldg(p.x + columns[i]);
#pragma unroll
  for (int i = 0; i < kItems; ++i) {
    const int entry = i * kThreads + static_cast<int>(threadIdx.x);
    if (entry < entries) products[entry] = values[i];
  }
}

/// One tile of kThreads·kItems steps. kItems is odd: threads that read shared memory kItems apart meet
/// in no bank.
template <int kThreads, int kItems>
__global__ void __launch_bounds__(kThreads, 1024 / kThreads)
    merge_tiles_kernel(const SpmvProblem p, const int* first_rows, Carry* carries) {
  constexpr int kTile = kThreads * kItems;
  constexpr int kAhead = 2;
  __shared__ int ends[kTile + 1];  // of rows, in entries of this tile; its rest holds the products
  const std::int64_t path = std::int64_t{blockIdx.x} * kTile;
  const int steps = static_cast<int>(min(std::int64_t{kTile}, std::int64_t{p.m} + p.nnz - path));
  const int first_row = first_rows[blockIdx.x];
  const int rows = first_rows[blockIdx.x + 1] - first_row;
  const int first_entry = static_cast<int>(path - first_row);
  const int entries = steps - rows;
  float* products = reinterpret_cast<float*>(ends + rows + 1);

  // on their way while the products are; more than kAhead per thread where rows are short
  const int* tile_ends = p.offsets + first_row + 1;
  int ahead[kAhead];
#pragma unroll
  for (int i = 0; i < kAhead; ++i)
    ahead[i] = tile_ends[max(min(i * kThreads + static_cast<int>(threadIdx.x), rows - 1), 0)];
  if (entries > 0) multiply_entries<kThreads, kItems>(p, first_entry, entries, products);
#pragma unroll
  for (int i = 0; i < kAhead; ++i) {
    const int at = i * kThreads + static_cast<int>(threadIdx.x);
    if (at < rows) ends[at] = ahead[i] - first_entry;
  }
#pragma unroll 1
  for (int i = kAhead * kThreads + threadIdx.x; i < rows; i += kThreads) ends[i] = tile_ends[i] - first_entry;
  if (threadIdx.x == 0) ends[rows] = INT_MAX;  // of the row that goes on behind the tile
  __syncthreads();

  const int step = min(static_cast<int>(threadIdx.x) * kItems, steps);
  int row = rows_before_in_tile(ends, rows, entries, step);
  int entry = step - row;
  int end = ends[row];
  int closed_row = -1;  // the first that ends in this thread's share: threads before may have a part of it
  float closed = 0;
  Open open = {0, false};
#pragma unroll
  for (int i = 0; i < kItems; ++i) {
    if (step + i >= steps) break;
    if (entry < end) {
      open.sum += products[entry++];
    } else {
      if (open.ended) {
        p.y[std::int64_t{first_row} + row] = open.sum;
      } else {
        closed_row = row;
        closed = open.sum;
      }
      open = {0, true};
      end = ends[++row];
    }
  }
  Open before;
  Open block;
  scan<kThreads>(open, before, block);
  if (closed_row >= 0) p.y[std::int64_t{first_row} + closed_row] = before.sum + closed;
  if (threadIdx.x == 0) carries[blockIdx.x] = {first_row + rows, block.sum};
}

using TilesKernel = void (*)(SpmvProblem, const int*, Carry*);

struct Tiling {
  int threads;
  int items;
  TilesKernel kernel;
};
constexpr Tiling kTilings[] = {
    {128, 7, merge_tiles_kernel<128, 7>},   {128, 11, merge_tiles_kernel<128, 11>},
    {128, 15, merge_tiles_kernel<128, 15>}, {256, 7, merge_tiles_kernel<256, 7>},
    {256, 11, merge_tiles_kernel<256, 11>}, {256, 15, merge_tiles_kernel<256, 15>}};

const Tiling& tiling_of(const Parameters& parameters) {
  for (const Tiling& tiling : kTilings) {
    if (tiling.threads == integer(parameters, "block_threads") &&
        tiling.items == integer(parameters, "items"))
      return tiling;
  }
  throw std::invalid_argument("gpu.spmv_merge has no kernel for these block_threads and items");
}

class Merge : public SpmvSession {
 public:
  Merge(const Instance& instance, const Tiling& tiling)
      : SpmvSession(instance),
        tiling_(tiling),
        tiles_(static_cast<int>(ceil_div(std::int64_t{shape().m} + shape().nnz, tile()))),
        first_rows_((static_cast<std::size_t>(tiles_) + 1) * sizeof(int)),
        carries_(static_cast<std::size_t>(tiles_) * sizeof(Carry)) {}
  Facts chosen() const override { return {{"tile", std::int64_t{tile()}}, {"tiles", std::int64_t{tiles_}}}; }
  Facts resources() const override {
    return kernel_resources(reinterpret_cast<const void*>(tiling_.kernel), tiling_.threads, 0);
  }

 protected:
  void multiply(const SpmvProblem& problem) override {
    auto* first_rows = static_cast<int*>(first_rows_.data());
    auto* carries = static_cast<Carry*>(carries_.data());
    launch(find_tiles_kernel, tiles_ / kSearchThreads + 1, dim3(kSearchThreads), 0, problem, tile(), tiles_,
           first_rows);
    launch(tiling_.kernel, tiles_, dim3(tiling_.threads), 0, problem, static_cast<const int*>(first_rows),
           carries);
    add_carries(problem, tiles_, carries);
  }

 private:
  int tile() const { return tiling_.threads * tiling_.items; }

  Tiling tiling_;
  int tiles_;
  DeviceMemory first_rows_;
  DeviceMemory carries_;
};

}  // namespace

const Implementation& spmv_merge() {
  static const SpmvRow implementation(
      describe(
          {.id = "gpu.spmv_merge",
           .name = "spmv merge",
           .family = "best",
           .summary = "equal shares of the merged list of entries and ends of rows",
           .source = "Merrill, Garland, Merge-based Parallel Sparse Matrix-Vector Multiplication, 2016",
           .counterpart = "cpu.spmv_simd",
           .parameters = {choice("block_threads", "threads per block", {std::int64_t{128}, std::int64_t{256}},
                                 std::int64_t{128}, ", {block_threads} threads per block"),
                          choice("items", "entries and ends of rows per thread",
                                 {std::int64_t{7}, std::int64_t{11}, std::int64_t{15}}, std::int64_t{15},
                                 ", {items} items per thread")}}),
      [](const Instance& instance, const Parameters& parameters) -> std::unique_ptr<Session> {
        return std::make_unique<Merge>(instance, tiling_of(parameters));
      },
      2);
  return implementation;
}

}  // namespace gemmlab::gpu
