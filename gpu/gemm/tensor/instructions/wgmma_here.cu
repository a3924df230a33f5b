#include <cuda_runtime.h>

#include <map>
#include <mutex>

#include "gpu/device/check.h"
#include "gpu/device/device.h"
#include "gpu/device/stream.h"
#include "gpu/gemm/tensor/instructions/wgmma_here.h"

namespace gemmlab::gpu::parts {
namespace {

__global__ void tell_architecture(int* answer) {
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
  *answer = 1;
#else
  *answer = 0;
#endif
}

bool ask() {
  const DeviceMemory answer(sizeof(int));
  tell_architecture<<<1, 1, 0, current_stream()>>>(static_cast<int*>(answer.data()));
  GEMMLAB_CUDA_CHECK(cudaGetLastError());
  int here = 0;
  GEMMLAB_CUDA_CHECK(
      cudaMemcpyAsync(&here, answer.data(), sizeof(here), cudaMemcpyDeviceToHost, current_stream()));
  GEMMLAB_CUDA_CHECK(cudaStreamSynchronize(current_stream()));
  return here == 1;
}

}  // namespace

bool wgmma_here() {
  static std::mutex mutex;
  static std::map<int, bool> answers;  // by device
  int device = 0;
  GEMMLAB_CUDA_CHECK(cudaGetDevice(&device));
  const std::lock_guard<std::mutex> lock(mutex);
  auto answer = answers.find(device);
  if (answer == answers.end()) answer = answers.emplace(device, ask()).first;
  return answer->second;
}

}  // namespace gemmlab::gpu::parts
