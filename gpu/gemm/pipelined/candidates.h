#pragma once

// The tiles that gpu.pipelined is compiled with. Every one costs compile time on every architecture:
// at most 12.

#include <string>
#include <vector>

namespace gemmlab::gpu {

struct PipelinedArguments;
using PipelinedKernel = void (*)(PipelinedArguments);
using ClusteredKernel = void (*)(PipelinedArguments, int splits);

/// A tile with the two kernels compiled for it.
struct PipelinedCandidate {
  std::string name;
  int BM = 0;
  int BN = 0;
  int BK = 0;
  int threads = 0;
  int stages = 0;
  int blocks_per_sm = 0;  ///< that its registers leave room for
  int shared_bytes = 0;
  PipelinedKernel kernel = nullptr;
  PipelinedKernel aligned_kernel = nullptr;  ///< where every row of B starts at a multiple of 16 bytes
  // for blocks that share a tile's steps as a cluster: see clustered.h; nullptr where there are none
  ClusteredKernel clustered = nullptr;
  ClusteredKernel aligned_clustered = nullptr;
  int clustered_bytes = 0;  ///< of shared memory
};

/// Fills in the kernels for clusters of those that have them.
void add_clustered_kernels(std::vector<PipelinedCandidate>& candidates);

std::vector<PipelinedCandidate> large_pipelined_candidates();
std::vector<PipelinedCandidate> small_pipelined_candidates();

/// All of them, in the order of their names.
const std::vector<PipelinedCandidate>& pipelined_candidates();

template <typename Tile>
PipelinedCandidate pipelined_candidate(const char* name, PipelinedKernel kernel,
                                       PipelinedKernel aligned_kernel) {
  return {name,          Tile::BM,         Tile::BN,           Tile::BK, Tile::kThreads,
          Tile::kStages, Tile::kMinBlocks, Tile::kSharedBytes, kernel,   aligned_kernel,
          nullptr,       nullptr,          0};
}

}  // namespace gemmlab::gpu
