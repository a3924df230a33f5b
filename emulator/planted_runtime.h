#pragma once

// What of the emulator's runtime a library is given that a test plants in the place of one of the GPU's maker: it cannot see these
// names by itself, which are the library's of emulated rows.

#include <cuda_runtime.h>

namespace gemmlab::emulation {

struct PlantedRuntime {
  decltype(&cudaSetDevice) set_device;
  decltype(&cudaGetDevice) get_device;
  decltype(&cudaMemcpyAsync) copy;
  decltype(&cudaEventCreateWithFlags) create_event;
  decltype(&cudaEventRecord) record;
  decltype(&cudaStreamWaitEvent) wait;
  decltype(&cudaStreamSynchronize) synchronize;
  cudaError_t (*allocate)(void**, std::size_t);
  decltype(&cudaFree) release;
};

/// A planted library exports a function of this type under this name.
using TakeRuntime = void(const PlantedRuntime& runtime);
inline constexpr const char* kTakeRuntime = "gemmlab_planted_take_runtime";

/// `library` may be any that opens others by name and function (gpu::DynamicLibrary); without the function it is left alone.
template <typename Library>
void give_runtime(const Library& library) {
  const auto take = library.template function_if_there<TakeRuntime>(kTakeRuntime);
  if (take == nullptr) return;
  cudaError_t (*const allocate)(void**, std::size_t) = cudaMalloc;
  take({cudaSetDevice, cudaGetDevice, cudaMemcpyAsync, cudaEventCreateWithFlags, cudaEventRecord,
        cudaStreamWaitEvent, cudaStreamSynchronize, allocate, cudaFree});
}

}  // namespace gemmlab::emulation
