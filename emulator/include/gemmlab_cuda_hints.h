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
/// All memory is of one pool, which keeps nothing.
struct CUmemPoolHandle_st;
using cudaMemPool_t = CUmemPoolHandle_st*;
enum cudaMemPoolAttr {
  cudaMemPoolReuseFollowEventDependencies = 1,
  cudaMemPoolReuseAllowOpportunistic,
  cudaMemPoolReuseAllowInternalDependencies,
  cudaMemPoolAttrReleaseThreshold
};
inline cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* pool, int) {
  *pool = nullptr;
  return cudaSuccess;
}
inline cudaError_t cudaDeviceGetMemPool(cudaMemPool_t* pool, int device) {
  return cudaDeviceGetDefaultMemPool(pool, device);
}
inline cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t, cudaMemPoolAttr, void*) {
  return cudaSuccess;
}
inline cudaError_t cudaMemPoolTrimTo(cudaMemPool_t, std::size_t) {
  return cudaSuccess;
}
template <typename T>
cudaError_t cudaMallocFromPoolAsync(T** memory, std::size_t bytes, cudaMemPool_t, cudaStream_t stream) {
  return cudaMallocAsync(memory, bytes, stream);
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

template <typename... Parameters>
void launch_by_arguments(void (*kernel)(Parameters...), const Configuration& configuration,
                         void** arguments) {
  launch_kernel({configuration.line, ""}, configuration,
                arguments_of<Parameters...>(arguments, std::index_sequence_for<Parameters...>()),
                [kernel](auto&... each) { kernel(each...); });
}

inline Configuration launched_in(int line, dim3 grid, dim3 block, std::size_t shared_bytes,
                                 cudaStream_t stream, bool cooperative = false) {
  Configuration made(grid, block, shared_bytes, stream);
  made.line = line;
  made.cooperative = cooperative;
  return made;
}

/// How to launch a kernel that is known by its address alone.
using LaunchByAddress = void (*)(const void* kernel, const Configuration& configuration, void** arguments);
void note_kernel(const void* kernel, LaunchByAddress launch);
/// cudaErrorInvalidDeviceFunction for an address that was never noted.
cudaError_t launch_by_address(const void* kernel, const Configuration& configuration, void** arguments);

/// `AsPointer<void*>() ->* x` is x as a void*; of a kernel it is noted what it takes.
template <typename To>
struct AsPointer {
  template <typename T>
  To operator->*(T* from) const {
    return (To)from;
  }
  template <typename T>
  To operator->*(const T& from) const {
    return (To)from;
  }
  template <typename... Parameters>
  To operator->*(void (*kernel)(Parameters...)) const {
    const auto* address = reinterpret_cast<const void*>(kernel);
    note_kernel(address, [](const void* known, const Configuration& configuration, void** arguments) {
      launch_by_arguments(reinterpret_cast<void (*)(Parameters...)>(const_cast<void*>(known)), configuration,
                          arguments);
    });
    return const_cast<To>(address);
  }
};

}  // namespace gemmlab::emulation

template <typename... Parameters>
cudaError_t cudaLaunchKernel(void (*kernel)(Parameters...), dim3 grid, dim3 block, void** arguments,
                             std::size_t shared_bytes = 0, cudaStream_t stream = nullptr,
                             int line = __builtin_LINE()) {
  using namespace gemmlab::emulation;
  launch_by_arguments(kernel, launched_in(line, grid, block, shared_bytes, stream), arguments);
  return cudaPeekAtLastError();
}
inline cudaError_t cudaLaunchKernel(const void* kernel, dim3 grid, dim3 block, void** arguments,
                                    std::size_t shared_bytes = 0, cudaStream_t stream = nullptr,
                                    int line = __builtin_LINE()) {
  using namespace gemmlab::emulation;
  return launch_by_address(kernel, launched_in(line, grid, block, shared_bytes, stream), arguments);
}
template <typename... Parameters>
cudaError_t cudaLaunchCooperativeKernel(void (*kernel)(Parameters...), dim3 grid, dim3 block,
                                        void** arguments, std::size_t shared_bytes = 0,
                                        cudaStream_t stream = nullptr, int line = __builtin_LINE()) {
  using namespace gemmlab::emulation;
  launch_by_arguments(kernel, launched_in(line, grid, block, shared_bytes, stream, true), arguments);
  return cudaPeekAtLastError();
}
inline cudaError_t cudaLaunchCooperativeKernel(const void* kernel, dim3 grid, dim3 block, void** arguments,
                                               std::size_t shared_bytes = 0, cudaStream_t stream = nullptr,
                                               int line = __builtin_LINE()) {
  using namespace gemmlab::emulation;
  return launch_by_address(kernel, launched_in(line, grid, block, shared_bytes, stream, true), arguments);
}
inline cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* config, const void* kernel, void** arguments,
                                       int line = __builtin_LINE()) {
  using namespace gemmlab::emulation;
  return launch_by_address(kernel, configuration_of(*config, line), arguments);
}

enum cudaDriverEntryPointQueryResult {
  cudaDriverEntryPointSuccess,
  cudaDriverEntryPointSymbolNotFound,
  cudaDriverEntryPointVersionNotSufficent
};
constexpr unsigned long long cudaEnableDefault = 0;
/// cuTensorMapEncodeTiled alone.
cudaError_t cudaGetDriverEntryPoint(const char* symbol, void** function, unsigned long long flags,
                                    cudaDriverEntryPointQueryResult* found = nullptr);
inline cudaError_t cudaGetDriverEntryPointByVersion(const char* symbol, void** function, unsigned,
                                                    unsigned long long flags,
                                                    cudaDriverEntryPointQueryResult* found = nullptr) {
  return cudaGetDriverEntryPoint(symbol, function, flags, found);
}
