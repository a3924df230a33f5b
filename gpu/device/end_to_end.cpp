#include "gpu/device/end_to_end.h"

#include <chrono>
#include <cstddef>
#include <cstring>
#include <stdexcept>
#include <string>
#include <utility>

#include "core/timing/elapsed.h"
#include "gpu/device/check.h"
#include "gpu/device/host_memory.h"

namespace gemmlab::gpu {
namespace {

using Clock = std::chrono::steady_clock;

std::size_t size_of(const EndToEnd::Operand& operand) {
  return static_cast<std::size_t>(operand.bytes);
}

}  // namespace

EndToEndClock::OnDevice::OnDevice(const EndToEnd& work) {
  std::vector<void*> at;
  for (const EndToEnd::Operand& operand : work.operands) {
    memory_.push_back(std::make_unique<DeviceMemory>(size_of(operand)));
    at.push_back(memory_.back()->data());
  }
  operands_ = Operands(std::move(at));
}

bool EndToEndClock::OnDevice::fit(const EndToEnd& work) const {
  if (memory_.size() != work.operands.size()) return false;
  for (std::size_t i = 0; i < memory_.size(); ++i) {
    if (memory_[i]->bytes() != size_of(work.operands[i])) return false;
  }
  return true;
}

/// Inputs in, the call, outputs out, and all of it done. Page-locked memory is copied by the card while the
/// host goes on. From ordinary memory the same call is what cudaMemcpy does: the driver copies piece by piece
/// through a page-locked buffer of its own, and the host waits.
void EndToEndClock::run(const EndToEnd& work, const OnDevice& on_device) {
  const Operands& operands = on_device.operands();
  for (std::size_t i = 0; i < work.operands.size(); ++i) {
    const EndToEnd::Operand& operand = work.operands[i];
    if (operand.direction == Direction::kOut) continue;
    GEMMLAB_CUDA_CHECK(
        cudaMemcpyAsync(operands.at(i), operand.host, size_of(operand), cudaMemcpyHostToDevice, stream_));
  }
  work.run(operands);
  for (std::size_t i = 0; i < work.operands.size(); ++i) {
    const EndToEnd::Operand& operand = work.operands[i];
    if (operand.direction == Direction::kIn) continue;
    GEMMLAB_CUDA_CHECK(
        cudaMemcpyAsync(operand.host, operands.at(i), size_of(operand), cudaMemcpyDeviceToHost, stream_));
  }
  GEMMLAB_CUDA_CHECK(cudaStreamSynchronize(stream_));
}

double EndToEndClock::with_kept_s(const EndToEnd& work) {
  if (!(kept_ && kept_->fit(work))) {
    kept_.reset();  // before the new ones are taken: both may not fit at once
    kept_ = std::make_unique<OnDevice>(work);
  }
  GEMMLAB_CUDA_CHECK(cudaStreamSynchronize(stream_));
  const Clock::time_point start = Clock::now();
  run(work, *kept_);
  return seconds_since(start);
}

double EndToEndClock::with_own_s(const EndToEnd& work) {
  const Clock::time_point start = Clock::now();
  {
    const OnDevice own(work);
    run(work, own);
    // the end of this block frees them, inside the clock
  }
  return seconds_since(start);
}

/// A program that computes once: it takes its own memory, too, and writes the inputs there. The copy of the
/// outputs to where they are looked for is not part of that program, nor of its time.
double EndToEndClock::with_host_s(const EndToEnd& work) {
  std::vector<std::unique_ptr<HostBuffer>> on_host;
  on_host.reserve(work.operands.size());
  EndToEnd own = work;
  const Clock::time_point start = Clock::now();
  for (EndToEnd::Operand& operand : own.operands) {
    on_host.push_back(std::make_unique<HostBuffer>(operand.bytes, work.host_memory, Pages::kAtFirstWrite));
    if (operand.direction != Direction::kOut)
      std::memcpy(on_host.back()->data(), operand.host, size_of(operand));
    operand.host = on_host.back()->data();
  }
  {
    const OnDevice on_device(own);
    run(own, on_device);
  }
  const double seconds = seconds_since(start);
  for (std::size_t i = 0; i < own.operands.size(); ++i) {
    if (own.operands[i].direction != Direction::kIn)
      std::memcpy(work.operands[i].host, own.operands[i].host, size_of(own.operands[i]));
  }
  const Clock::time_point giving_back = Clock::now();
  on_host.clear();
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
