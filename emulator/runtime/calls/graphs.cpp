// CUDA graphs as far as they are captured from one stream: its work, done again at each launch.

#include <memory>
#include <utility>

#include "emulator/runtime/calls/streams.h"
#include "emulator/runtime/run.h"

using gemmlab::emulation::GraphWork;
using gemmlab::emulation::noted;
using gemmlab::emulation::runtime_mutex;
using Lock = std::lock_guard<std::recursive_mutex>;

struct CUgraphExec_st {
  std::shared_ptr<const GraphWork> work;
};
struct CUuserObject_st {
  std::shared_ptr<void> held;
};

extern "C" {

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode) {
  const Lock lock(runtime_mutex());
  if (stream == nullptr || gemmlab::emulation::under_capture(stream))
    return noted(cudaErrorStreamCaptureUnsupported);
  stream->captured_to = new CUgraph_st{std::make_shared<GraphWork>()};
  stream->mode = mode;
  stream->spoilt = false;
  return cudaSuccess;
}
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
  const Lock lock(runtime_mutex());
  *graph = nullptr;
  if (!gemmlab::emulation::under_capture(stream)) return noted(cudaErrorInvalidValue);
  *graph = std::exchange(stream->captured_to, nullptr);
  if (!stream->spoilt) return cudaSuccess;
  delete std::exchange(*graph, nullptr);
  return noted(cudaErrorStreamCaptureInvalidated);
}
cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* status) {
  const Lock lock(runtime_mutex());
  *status = cudaStreamCaptureStatusNone;
  if (gemmlab::emulation::under_capture(stream))
    *status = stream->spoilt ? cudaStreamCaptureStatusInvalidated : cudaStreamCaptureStatusActive;
  return cudaSuccess;
}
cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, cudaStreamCaptureStatus* status,
                                     unsigned long long* id, cudaGraph_t* graph, const cudaGraphNode_t**,
                                     const cudaGraphEdgeData**, std::size_t*) {
  const Lock lock(runtime_mutex());
  cudaStreamIsCapturing(stream, status);
  if (*status != cudaStreamCaptureStatusActive) return cudaSuccess;
  if (id != nullptr) *id = reinterpret_cast<unsigned long long>(stream->captured_to);
  if (graph != nullptr) *graph = stream->captured_to;
  return cudaSuccess;
}
cudaError_t cudaGraphInstantiate(cudaGraphExec_t* executable, cudaGraph_t graph, unsigned long long) {
  *executable = new CUgraphExec_st{graph->work};
  return cudaSuccess;
}
cudaError_t cudaGraphLaunch(cudaGraphExec_t executable, cudaStream_t stream) {
  const Lock lock(runtime_mutex());
  for (const auto& node : executable->work->nodes)
    gemmlab::emulation::submit(stream, node.name, [work = executable->work, &node] { node.run(); });
  return static_cast<cudaError_t>(gemmlab::emulation::run().error());
}
cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  delete graph;
  return cudaSuccess;
}
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t executable) {
  delete executable;
  return cudaSuccess;
}
cudaError_t cudaUserObjectCreate(cudaUserObject_t* object, void* data, cudaHostFn_t destroy, unsigned,
                                 unsigned) {
  *object = new CUuserObject_st{std::shared_ptr<void>(data, destroy)};
  return cudaSuccess;
}
cudaError_t cudaGraphRetainUserObject(cudaGraph_t graph, cudaUserObject_t object, unsigned, unsigned flags) {
  if (flags != cudaGraphUserObjectMove) return noted(cudaErrorNotSupported);
  graph->work->objects.push_back(object->held);
  delete object;
  return cudaSuccess;
}
}
