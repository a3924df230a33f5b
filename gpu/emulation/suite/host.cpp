// What gpu/ asks of the machine, where kernels run on a CPU.

#include "gpu/stream.h"
#include "gpu/table.h"

namespace gemmlab::gpu {

/// A stream of the session's own, as on a card: work that is put into the default one by mistake does not wait for it.
cudaStream_t current_stream() {
  static const cudaStream_t stream = [] {
    cudaStream_t made = nullptr;
    cudaStreamCreateWithFlags(&made, cudaStreamNonBlocking);
    return made;
  }();
  return stream;
}

std::string unavailable() {
  return {};
}

}  // namespace gemmlab::gpu
