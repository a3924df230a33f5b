#include "gpu/gemm/multi/on_card.h"

#include <mutex>
#include <set>

#include "gpu/device/check.h"
#include "gpu/device/stream.h"
#include "gpu/table.h"

namespace gemmlab::gpu {

OnCard::OnCard(int card) {
  GEMMLAB_CUDA_CHECK(cudaGetDevice(&before_));
  GEMMLAB_CUDA_CHECK(cudaSetDevice(card));
}

CardStream::CardStream(Priority priority) {
  int usual = 0;
  int highest = 0;
  GEMMLAB_CUDA_CHECK(cudaDeviceGetStreamPriorityRange(&usual, &highest));
  GEMMLAB_CUDA_CHECK(cudaStreamCreateWithPriority(&stream_, cudaStreamNonBlocking,
                                                  priority == Priority::kHighest ? highest : usual));
}

CardEvent::CardEvent(Clock clock) {
  const unsigned flags = clock == Clock::kYes ? cudaEventDefault : cudaEventDisableTiming;
  GEMMLAB_CUDA_CHECK(cudaEventCreateWithFlags(&event_, flags));
}

void CardEvent::record(cudaStream_t stream) const {
  GEMMLAB_CUDA_CHECK(cudaEventRecord(event_, stream));
}

void CardEvent::wait_in(cudaStream_t stream) const {
  GEMMLAB_CUDA_CHECK(cudaStreamWaitEvent(stream, event_, 0));
}

double CardEvent::since_s(const CardEvent& earlier) const {
  float milliseconds = 0;
  GEMMLAB_CUDA_CHECK(cudaEventSynchronize(event_));
  GEMMLAB_CUDA_CHECK(cudaEventElapsedTime(&milliseconds, earlier.event_, event_));
  return 1e-3 * milliseconds;
}

IntoStream::IntoStream(cudaStream_t stream) : before_(current_stream()) {
  use_stream(stream);
}

IntoStream::~IntoStream() {
  use_stream(before_);
}

bool is_captured(cudaStream_t stream) {
  cudaStreamCaptureStatus capturing = cudaStreamCaptureStatusNone;
  GEMMLAB_CUDA_CHECK(cudaStreamIsCapturing(stream, &capturing));
  return capturing != cudaStreamCaptureStatusNone;
}

void copy_rows(const RowsAt<float>& to, const RowsAt<const float>& from, std::int64_t rows, std::int64_t cols,
               cudaStream_t stream) {
  if (rows == 0 || cols == 0) return;
  // plain copies find both cards by the addresses, go from card to card where peers are enabled, and can be captured
  const bool with_host = from.card == kHostMemory || to.card == kHostMemory;
  const cudaMemcpyKind kind = with_host ? cudaMemcpyDefault : cudaMemcpyDeviceToDevice;
  if (rows == 1 || (to.stride == cols && from.stride == cols)) {
    GEMMLAB_CUDA_CHECK(cudaMemcpyAsync(to.at, from.at, bytes_of(rows * cols), kind, stream));
  } else {
    GEMMLAB_CUDA_CHECK(cudaMemcpy2DAsync(to.at, bytes_of(to.stride), from.at, bytes_of(from.stride),
                                         bytes_of(cols), static_cast<std::size_t>(rows), kind, stream));
  }
}

namespace {

/// Asked once for each pair: to enable a pair again is an error to CUDA, and a checker of its calls would tell of it for each session.
void enable_peer(int card, int peer) {
  static std::mutex mutex;
  static std::set<std::pair<int, int>> enabled;
  const std::lock_guard<std::mutex> lock(mutex);
  if (enabled.count({card, peer}) > 0) return;
  const cudaError_t error = cudaDeviceEnablePeerAccess(peer, 0);
  if (error == cudaErrorPeerAccessAlreadyEnabled) {
    cudaGetLastError();  // by a library: not sticky, and the next check must not see it
  } else {
    throw_if_failed(error, "cudaDeviceEnablePeerAccess", __FILE__, __LINE__);
  }
  enabled.insert({card, peer});
}

}  // namespace

bool nvlink_joins(int card, int other) {
  // PCIe carries no atomics to another card
  int can = 0;
  GEMMLAB_CUDA_CHECK(cudaDeviceCanAccessPeer(&can, card, other));
  int atomics = 0;
  if (can != 0)
    GEMMLAB_CUDA_CHECK(cudaDeviceGetP2PAttribute(&atomics, cudaDevP2PAttrNativeAtomicSupported, card, other));
  return atomics != 0;
}

int enable_peers(int cards) {
  int pairs = 0;
  for (int card = 0; card < cards; ++card) {
    const OnCard here(card);
    for (int peer = 0; peer < cards; ++peer) {
      int can = 0;
      if (peer != card) GEMMLAB_CUDA_CHECK(cudaDeviceCanAccessPeer(&can, card, peer));
      if (can == 0) continue;
      enable_peer(card, peer);
      ++pairs;
    }
  }
  return pairs;
}

}  // namespace gemmlab::gpu
