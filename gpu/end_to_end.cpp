#include "gpu/end_to_end.h"

#include <chrono>
#include <cstddef>
#include <cstdint>

#include "gpu/check.h"

namespace gemmlab::gpu {
namespace {

std::size_t bytes_of(std::int64_t count) {
  return static_cast<std::size_t>(count) * sizeof(float);
}

}  // namespace

EndToEndClock::Matrices::Matrices(const EndToEnd& work)
    : a(bytes_of(work.a_count)), b(bytes_of(work.b_count)), c(bytes_of(work.c_count)) {}

bool EndToEndClock::Matrices::fit(const EndToEnd& work) const {
  return a.bytes() == bytes_of(work.a_count) && b.bytes() == bytes_of(work.b_count) &&
         c.bytes() == bytes_of(work.c_count);
}

/// A and B in, C = A·B, C out, and all of it done. Page-locked memory is copied by the card while the host
/// goes on. From ordinary memory the same call is what cudaMemcpy does: the driver copies piece by piece
/// through a page-locked buffer of its own, and the host waits.
void EndToEndClock::run(const EndToEnd& work, const Matrices& on_device) {
  const auto copy = [&](void* to, const void* from, std::int64_t count, cudaMemcpyKind kind) {
    GEMMLAB_CUDA_CHECK(cudaMemcpyAsync(to, from, bytes_of(count), kind, stream_));
  };
  copy(on_device.a.data(), work.a, work.a_count, cudaMemcpyHostToDevice);
  copy(on_device.b.data(), work.b, work.b_count, cudaMemcpyHostToDevice);
  work.multiply(on_device.a.floats(), on_device.b.floats(), on_device.c.floats());
  copy(work.c, on_device.c.data(), work.c_count, cudaMemcpyDeviceToHost);
  GEMMLAB_CUDA_CHECK(cudaStreamSynchronize(stream_));
}

double EndToEndClock::sample_s(const EndToEnd& work) {
  using Clock = std::chrono::steady_clock;
  if (!work.count_allocation && !(kept_ && kept_->fit(work))) {
    kept_.reset();  // before the new ones are taken: both may not fit at once
    kept_ = std::make_unique<Matrices>(work);
  }
  GEMMLAB_CUDA_CHECK(cudaStreamSynchronize(stream_));
  const Clock::time_point start = Clock::now();
  if (work.count_allocation) {
    const Matrices own(work);
    run(work, own);
    // the end of this block frees them, inside the clock
  } else {
    run(work, *kept_);
  }
  return std::chrono::duration<double>(Clock::now() - start).count();
}

}  // namespace gemmlab::gpu
