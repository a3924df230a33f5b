// CUDA's runtime on the host's side, without streams and events.

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>
#include <new>

#include "gpu/emulation/runtime/device_memory.h"
#include "gpu/emulation/runtime/limits.h"
#include "gpu/emulation/runtime/module_data.h"
#include "gpu/emulation/runtime/run.h"
#include "gpu/emulation/runtime/streams.h"

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
    {cudaErrorInvalidDevice, "cudaErrorInvalidDevice", "invalid device ordinal"},
    {cudaErrorInvalidResourceHandle, "cudaErrorInvalidResourceHandle", "invalid resource handle"},
    {cudaErrorIllegalAddress, "cudaErrorIllegalAddress", "an illegal memory access was encountered"},
    {cudaErrorLaunchOutOfResources, "cudaErrorLaunchOutOfResources",
     "too many resources requested for launch"},
    {cudaErrorLaunchTimeout, "cudaErrorLaunchTimeout", "the launch timed out and was terminated"},
    {cudaErrorMisalignedAddress, "cudaErrorMisalignedAddress", "misaligned address"},
    {cudaErrorLaunchFailure, "cudaErrorLaunchFailure", "unspecified launch failure"},
    {cudaErrorNotSupported, "cudaErrorNotSupported", "operation not supported"},
    {cudaErrorStreamCaptureUnsupported, "cudaErrorStreamCaptureUnsupported",
     "operation not permitted when stream is capturing"},
    {cudaErrorStreamCaptureInvalidated, "cudaErrorStreamCaptureInvalidated",
     "operation failed due to a previous error during capture"}};

/// Can [memory, memory + bytes) be copied to or from? Host memory is not known, and taken as it is.
bool copyable(const void* memory, std::size_t bytes) {
  if (bytes == 0) return true;
  if (device_memory().holds(memory)) return device_memory().inside(memory, bytes);
  return !is_module_data(memory) || beside_variables(memory, bytes) == nullptr;
}

cudaError_t made(void* memory, void** to) {
  if (memory == nullptr) return noted(cudaErrorMemoryAllocation);
  *to = memory;
  return cudaSuccess;
}

}  // namespace

extern "C" {

cudaError_t cudaMallocBytes(void** memory, std::size_t bytes) {
  const Lock lock(runtime_mutex());
  if (!allowed_during_captures()) return noted(cudaErrorStreamCaptureUnsupported);
  return made(device_memory().allocate(bytes, "", false), memory);
}
cudaError_t cudaMallocManagedBytes(void** memory, std::size_t bytes, unsigned) {
  const Lock lock(runtime_mutex());
  return made(device_memory().allocate(bytes, "", true), memory);
}
cudaError_t cudaMallocHostBytes(void** memory, std::size_t bytes) {
  return made(std::malloc(bytes), memory);
}
cudaError_t cudaFree(void* memory) {
  const Lock lock(runtime_mutex());
  if (memory == nullptr) return cudaSuccess;
  if (!allowed_during_captures()) return noted(cudaErrorStreamCaptureUnsupported);
  cudaDeviceSynchronize();
  return device_memory().release(memory) ? cudaSuccess : noted(cudaErrorInvalidValue);
}
cudaError_t cudaFreeHost(void* memory) {
  std::free(memory);
  return cudaSuccess;
}

cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind,
                            cudaStream_t stream) {
  const Lock lock(runtime_mutex());
  if (!copyable(to, bytes) || !copyable(from, bytes)) return noted(cudaErrorInvalidValue);
  submit(stream, [=] {
    if (run().error() == 0) std::memmove(to, from, bytes);
  });
  return static_cast<cudaError_t>(run().error());
}
cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  return cudaMemcpyAsync(to, from, bytes, kind, nullptr);
}
cudaError_t cudaMemcpy2D(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                         std::size_t width, std::size_t height, cudaMemcpyKind kind) {
  for (std::size_t row = 0; row < height; ++row) {
    const cudaError_t error = cudaMemcpy(static_cast<char*>(to) + row * to_pitch,
                                         static_cast<const char*>(from) + row * from_pitch, width, kind);
    if (error != cudaSuccess) return error;
  }
  return cudaSuccess;
}
cudaError_t cudaMemsetAsync(void* memory, int value, std::size_t bytes, cudaStream_t stream) {
  const Lock lock(runtime_mutex());
  if (!device_memory().inside(memory, bytes)) return noted(cudaErrorInvalidValue);
  submit(stream, [=] {
    if (run().error() == 0) std::memset(memory, value, bytes);
  });
  return static_cast<cudaError_t>(run().error());
}
cudaError_t cudaMemset(void* memory, int value, std::size_t bytes) {
  return cudaMemsetAsync(memory, value, bytes, nullptr);
}
cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* total) {
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

cudaError_t cudaGetDevice(int* device) {
  *device = 0;
  return cudaSuccess;
}
cudaError_t cudaSetDevice(int device) {
  return device == 0 ? cudaSuccess : noted(cudaErrorInvalidDevice);
}
cudaError_t cudaGetDeviceCount(int* count) {
  *count = 1;
  return cudaSuccess;
}
cudaError_t cudaDeviceReset() {
  const Lock lock(runtime_mutex());
  forget_work();
  for (const Allocation& each : std::vector<Allocation>(device_memory().allocations())) {
    if (each.live) device_memory().release(device_memory().address(each.at));
  }
  return cudaSuccess;
}
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr which, int) {
  static const std::map<cudaDeviceAttr, int> values = {
      {cudaDevAttrMaxThreadsPerBlock, static_cast<int>(kMostThreadsPerBlock)},
      {cudaDevAttrMaxSharedMemoryPerBlock, static_cast<int>(kStaticSharedBytes)},
      {cudaDevAttrWarpSize, 32},
      {cudaDevAttrMaxRegistersPerBlock, 65536},
      {cudaDevAttrMultiProcessorCount, kSmCount},
      {cudaDevAttrL2CacheSize, static_cast<int>(kL2Bytes)},
      {cudaDevAttrMaxThreadsPerMultiProcessor, kThreadsPerSm},
      {cudaDevAttrComputeCapabilityMajor, 9},
      {cudaDevAttrComputeCapabilityMinor, 0},
      {cudaDevAttrMaxSharedMemoryPerMultiprocessor, static_cast<int>(kSharedPerSm)},
      {cudaDevAttrMaxRegistersPerMultiprocessor, 65536},
      {cudaDevAttrMaxSharedMemoryPerBlockOptin, static_cast<int>(kMostSharedBytes)},
      {cudaDevAttrMaxBlocksPerMultiprocessor, kBlocksPerSm},
      {cudaDevAttrReservedSharedMemoryPerBlock, 1024}};
  const auto found = values.find(which);
  if (found == values.end()) return noted(cudaErrorInvalidValue);
  *value = found->second;
  return cudaSuccess;
}
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
  if (device != 0) return noted(cudaErrorInvalidDevice);
  *properties = {};
  std::strncpy(properties->name, "gemmlab emulation", sizeof properties->name - 1);
  properties->totalGlobalMem = device_memory().total();
  properties->sharedMemPerBlock = kStaticSharedBytes;
  properties->sharedMemPerBlockOptin = kMostSharedBytes;
  properties->sharedMemPerMultiprocessor = kSharedPerSm;
  properties->regsPerBlock = properties->regsPerMultiprocessor = 65536;
  properties->warpSize = 32;
  properties->maxThreadsPerBlock = static_cast<int>(kMostThreadsPerBlock);
  properties->maxThreadsPerMultiProcessor = kThreadsPerSm;
  properties->multiProcessorCount = kSmCount;
  properties->l2CacheSize = static_cast<int>(kL2Bytes);
  properties->major = 9;
  const int block[] = {kMostBlockX, kMostBlockY, kMostBlockZ};
  const int grid[] = {static_cast<int>(kMostGridX), kMostGridYZ, kMostGridYZ};
  std::memcpy(properties->maxThreadsDim, block, sizeof block);
  std::memcpy(properties->maxGridSize, grid, sizeof grid);
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
unsigned __isGlobal(const void* address) {
  return device_memory().holds(address) ? 1u : 0u;
}
