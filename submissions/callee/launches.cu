// What a submission has launched: noted by the shim that the build step links in, described by the CUDA
// runtime library that the submission itself is linked with.

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdio>
#include <vector>

#include "gpu/device/check.h"
#include "submissions/callee/launches.h"

namespace gemmlab::submissions {
namespace {

/// A launch as the build step's shim notes it down; the same layout stands there.
struct Launch {
  const void* kernel;
  unsigned grid[3];
  unsigned block[3];
  unsigned long long shared_bytes;
};
constexpr unsigned kLaunchesNoted = 8;

/// One launch as JSON. The submission's own runtime library is asked: ours does not know its kernels.
std::string describe(const Launch& launch, Callable& callable) {
  using Attributes = cudaError_t (*)(cudaFuncAttributes*, const void*);
  using Occupancy = cudaError_t (*)(int*, const void*, int, std::size_t);
  using Name = cudaError_t (*)(const char**, const void*);
  const auto attributes_of = reinterpret_cast<Attributes>(callable.symbol("cudaFuncGetAttributes"));
  const auto occupancy_of =
      reinterpret_cast<Occupancy>(callable.symbol("cudaOccupancyMaxActiveBlocksPerMultiprocessor"));
  const auto name_of = reinterpret_cast<Name>(callable.symbol("cudaFuncGetName"));
  cudaFuncAttributes attributes{};
  int blocks = 0;
  const char* name = nullptr;
  const unsigned threads = launch.block[0] * launch.block[1] * launch.block[2];
  if (!attributes_of || !occupancy_of || attributes_of(&attributes, launch.kernel) != cudaSuccess ||
      occupancy_of(&blocks, launch.kernel, static_cast<int>(threads), launch.shared_bytes) != cudaSuccess)
    return {};
  if (name_of != nullptr) name_of(&name, launch.kernel);
  int threads_per_sm = 1;
  int sm_count = 0;
  GEMMLAB_CUDA_CHECK(cudaDeviceGetAttribute(&threads_per_sm, cudaDevAttrMaxThreadsPerMultiProcessor, 0));
  GEMMLAB_CUDA_CHECK(cudaDeviceGetAttribute(&sm_count, cudaDevAttrMultiProcessorCount, 0));
  const double occupancy = static_cast<double>(blocks) * threads / threads_per_sm;
  std::string plain(name == nullptr ? "" : name);
  plain.erase(
      std::remove_if(plain.begin(), plain.end(), [](char c) { return c == '"' || c == '\\' || c < ' '; }),
      plain.end());
  char text[400];
  std::snprintf(
      text, sizeof text,
      "{\"kernel\": \"%.120s\", \"grid\": [%u, %u, %u], \"block\": [%u, %u, %u], \"registers\": %d, "
      "\"spill_bytes\": %zu, \"shared_bytes\": %llu, \"blocks_per_sm\": %d, \"occupancy\": %.4f, "
      "\"sm_count\": %d}",
      plain.c_str(), launch.grid[0], launch.grid[1], launch.grid[2], launch.block[0], launch.block[1],
      launch.block[2], attributes.numRegs, attributes.localSizeBytes,
      static_cast<unsigned long long>(attributes.sharedSizeBytes) + launch.shared_bytes, blocks, occupancy,
      sm_count);
  return text;
}

}  // namespace

void forget_launches(Callable& callable) {
  if (auto* count = static_cast<volatile unsigned*>(callable.symbol("gemmlab_launch_count"))) *count = 0;
}

std::string launches_of(Callable& callable) {
  constexpr std::size_t kMost = 4;
  const auto* count = static_cast<volatile unsigned*>(callable.symbol("gemmlab_launch_count"));
  const auto* launches = static_cast<const Launch*>(callable.symbol("gemmlab_launches"));
  if (count == nullptr || launches == nullptr) return "[]";
  std::vector<const void*> seen;
  std::string all;
  const unsigned noted = *count;
  for (unsigned i = 0; i < std::min(noted, kLaunchesNoted) && seen.size() < kMost; ++i) {
    if (std::find(seen.begin(), seen.end(), launches[i].kernel) != seen.end()) continue;
    seen.push_back(launches[i].kernel);
    const std::string one = describe(launches[i], callable);
    if (!one.empty()) all += (all.empty() ? "" : ", ") + one;
  }
  return "[" + all + "]";
}

}  // namespace gemmlab::submissions
