#pragma once

// Calls of CUDA's runtime that ask for speed and change no result, and launches by an array of arguments.

#include <utility>

#include "gemmlab_cuda_api.h"

enum cudaMemoryAdvise {
  cudaMemAdviseSetReadMostly = 1,
  cudaMemAdviseUnsetReadMostly,
  cudaMemAdviseSetPreferredLocation,
  cudaMemAdviseUnsetPreferredLocation,
  cudaMemAdviseSetAccessedBy,
  cudaMemAdviseUnsetAccessedBy
};
enum cudaLimit { cudaLimitStackSize, cudaLimitPrintfFifoSize, cudaLimitMallocHeapSize };
enum cudaMemLocationType { cudaMemLocationTypeInvalid, cudaMemLocationTypeDevice, cudaMemLocationTypeHost };
struct cudaMemLocation {
  cudaMemLocationType type;
  int id;
};
constexpr int cudaCpuDeviceId = -1;

// As up to CUDA 12, and as from CUDA 13 on.
inline cudaError_t cudaMemPrefetchAsync(const void*, std::size_t, int, cudaStream_t = nullptr) {
  return cudaSuccess;
}
inline cudaError_t cudaMemPrefetchAsync(const void*, std::size_t, cudaMemLocation, unsigned,
                                        cudaStream_t = nullptr) {
  return cudaSuccess;
}
inline cudaError_t cudaMemAdvise(const void*, std::size_t, cudaMemoryAdvise, int) {
  return cudaSuccess;
}
inline cudaError_t cudaMemAdvise(const void*, std::size_t, cudaMemoryAdvise, cudaMemLocation) {
  return cudaSuccess;
}
inline cudaError_t cudaDeviceSetLimit(cudaLimit, std::size_t) {
  return cudaSuccess;
}
inline cudaError_t cudaProfilerStart() {
  return cudaSuccess;
}
inline cudaError_t cudaProfilerStop() {
  return cudaSuccess;
}
inline cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int) {
  return cudaStreamCreateWithFlags(stream, flags);
}
inline cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  *least = *greatest = 0;
  return cudaSuccess;
}

/// The largest block that the device takes: what a kernel needs of registers is not known here.
template <typename Kernel>
cudaError_t cudaOccupancyMaxPotentialBlockSize(int* least_blocks, int* threads, Kernel kernel,
                                               std::size_t shared_bytes = 0, int most_threads = 0) {
  int multiprocessors = 0;
  int blocks = 0;
  cudaError_t error = cudaDeviceGetAttribute(threads, cudaDevAttrMaxThreadsPerBlock, 0);
  if (error == cudaSuccess && most_threads > 0 && most_threads < *threads) *threads = most_threads;
  if (error == cudaSuccess)
    error = cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0);
  if (error == cudaSuccess) {
    error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, *threads, shared_bytes);
  }
  *least_blocks = multiprocessors * blocks;
  return error;
}

namespace gemmlab::emulation {

template <typename... Parameters, std::size_t... INDEX>
std::tuple<Parameters...> arguments_of(void** arguments, std::index_sequence<INDEX...>) {
  return std::tuple<Parameters...>(*static_cast<std::remove_reference_t<Parameters>*>(arguments[INDEX])...);
}

}  // namespace gemmlab::emulation

/// The kernel by its name: a kernel that was cast to void* has lost its parameters.
template <typename... Parameters>
cudaError_t cudaLaunchKernel(void (*kernel)(Parameters...), dim3 grid, dim3 block, void** arguments,
                             std::size_t shared_bytes = 0, cudaStream_t stream = nullptr) {
  using namespace gemmlab::emulation;
  launch_kernel({0, ""}, Configuration(grid, block, shared_bytes, stream),
                arguments_of<Parameters...>(arguments, std::index_sequence_for<Parameters...>()),
                [kernel](auto&... each) { kernel(each...); });
  return cudaPeekAtLastError();
}
