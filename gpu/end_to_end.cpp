#include "gpu/end_to_end.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>

#include "gpu/check.h"
#include "gpu/host_memory.h"

namespace gemmlab::gpu {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

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

double EndToEndClock::with_kept_s(const EndToEnd& work) {
  if (!(kept_ && kept_->fit(work))) {
    kept_.reset();  // before the new ones are taken: both may not fit at once
    kept_ = std::make_unique<Matrices>(work);
  }
  GEMMLAB_CUDA_CHECK(cudaStreamSynchronize(stream_));
  const Clock::time_point start = Clock::now();
  run(work, *kept_);
  return seconds_since(start);
}

double EndToEndClock::with_own_s(const EndToEnd& work) {
  const Clock::time_point start = Clock::now();
  {
    const Matrices own(work);
    run(work, own);
    // the end of this block frees them, inside the clock
  }
  return seconds_since(start);
}

/// A program that multiplies once: it takes its own memory, too, and writes A and B there. The copy of C to
/// where it is looked for is not part of that program, nor of its time.
double EndToEndClock::with_host_s(const EndToEnd& work) {
  struct OnHost {
    explicit OnHost(const EndToEnd& work)
        : a(work.a_count, work.host_memory, Pages::kAtFirstWrite),
          b(work.b_count, work.host_memory, Pages::kAtFirstWrite),
          c(work.c_count, work.host_memory, Pages::kAtFirstWrite) {}
    HostBuffer a;
    HostBuffer b;
    HostBuffer c;
  };
  const Clock::time_point start = Clock::now();
  auto on_host = std::make_unique<OnHost>(work);
  std::memcpy(on_host->a.data(), work.a, bytes_of(work.a_count));
  std::memcpy(on_host->b.data(), work.b, bytes_of(work.b_count));
  EndToEnd own = work;
  own.a = on_host->a.data();
  own.b = on_host->b.data();
  own.c = on_host->c.data();
  {
    const Matrices on_device(own);
    run(own, on_device);
  }
  const double seconds = seconds_since(start);
  std::memcpy(work.c, own.c, bytes_of(work.c_count));
  const Clock::time_point giving_back = Clock::now();
  on_host.reset();
  return seconds + seconds_since(giving_back);
}

double EndToEndClock::sample_s(const EndToEnd& work) {
  GEMMLAB_CUDA_CHECK(cudaStreamSynchronize(stream_));
  switch (work.allocation) {
    case Allocation::kNotCounted:
      return with_kept_s(work);
    case Allocation::kCounted:
      return with_own_s(work);
    case Allocation::kHostToo:
      return with_host_s(work);
  }
  throw std::invalid_argument("not an allocation: " + std::to_string(static_cast<int>(work.allocation)));
}

}  // namespace gemmlab::gpu
