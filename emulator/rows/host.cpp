// What gpu/ asks of the machine, where kernels run on a CPU.

#include "gpu/device/stream.h"
#include "gpu/table.h"

namespace gemmlab::gpu {

namespace {

/// A stream of the first card's own, as on a card: work that is put into the default one by mistake does not wait for it.
cudaStream_t own_stream() {
  static const cudaStream_t stream = [] {
    int before = 0;
    cudaStream_t made = nullptr;
    cudaGetDevice(&before);
    cudaSetDevice(0);
    cudaStreamCreateWithFlags(&made, cudaStreamNonBlocking);
    cudaSetDevice(before);
    return made;
  }();
  return stream;
}

cudaStream_t chosen = nullptr;

}  // namespace

cudaStream_t current_stream() {
  return chosen != nullptr ? chosen : own_stream();
}

void use_stream(void* stream) {
  chosen = static_cast<cudaStream_t>(stream);
}

std::string unavailable() {
  return {};
}

}  // namespace gemmlab::gpu
