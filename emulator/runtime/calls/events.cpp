// Events of CUDA's runtime, and waits that are left out to see whether what they are for is found.

#include <execinfo.h>

#include <vector>

#include "emulator/exports.h"
#include "emulator/runtime/calls/devices.h"
#include "emulator/runtime/calls/streams.h"
#include "emulator/runtime/run.h"

namespace gemmlab::emulation {
namespace {

std::vector<std::uint64_t> waits;  ///< by whom in the library they were asked for
std::uint64_t without_wait = 0;    ///< the number of the one that makes nothing wait

/// What called the function that calls the runtime: such functions (CardEvent::wait_in) are called from many places.
__attribute__((noinline)) std::uint64_t place_behind_the_caller() {
  void* frames[4] = {};  // this one, the runtime's, its caller, and who called that
  if (backtrace(frames, 4) < 4) return 0;
  return place_of(frames[3]);
}

}  // namespace
}  // namespace gemmlab::emulation

using gemmlab::emulation::noted;
using Lock = std::lock_guard<std::recursive_mutex>;
using gemmlab::emulation::runtime_mutex;

extern "C" {

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned) {
  *event = new CUevent_st;
  (*event)->device = gemmlab::emulation::current_device();
  return cudaSuccess;
}
cudaError_t cudaEventCreate(cudaEvent_t* event) {
  return cudaEventCreateWithFlags(event, cudaEventDefault);
}
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  delete event;  // what waits for its moment has that
  return cudaSuccess;
}
cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  const Lock lock(runtime_mutex());
  if (event->moment) {
    gemmlab::emulation::come_to(*event->moment);
    gemmlab::emulation::behind_of_host().merge(event->moment->behind);
  }
  return static_cast<cudaError_t>(gemmlab::emulation::run().error());
}
cudaError_t cudaEventQuery(cudaEvent_t event) {
  return cudaEventSynchronize(event);
}
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t stop) {
  const Lock lock(runtime_mutex());
  const bool recorded = start->moment && start->moment->come && stop->moment && stop->moment->come;
  if (!recorded) return noted(cudaErrorInvalidResourceHandle);
  constexpr double kAccessesPerMillisecond = 1e6;
  *milliseconds = static_cast<float>(static_cast<double>(stop->moment->clock - start->moment->clock) /
                                     kAccessesPerMillisecond);
  return cudaSuccess;
}
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  namespace emulation = gemmlab::emulation;
  const Lock lock(runtime_mutex());
  if (const cudaError_t fault = emulation::stream_fault(stream, event->device); fault != cudaSuccess)
    return noted(fault);
  const auto moment = std::make_shared<emulation::Moment>();
  moment->stream = stream;
  moment->call = emulation::call_now();
  event->moment = moment;
  const auto mark = [moment, stream] {
    moment->come = true;
    moment->clock = emulation::run().tick(1);
    moment->behind = emulation::behind_of(stream);
  };
  emulation::submit(stream, "cudaEventRecord", mark);
  return cudaSuccess;
}
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
  namespace emulation = gemmlab::emulation;
  const Lock lock(runtime_mutex());
  if (!event->moment) return cudaSuccess;  // nothing to wait for
  emulation::waits.push_back(emulation::place_behind_the_caller());
  const bool left_out = emulation::waits.size() == emulation::without_wait;
  const auto wait = [moment = event->moment, stream, left_out] {
    emulation::come_to(*moment);  // also where it is left out: what order was missed is told, not suffered
    if (!left_out) emulation::behind_of(stream).merge(moment->behind);
  };
  emulation::submit(stream, "cudaStreamWaitEvent", wait);
  return cudaSuccess;
}

extern "C" {

__attribute__((visibility("default"))) void gemmlab_emulation_leave_out_wait(std::uint64_t which) {
  const Lock lock(runtime_mutex());
  gemmlab::emulation::waits.clear();
  gemmlab::emulation::without_wait = which;
}
__attribute__((visibility("default"))) std::uint64_t gemmlab_emulation_waits() {
  return gemmlab::emulation::waits.size();
}
__attribute__((visibility("default"))) std::uint64_t gemmlab_emulation_place_of_wait(std::uint64_t which) {
  return gemmlab::emulation::waits.at(which - 1);
}
}
