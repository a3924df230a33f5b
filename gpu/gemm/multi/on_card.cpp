#include "gpu/gemm/multi/on_card.h"

#include "gpu/check.h"
#include "gpu/stream.h"
#include "gpu/table.h"

namespace gemmlab::gpu {

OnCard::OnCard(int card) {
  GEMMLAB_CUDA_CHECK(cudaGetDevice(&before_));
  GEMMLAB_CUDA_CHECK(cudaSetDevice(card));
}

CardStream::CardStream() {
  GEMMLAB_CUDA_CHECK(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
}

CardEvent::CardEvent() {
  GEMMLAB_CUDA_CHECK(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming));
}

void CardEvent::record(cudaStream_t stream) const {
  GEMMLAB_CUDA_CHECK(cudaEventRecord(event_, stream));
}

void CardEvent::wait_in(cudaStream_t stream) const {
  GEMMLAB_CUDA_CHECK(cudaStreamWaitEvent(stream, event_, 0));
}

IntoStream::IntoStream(cudaStream_t stream) : before_(current_stream()) {
  use_stream(stream);
}

IntoStream::~IntoStream() {
  use_stream(before_);
}

void copy_rows(float* to, std::int64_t to_stride, int to_card, const RowsOnCard& from, std::int64_t rows,
               std::int64_t cols, cudaStream_t stream) {
  if (rows == 0 || cols == 0) return;
  const auto bytes = [](std::int64_t floats) { return sizeof(float) * static_cast<std::size_t>(floats); };
  const bool whole = rows == 1 || (to_stride == cols && from.stride == cols);
  if (whole && to_card == from.card) {
    GEMMLAB_CUDA_CHECK(cudaMemcpyAsync(to, from.at, bytes(rows * cols), cudaMemcpyDeviceToDevice, stream));
  } else if (whole) {
    GEMMLAB_CUDA_CHECK(cudaMemcpyPeerAsync(to, to_card, from.at, from.card, bytes(rows * cols), stream));
  } else if (to_card == from.card) {
    GEMMLAB_CUDA_CHECK(cudaMemcpy2DAsync(to, bytes(to_stride), from.at, bytes(from.stride), bytes(cols),
                                         static_cast<std::size_t>(rows), cudaMemcpyDeviceToDevice, stream));
  } else {
    const auto height = static_cast<std::size_t>(rows);
    cudaMemcpy3DPeerParms copy = {};
    copy.dstPtr = make_cudaPitchedPtr(to, bytes(to_stride), bytes(to_stride), height);
    copy.dstDevice = to_card;
    copy.srcPtr =
        make_cudaPitchedPtr(const_cast<float*>(from.at), bytes(from.stride), bytes(from.stride), height);
    copy.srcDevice = from.card;
    copy.extent = make_cudaExtent(bytes(cols), height, 1);
    GEMMLAB_CUDA_CHECK(cudaMemcpy3DPeerAsync(&copy, stream));
  }
}

int enable_peers(int cards) {
  int pairs = 0;
  for (int card = 0; card < cards; ++card) {
    const OnCard here(card);
    for (int peer = 0; peer < cards; ++peer) {
      int can = 0;
      if (peer != card) GEMMLAB_CUDA_CHECK(cudaDeviceCanAccessPeer(&can, card, peer));
      if (can == 0) continue;
      const cudaError_t error = cudaDeviceEnablePeerAccess(peer, 0);
      if (error == cudaErrorPeerAccessAlreadyEnabled) {
        cudaGetLastError();  // an earlier session's: not sticky, and the next check must not see it
      } else {
        throw_if_failed(error, "cudaDeviceEnablePeerAccess", __FILE__, __LINE__);
      }
      ++pairs;
    }
  }
  return pairs;
}

}  // namespace gemmlab::gpu
