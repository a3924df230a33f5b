// What gpu/ asks of the machine, where kernels run on a CPU.

#include "gpu/stream.h"
#include "gpu/table.h"

namespace gemmlab::gpu {

namespace {

cudaStream_t used_stream = nullptr;

}  // namespace

/// A stream of the session's own, as on a card: work that is put into the default one by mistake does not wait for it.
cudaStream_t current_stream() {
  static const cudaStream_t stream = [] {
    cudaStream_t made = nullptr;
    cudaStreamCreateWithFlags(&made, cudaStreamNonBlocking);
    return made;
  }();
  return used_stream == nullptr ? stream : used_stream;
}

void use_stream(void* stream) {
  used_stream = static_cast<cudaStream_t>(stream);
}

std::string unavailable() {
  return {};
}

}  // namespace gemmlab::gpu
