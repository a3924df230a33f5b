#include <algorithm>

#include "gpu/device/ceilings/ceilings.h"
#include "gpu/device/check.h"
#include "gpu/device/device.h"

namespace gemmlab::gpu {
namespace {

constexpr int kStreamThreads = 512;
constexpr int kStreamBlocksPerSm = 2;
constexpr int kInFlight = 8;  // 16-byte loads per thread issues before it waits: 128 KiB an SM

/// Reads `count` float4, kStreamThreads·kInFlight at a time per block; count is a multiple of that. Not __ldcs:
/// lines that are to be evicted first evict each other, and what lay in the L2 before would stay there.
__global__ void __launch_bounds__(kStreamThreads, kStreamBlocksPerSm)
    read_all(const float4* from, float* out, std::int64_t count) {
  constexpr int kTile = kStreamThreads * kInFlight;
  float sum = 0;
  for (std::int64_t tile = blockIdx.x; tile < count / kTile; tile += gridDim.x) {
    float4 values[kInFlight];
#pragma unroll
    for (int i = 0; i < kInFlight; ++i)
      values[i] = __ldcg(&from[tile * kTile + i * kStreamThreads + threadIdx.x]);
#pragma unroll
    for (int i = 0; i < kInFlight; ++i) sum += values[i].x + values[i].y + values[i].z + values[i].w;
  }
  if (sum == -1.0f) *out = sum;
}

/// Copies `count` float4 likewise.
__global__ void __launch_bounds__(kStreamThreads, kStreamBlocksPerSm)
    copy_all(const float4* from, float4* to, std::int64_t count) {
  constexpr int kTile = kStreamThreads * kInFlight;
  for (std::int64_t tile = blockIdx.x; tile < count / kTile; tile += gridDim.x) {
    float4 values[kInFlight];
#pragma unroll
    for (int i = 0; i < kInFlight; ++i)
      values[i] = __ldcg(&from[tile * kTile + i * kStreamThreads + threadIdx.x]);
#pragma unroll
    for (int i = 0; i < kInFlight; ++i)
      __stcg(&to[tile * kTile + i * kStreamThreads + threadIdx.x], values[i]);
  }
}

/// Reads `tiles` tiles `passes` times over. Every block takes its turn at every tile, so that all finish
/// together; __ldcg passes the L1 by.
__global__ void __launch_bounds__(kStreamThreads, kStreamBlocksPerSm)
    read_again(const float4* from, float* out, unsigned tiles, unsigned passes) {
  constexpr unsigned kTile = kStreamThreads * kInFlight;
  float sum = 0;
  for (unsigned turn = blockIdx.x; turn < tiles * passes; turn += gridDim.x) {
    const float4* tile = &from[static_cast<std::int64_t>(turn % tiles) * kTile];
    float4 values[kInFlight];
#pragma unroll
    for (int i = 0; i < kInFlight; ++i) values[i] = __ldcg(&tile[i * kStreamThreads + threadIdx.x]);
#pragma unroll
    for (int i = 0; i < kInFlight; ++i) sum += values[i].x + values[i].y + values[i].z + values[i].w;
  }
  if (sum == -1.0f) *out = sum;
}

/// Different numbers everywhere: zeros would draw less power than real matrices.
__global__ void scatter(float4* to, std::int64_t count) {
  const std::int64_t stride = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  for (std::int64_t i = blockIdx.x * static_cast<std::int64_t>(blockDim.x) + threadIdx.x; i < count;
       i += stride) {
    const float value = static_cast<float>(static_cast<unsigned>(i) * 2654435761u >> 8);
    to[i] = make_float4(value, value + 1, value + 2, value + 3);
  }
}

constexpr std::int64_t kTileBytes = std::int64_t{kStreamThreads} * kInFlight * sizeof(float4);

/// Device memory of whole tiles, filled.
class Sweep {
 public:
  explicit Sweep(std::int64_t bytes) : memory_(bytes) {
    scatter<<<1024, 256>>>(vectors(), bytes / static_cast<std::int64_t>(sizeof(float4)));
    GEMMLAB_CUDA_CHECK(cudaGetLastError());
  }
  float4* vectors() const { return static_cast<float4*>(memory_.data()); }

 private:
  DeviceMemory memory_;
};

/// Bytes of each of the two memory sweeps: many times the L2, within a quarter of what is free; a multiple of
/// four blocks' tiles.
std::int64_t sweep_bytes(std::int64_t l2_bytes) {
  std::size_t free = 0;
  std::size_t total = 0;
  GEMMLAB_CUDA_CHECK(cudaMemGetInfo(&free, &total));
  constexpr std::int64_t kWanted = std::int64_t{4} << 30;
  const std::int64_t most = std::max(16 * l2_bytes, static_cast<std::int64_t>(free / 4));
  return std::min(kWanted, most) / (4 * kTileBytes) * (4 * kTileBytes);
}

}  // namespace

/// Two buffers take turns, so that nothing of one is left in the L2 when its turn comes again.
std::vector<Ceiling> measure_dram(int sm_count) {
  const int blocks = sm_count * kStreamBlocksPerSm;
  const std::int64_t bytes = sweep_bytes(device_attribute(cudaDevAttrL2CacheSize));
  const Sweep sweeps[] = {Sweep(bytes), Sweep(bytes)};
  const DeviceMemory out(sizeof(float));
  const std::int64_t vectors = bytes / static_cast<std::int64_t>(sizeof(float4));
  int turn = 0;
  const auto next = [&] { return sweeps[turn++ % 2].vectors(); };
  const std::string loop =
      " MiB of two buffers by turns (nothing left in the L2), 8 16-byte loads in flight a thread";

  Limit read;
  read.what = "memory_read";
  read.level = "dram";
  read.unit = "GB/s";
  read.loop = "read of " + std::to_string(bytes >> 20) + loop;
  read.amount = vectors;
  read.units_each = sizeof(float4);
  Limit copy = read;
  copy.what = "memory_copy";
  copy.loop = "copy of " + std::to_string(bytes >> 21) + loop + ", bytes read and written";
  copy.amount = vectors / 2;  // from a buffer's first half to its second
  copy.units_each = 2.0 * sizeof(float4);
  return {
      measure(read,
              [&](std::int64_t count) { read_all<<<blocks, kStreamThreads>>>(next(), out.floats(), count); }),
      measure(copy, [&](std::int64_t count) {
        float4* const half = next();
        copy_all<<<blocks, kStreamThreads>>>(half, half + vectors / 2, count);
      })};
}

/// The L2 of a large card is in two parts, each near half of the SMs, and a line that both halves read is
/// kept in both: what is read from everywhere must fit twice.
std::vector<Ceiling> measure_l2(int sm_count) {
  const int blocks = sm_count * kStreamBlocksPerSm;
  const double l2_bytes = device_attribute(cudaDevAttrL2CacheSize);
  constexpr double kShare = 0.4;
  const auto tiles =
      static_cast<unsigned>(std::max(1.0, kShare * l2_bytes / static_cast<double>(kTileBytes)));
  const std::int64_t bytes = tiles * kTileBytes;
  const Sweep near(bytes);
  const DeviceMemory out(sizeof(float));
  constexpr std::int64_t kMoved = std::int64_t{8} << 30;  // about 1.5 ms on an H200
  Limit limit;
  limit.what = "memory_read";
  limit.level = "l2";
  limit.unit = "GB/s";
  limit.loop =
      "read of the same " + std::to_string(bytes >> 10) +
      " KiB again and again past the L1: 40 % of the L2, so that both of its parts can hold all of it";
  limit.amount = std::max<std::int64_t>(2, kMoved / bytes / 2 * 2);
  limit.units_each = static_cast<double>(bytes);
  return {measure(limit, [&](std::int64_t passes) {
    read_again<<<blocks, kStreamThreads>>>(near.vectors(), out.floats(), tiles,
                                           static_cast<unsigned>(passes));
  })};
}

}  // namespace gemmlab::gpu
