// CUDA's runtime on the host's side: memory, errors, what is known of a kernel. Not here: devices, copies, streams, events.

#include <execinfo.h>

#include <algorithm>
#include <cstdlib>
#include <new>

#include "emulator/runtime/calls/device_memory.h"
#include "emulator/runtime/calls/devices.h"
#include "emulator/runtime/calls/streams.h"
#include "emulator/runtime/limits.h"
#include "emulator/runtime/run.h"
#include "emulator/runtime/shared_memory.h"

using namespace gemmlab::emulation;

namespace {

using Lock = std::lock_guard<std::recursive_mutex>;

struct ErrorName {
  cudaError_t error;
  const char* name;
  const char* text;
};
constexpr ErrorName kErrors[] = {
    {cudaSuccess, "cudaSuccess", "no error"},
    {cudaErrorInvalidValue, "cudaErrorInvalidValue", "invalid argument"},
    {cudaErrorMemoryAllocation, "cudaErrorMemoryAllocation", "out of memory"},
    {cudaErrorInvalidConfiguration, "cudaErrorInvalidConfiguration", "invalid configuration argument"},
    {cudaErrorInvalidDevicePointer, "cudaErrorInvalidDevicePointer", "invalid device pointer"},
    {cudaErrorLaunchPendingCountExceeded, "cudaErrorLaunchPendingCountExceeded",
     "more launches by kernels are pending than cudaLimitDevRuntimePendingLaunchCount says"},
    {cudaErrorInvalidDevice, "cudaErrorInvalidDevice", "invalid device ordinal"},
    {cudaErrorInvalidResourceHandle, "cudaErrorInvalidResourceHandle", "invalid resource handle"},
    {cudaErrorIllegalAddress, "cudaErrorIllegalAddress", "an illegal memory access was encountered"},
    {cudaErrorLaunchOutOfResources, "cudaErrorLaunchOutOfResources",
     "too many resources requested for launch"},
    {cudaErrorLaunchTimeout, "cudaErrorLaunchTimeout", "the launch timed out and was terminated"},
    {cudaErrorMisalignedAddress, "cudaErrorMisalignedAddress", "misaligned address"},
    {cudaErrorCooperativeLaunchTooLarge, "cudaErrorCooperativeLaunchTooLarge",
     "too many blocks in cooperative launch"},
    {cudaErrorLaunchFailure, "cudaErrorLaunchFailure", "unspecified launch failure"},
    {cudaErrorPeerAccessAlreadyEnabled, "cudaErrorPeerAccessAlreadyEnabled",
     "peer access is already enabled"},
    {cudaErrorPeerAccessNotEnabled, "cudaErrorPeerAccessNotEnabled", "peer access has not been enabled"},
    {cudaErrorNotSupported, "cudaErrorNotSupported", "operation not supported"},
    {cudaErrorStreamCaptureUnsupported, "cudaErrorStreamCaptureUnsupported",
     "operation not permitted when stream is capturing"},
    {cudaErrorStreamCaptureInvalidated, "cudaErrorStreamCaptureInvalidated",
     "operation failed due to a previous error during capture"},
    {cudaErrorInvalidClusterSize, "cudaErrorInvalidClusterSize", "invalid cluster size"}};

/// Told only as what may be behind a wrong result: code may go on without the memory.
__attribute__((noinline)) void tell_refused(std::size_t bytes) {
  // this function, made(), the runtime's, what notes refusals for the judge, and who called that
  constexpr int kFrames = 5;
  void* frames[kFrames] = {};
  const bool known = backtrace(frames, kFrames) == kFrames;
  const DeviceMemory& memory = device_memory();
  const auto& all = memory.allocations();
  const auto held = std::count_if(all.begin(), all.end(), [](const Allocation& one) { return one.live; });
  Finding finding;
  finding.kind = "out-of-memory";
  finding.place = known ? place_of(frames[4]) : 0;
  finding.text = "Device memory was refused" + (known ? " at " + place_text(finding.place) : std::string()) +
                 ": " + std::to_string(bytes) + " bytes more, where " + std::to_string(held) +
                 " allocations that nobody has freed hold " + std::to_string(memory.used() >> 20) + " of " +
                 std::to_string(memory.total() >> 20) + " MiB.";
  run().findings().add(std::move(finding));
}

__attribute__((noinline)) cudaError_t made(void* memory, void** to, std::size_t bytes) {
  if (memory == nullptr) {
    tell_refused(bytes);
    return noted(cudaErrorMemoryAllocation);
  }
  *to = memory;
  return cudaSuccess;
}

}  // namespace

extern "C" {

cudaError_t cudaMallocBytes(void** memory, std::size_t bytes) {
  const Lock lock(runtime_mutex());
  if (!allowed_during_captures()) return noted(cudaErrorStreamCaptureUnsupported);
  return made(device_memory().allocate(bytes, "", false, current_device()), memory, bytes);
}
cudaError_t cudaMallocManagedBytes(void** memory, std::size_t bytes, unsigned) {
  const Lock lock(runtime_mutex());
  return made(device_memory().allocate(bytes, "", true, current_device()), memory, bytes);
}
cudaError_t cudaMallocHostBytes(void** memory, std::size_t bytes) {
  const Lock lock(runtime_mutex());
  return made(device_memory().allocate(bytes, "pinned memory", true, current_device()), memory, bytes);
}
cudaError_t cudaFree(void* memory) {
  const Lock lock(runtime_mutex());
  if (memory == nullptr) return cudaSuccess;
  if (!allowed_during_captures()) return noted(cudaErrorStreamCaptureUnsupported);
  wait_for_all();
  return device_memory().release(memory) ? cudaSuccess : noted(cudaErrorInvalidValue);
}
cudaError_t cudaFreeHost(void* memory) {
  if (memory == nullptr) return cudaSuccess;
  const Lock lock(runtime_mutex());
  wait_for_all();
  return device_memory().release(memory) ? cudaSuccess : noted(cudaErrorInvalidValue);
}

cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* total) {
  const Lock lock(runtime_mutex());
  *total = device_memory().total();
  *free = *total - device_memory().used();
  return cudaSuccess;
}

cudaError_t cudaGetLastError() {
  return take_error(false);
}
cudaError_t cudaPeekAtLastError() {
  return take_error(true);
}
const char* cudaGetErrorString(cudaError_t error) {
  for (const ErrorName& each : kErrors) {
    if (each.error == error) return each.text;
  }
  return "unrecognized error code";
}
const char* cudaGetErrorName(cudaError_t error) {
  for (const ErrorName& each : kErrors) {
    if (each.error == error) return each.name;
  }
  return "cudaErrorUnknown";
}

cudaError_t cudaDeviceReset() {
  const Lock lock(runtime_mutex());
  forget_work();
  forget_peers();
  for (const Allocation& each : std::vector<Allocation>(device_memory().allocations())) {
    if (each.live) device_memory().release(device_memory().address(each.at));
  }
  return cudaSuccess;
}
cudaError_t cudaRuntimeGetVersion(int* version) {
  *version = 13000;
  return cudaSuccess;
}
cudaError_t cudaDriverGetVersion(int* version) {
  return cudaRuntimeGetVersion(version);
}
}

namespace gemmlab::emulation {

// Registers and code are a compiler's for the card: not known here.
cudaError_t function_attributes(cudaFuncAttributes* attributes, const void*) {
  *attributes = {};
  attributes->maxThreadsPerBlock = static_cast<int>(kMostThreadsPerBlock);
  attributes->maxDynamicSharedSizeBytes = static_cast<int>(kStaticSharedBytes);
  return cudaSuccess;
}

cudaError_t allow_dynamic_shared(const void*, int bytes) {
  const Lock lock(runtime_mutex());
  if (bytes < 0 || static_cast<std::uint64_t>(bytes) > kMostSharedBytes) return noted(cudaErrorInvalidValue);
  most_dynamic_shared() = std::max(most_dynamic_shared(), static_cast<std::uint64_t>(bytes));
  return cudaSuccess;
}

cudaError_t most_blocks_per_sm(int* blocks, const void*, int threads, std::size_t shared_bytes) {
  if (threads < 1 || threads > static_cast<int>(kMostThreadsPerBlock)) return noted(cudaErrorInvalidValue);
  const int warps = (threads + 31) / 32;
  *blocks = std::min(kBlocksPerSm, kThreadsPerSm / (32 * warps));
  if (shared_bytes > 0) *blocks = std::min(*blocks, static_cast<int>(kSharedPerSm / (shared_bytes + 1024)));
  return cudaSuccess;
}

}  // namespace gemmlab::emulation

long long clock64() {
  // a kernel that only waits for the clock is not kept waiting: each look in a row lets more time pass
  static std::uint64_t last = 0, step = 1;
  const std::uint64_t now = run().tick(0);
  step = now == last ? std::min<std::uint64_t>(2 * step, 1u << 30) : 1;
  last = run().tick(step);
  return static_cast<long long>(last);
}
unsigned long long __globaltimer() {
  return static_cast<unsigned long long>(clock64());
}
void __nanosleep(unsigned nanoseconds) {
  run().tick(nanoseconds);
  if (current != nullptr) leave();
}
void __trap() {
  Finding finding;
  finding.kind = "trap";
  finding.place = place_of(__builtin_return_address(0));
  finding.text = "The kernel stops itself by __trap at " + place_text(finding.place) + ".";
  if (current != nullptr) run().end_kernel(std::move(finding), cudaErrorLaunchFailure);
  std::abort();
}
unsigned __isShared(const void* address) {
  return shared_memory().holds(address) ? 1u : 0u;
}
unsigned __isGlobal(const void* address) {
  return device_memory().holds(address) ? 1u : 0u;
}
