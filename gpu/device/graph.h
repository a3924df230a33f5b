#pragma once

// Calls captured as a CUDA graph, so that the launch is not what is timed.

#include <cuda_runtime.h>

#include <vector>

#include "core/backend.h"

namespace gemmlab::gpu {

/// A CUDA graph made ready to be replayed.
class Graph {
 public:
  /// Captures what `calls` put into the stream; nothing of it runs yet. A call that throws leaves the stream
  /// fit for use.
  Graph(cudaStream_t stream, const std::vector<Backend::Call>& calls);
  ~Graph() { cudaGraphExecDestroy(executable_); }
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  void launch(cudaStream_t stream);

 private:
  cudaGraphExec_t executable_ = nullptr;
  int cards_ = 1;  ///< that it runs on
};

}  // namespace gemmlab::gpu
