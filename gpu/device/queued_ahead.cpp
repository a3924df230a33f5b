#include "gpu/device/queued_ahead.h"

#include <algorithm>
#include <cmath>

#include "gpu/device/check.h"

namespace gemmlab::gpu {
namespace {

// What the card has still to do while the host wakes up and launches; a host that other work holds up for
// longer leaves a gap, which is part of a row's time and seen there.
constexpr double kAhead_s = 50e-3;
constexpr double kFewestAhead = 2;
constexpr double kMostAhead = 64;

std::size_t rows_ahead(double seconds) {
  return static_cast<std::size_t>(
      std::clamp(std::ceil(kAhead_s / std::max(seconds, 1e-6)), kFewestAhead, kMostAhead));
}

}  // namespace

Ahead::~Ahead() {
  for (const cudaEvent_t event : marks_) cudaEventDestroy(event);
  for (const cudaEvent_t event : spare_) cudaEventDestroy(event);
}

void Ahead::mark() {
  cudaEvent_t event = nullptr;
  if (spare_.empty()) {
    GEMMLAB_CUDA_CHECK(cudaEventCreateWithFlags(&event, cudaEventBlockingSync));
  } else {
    event = spare_.back();
    spare_.pop_back();
  }
  marks_.push_back(event);
  GEMMLAB_CUDA_CHECK(cudaEventRecord(event, stream_));
}

/// Waits for the oldest row that was not told of yet.
double Ahead::oldest_s() {
  float milliseconds = 0;
  GEMMLAB_CUDA_CHECK(cudaEventSynchronize(marks_[1]));
  GEMMLAB_CUDA_CHECK(cudaEventElapsedTime(&milliseconds, marks_[0], marks_[1]));
  spare_.push_back(marks_.front());
  marks_.pop_front();
  return milliseconds * 1e-3;
}

void Ahead::run(const std::function<void()>& launch, const std::function<bool(double seconds)>& took) {
  mark();
  std::size_t ahead = rows_ahead(kAhead_s);  // until the first row tells how long one is
  for (bool more = true; more;) {
    launch();
    mark();
    if (waiting() <= ahead) continue;
    const double seconds = oldest_s();
    ahead = rows_ahead(seconds);
    more = took(seconds);
  }
  while (waiting() > 0) took(oldest_s());
}

}  // namespace gemmlab::gpu
