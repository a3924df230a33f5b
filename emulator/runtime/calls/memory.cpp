// gemmlab_cuda_memory.h: limits, a kernel's heap, textures, surfaces.

#include <algorithm>
#include <cstring>
#include <map>

#include "emulator/include/cuda_runtime.h"
#include "emulator/runtime/calls/device_memory.h"
#include "emulator/runtime/calls/devices.h"
#include "emulator/runtime/calls/kernel_heap.h"
#include "emulator/runtime/calls/streams.h"
#include "emulator/runtime/checks/check.h"
#include "emulator/runtime/checks/global_races.h"
#include "emulator/runtime/checks/wording.h"
#include "emulator/runtime/run.h"

namespace gemmlab::emulation {
namespace {

using Lock = std::lock_guard<std::recursive_mutex>;

std::map<cudaLimit, std::size_t>& limits() {
  static std::map<cudaLimit, std::size_t> all = {{cudaLimitStackSize, 1024},
                                                 {cudaLimitPrintfFifoSize, 8 << 20},
                                                 {cudaLimitMallocHeapSize, 8 << 20},
                                                 {cudaLimitDevRuntimePendingLaunchCount, 2048}};
  return all;
}

/// Memory that kernels have taken by malloc, each piece with bounds of its own. What was freed is handed out again, by size.
class KernelHeap {
 public:
  void* take(std::size_t bytes) {
    if (bytes == 0 || used_ + bytes > limits()[cudaLimitMallocHeapSize]) return nullptr;
    const std::size_t pages = (bytes + DeviceMemory::kPage - 1) / DeviceMemory::kPage;
    std::vector<void*>& spare = spare_[pages];
    void* made = nullptr;
    if (!spare.empty()) {
      made = spare.back();
      spare.pop_back();
      device_memory().revive(made, bytes);
      global_races().forget(device_memory().offset(made), bytes);
    } else {
      made =
          device_memory().allocate(bytes, "memory of a kernel's malloc", false, run().launch_now()->device);
    }
    if (made == nullptr) return nullptr;
    used_ += bytes;
    bytes_[made] = bytes;
    return made;
  }
  bool holds(const void* memory) const { return bytes_.count(const_cast<void*>(memory)) > 0; }
  bool give(void* memory) {
    const auto found = bytes_.find(memory);
    if (found == bytes_.end()) return false;
    used_ -= found->second;
    const std::size_t pages = (found->second + DeviceMemory::kPage - 1) / DeviceMemory::kPage;
    bytes_.erase(found);
    device_memory().retire(memory);
    spare_[pages].push_back(memory);
    return true;
  }
  void clear() {
    for (const auto& [memory, bytes] : bytes_) device_memory().release(memory);
    for (const auto& [pages, all] : spare_) {
      for (void* each : all) {
        device_memory().revive(each, 1);
        device_memory().release(each);
      }
    }
    bytes_.clear();
    spare_.clear();
    used_ = 0;
  }

 private:
  std::size_t used_ = 0;
  std::map<void*, std::size_t> bytes_;
  std::map<std::size_t, std::vector<void*>> spare_;
};

KernelHeap& heap() {
  static auto* const one = new KernelHeap;
  return *one;
}

/// A texture or a surface: rows of elements.
struct Texture {
  char* at;
  std::size_t pitch, width, height, bytes;
  bool clamps;
};

std::size_t bytes_of(const cudaChannelFormatDesc& desc) {
  return static_cast<std::size_t>(desc.x + desc.y + desc.z + desc.w) / 8;
}

}  // namespace

std::size_t most_pending_launches() {
  return limits()[cudaLimitDevRuntimePendingLaunchCount];
}

void clear_kernel_heap() {
  heap().clear();
}

void* allocate_here(std::size_t bytes) {
  return current == nullptr ? std::malloc(bytes) : heap().take(bytes);
}
void free_here(void* memory) {
  if (memory == nullptr) return;
  if (current == nullptr) return std::free(memory);
  if (heap().give(memory)) return;
  current->place = place_of(__builtin_return_address(0));
  Finding finding;
  finding.kind = "invalid-free";
  finding.place = current->place;
  finding.text = "At " + place_text(current->place) +
                 " a kernel frees what its malloc has not given, or what is free already.";
  run().end_kernel(std::move(finding), cudaErrorIllegalAddress);
}

void packing(bool begins) {
  if (current != nullptr) current->packs = begins;
}

bool is_of_kernel_heap(const void* memory) {
  return heap().holds(memory);
}

bool is_cooperative() {
  return current != nullptr && run().launch_now()->cooperative;
}

namespace {
unsigned* grid_words = nullptr;
}

void free_grid_barrier() {
  if (grid_words != nullptr) device_memory().release(grid_words);
  grid_words = nullptr;
}

volatile unsigned* grid_barrier(const void* place) {
  current->place = place_of(place);
  if (!is_cooperative()) {
    Finding finding;
    finding.kind = "not-cooperative";
    finding.place = current->place;
    finding.text =
        "At " + place_text(current->place) +
        " blocks wait for the whole grid, but the kernel was not launched by cudaLaunchCooperativeKernel.";
    run().end_kernel(std::move(finding), cudaErrorLaunchFailure);
  }
  if (grid_words == nullptr) {
    grid_words = static_cast<unsigned*>(device_memory().allocate(2 * sizeof *grid_words, "the grid's barrier",
                                                                 false, run().launch_now()->device));
    if (grid_words == nullptr) __trap();
    grid_words[0] = grid_words[1] = 0;
  }
  return grid_words;
}

bool texture_element(cudaTextureObject_t handle, long long x, long long y, void* to, std::size_t bytes,
                     const void* place) {
  std::memset(to, 0, bytes);
  const auto* texture = reinterpret_cast<const Texture*>(handle);
  if (current == nullptr) return false;
  current->place = place_of(place);
  if (texture == nullptr) refuse_address(nullptr, static_cast<unsigned>(bytes), Operation::kLoad);
  if (texture->clamps) {
    x = std::clamp<long long>(x, 0, static_cast<long long>(texture->width) - 1);
    y = std::clamp<long long>(y, 0, static_cast<long long>(texture->height) - 1);
  }
  if (x < 0 || y < 0 || x >= static_cast<long long>(texture->width) ||
      y >= static_cast<long long>(texture->height))
    return false;
  const char* at = texture->at + static_cast<std::size_t>(y) * texture->pitch +
                   static_cast<std::size_t>(x) * texture->bytes;
  access_here(at, static_cast<unsigned>(bytes), Operation::kLoad);
  std::memcpy(to, at, bytes);
  return true;
}

void surface_element(cudaSurfaceObject_t handle, int x, int y, void* held, std::size_t bytes, bool writes,
                     cudaSurfaceBoundaryMode mode, const void* place) {
  if (!writes) std::memset(held, 0, bytes);
  if (current == nullptr) return;
  const Operation operation = writes ? Operation::kStore : Operation::kLoad;
  current->place = place_of(place);
  const auto* surface = reinterpret_cast<const Texture*>(handle);
  if (surface == nullptr) refuse_address(nullptr, static_cast<unsigned>(bytes), operation);
  const auto size = static_cast<int>(bytes);
  const auto width = static_cast<int>(surface->width * surface->bytes);
  const auto height = static_cast<int>(surface->height);
  if (mode == cudaBoundaryModeClamp) {
    x = std::clamp(x, 0, width - size);
    y = std::clamp(y, 0, height - 1);
  }
  const bool inside = x >= 0 && x <= width - size && y >= 0 && y < height;
  if (!inside && mode == cudaBoundaryModeZero) return;
  if (!inside || x % size != 0) {
    Finding finding;
    finding.kind = inside ? "misaligned" : "out-of-bounds";
    finding.place = current->place;
    finding.operation = writes ? "write" : "read";
    finding.text = "At " + place_text(current->place) + " " + who() + " " + verb(operation) + " byte " +
                   std::to_string(x) + " of row " + std::to_string(y) + " of a surface of " +
                   std::to_string(height) + " rows of " + std::to_string(width) + " bytes" +
                   (inside ? ", which is no multiple of the element's " + std::to_string(size) + " bytes."
                           : ": out of bounds (x is in bytes).");
    run().end_kernel(std::move(finding), inside ? cudaErrorMisalignedAddress : cudaErrorIllegalAddress);
  }
  char* at = surface->at + static_cast<std::size_t>(y) * surface->pitch + static_cast<std::size_t>(x);
  access_here(at, static_cast<unsigned>(bytes), operation);
  std::memcpy(writes ? at : held, writes ? held : at, bytes);
}

}  // namespace gemmlab::emulation

using namespace gemmlab::emulation;

bool gemmlab_is_in_kernel() {
  return current != nullptr;
}

cudaError_t cudaDeviceSetLimit(cudaLimit which, std::size_t bytes) {
  limits()[which] = bytes;
  return cudaSuccess;
}
cudaError_t cudaDeviceGetLimit(std::size_t* bytes, cudaLimit which) {
  *bytes = limits()[which];
  return cudaSuccess;
}

cudaError_t cudaCreateTextureObject(cudaTextureObject_t* made, const cudaResourceDesc* resource,
                                    const cudaTextureDesc* how, const cudaResourceViewDesc*) {
  if (how->filterMode != cudaFilterModePoint || how->readMode != cudaReadModeElementType ||
      how->normalizedCoords != 0 || resource->resType == cudaResourceTypeMipmappedArray)
    return noted(cudaErrorNotSupported);
  const auto& res = resource->res;
  Texture texture = {};
  if (resource->resType == cudaResourceTypeLinear) {
    constexpr std::size_t kMost = std::size_t{1} << 28;
    texture.bytes = bytes_of(res.linear.desc);
    texture.at = static_cast<char*>(res.linear.devPtr);
    if (texture.bytes == 0 || res.linear.sizeInBytes / texture.bytes > kMost)
      return noted(cudaErrorInvalidValue);
    texture.width = res.linear.sizeInBytes / texture.bytes;
    texture.height = 1;
  } else if (resource->resType == cudaResourceTypePitch2D) {
    texture = {static_cast<char*>(res.pitch2D.devPtr),
               res.pitch2D.pitchInBytes,
               res.pitch2D.width,
               res.pitch2D.height,
               bytes_of(res.pitch2D.desc),
               how->addressMode[0] != cudaAddressModeBorder};
    constexpr std::size_t kPitch = 32;
    if (texture.pitch % kPitch != 0) return noted(cudaErrorInvalidValue);
  } else {
    const cudaArray& array = *res.array.array;
    texture = {static_cast<char*>(array.at),
               array.pitch,
               array.width,
               std::max<std::size_t>(array.height, 1),
               bytes_of(array.desc),
               how->addressMode[0] != cudaAddressModeBorder};
  }
  *made = reinterpret_cast<cudaTextureObject_t>(new Texture(texture));
  return cudaSuccess;
}
cudaError_t cudaDestroyTextureObject(cudaTextureObject_t texture) {
  delete reinterpret_cast<Texture*>(texture);
  return cudaSuccess;
}
cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t* made, const cudaResourceDesc* resource) {
  if (resource->resType != cudaResourceTypeArray) return noted(cudaErrorInvalidValue);
  const cudaArray* const array = resource->res.array.array;
  if (array == nullptr || (array->flags & cudaArraySurfaceLoadStore) == 0)
    return noted(cudaErrorInvalidValue);
  *made = reinterpret_cast<cudaSurfaceObject_t>(
      new Texture{static_cast<char*>(array->at), array->pitch, array->width,
                  std::max<std::size_t>(array->height, 1), bytes_of(array->desc), false});
  return cudaSuccess;
}
cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t surface) {
  delete reinterpret_cast<Texture*>(surface);
  return cudaSuccess;
}
cudaError_t cudaMallocArray(cudaArray_t* made, const cudaChannelFormatDesc* desc, std::size_t width,
                            std::size_t height, unsigned flags) {
  constexpr std::size_t kWidest = 131072;  // of compute capability 5.0 to 12.0, by the CUDA programming guide
  constexpr std::size_t kHighest = 65536;
  if (width > kWidest || height > kHighest) return noted(cudaErrorInvalidValue);
  cudaArray array = {nullptr, 0, width, height, *desc, flags};
  const cudaError_t error =
      cudaMallocPitch(&array.at, &array.pitch, width * bytes_of(*desc), std::max<std::size_t>(height, 1));
  if (error == cudaSuccess) *made = new cudaArray(array);
  return error;
}
cudaError_t cudaFreeArray(cudaArray_t array) {
  if (array == nullptr) return cudaSuccess;
  const cudaError_t error = cudaFree(array->at);
  delete array;
  return error;
}
