#include "gpu/device/graph.h"

#include "gpu/device/cards_at_work.h"
#include "gpu/device/check.h"

namespace gemmlab::gpu {

Graph::Graph(cudaStream_t stream, const std::vector<Backend::Call>& calls) {
  cudaGraph_t graph = nullptr;
  // relaxed: the first launch of a kernel loads its code, which may allocate
  GEMMLAB_CUDA_CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
  try {
    cards_at_work() = 1;
    for (const auto& call : calls) call();
    cards_ = cards_at_work();
  } catch (...) {
    // the stream must leave capture, or nothing could be put into it ever again
    cudaStreamEndCapture(stream, &graph);
    if (graph) cudaGraphDestroy(graph);
    cudaGetLastError();
    throw;
  }
  GEMMLAB_CUDA_CHECK(cudaStreamEndCapture(stream, &graph));
  const cudaError_t error = cudaGraphInstantiate(&executable_, graph, 0);
  cudaGraphDestroy(graph);
  throw_if_failed(error, "cudaGraphInstantiate", __FILE__, __LINE__);
}

void Graph::launch(cudaStream_t stream) {
  GEMMLAB_CUDA_CHECK(cudaGraphLaunch(executable_, stream));
  cards_at_work() = cards_;
}

}  // namespace gemmlab::gpu
