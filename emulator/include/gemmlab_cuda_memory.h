#pragma once

// More of the runtime's memory: rectangles set, symbols in a stream, limits, a kernel's own heap, mapped memory, textures.

#include <cmath>
#include <cstdlib>
#include <new>

#include "gemmlab_cuda_api.h"

#define __builtin_assume(condition) static_cast<void>(0)
#define __assume(condition) static_cast<void>(0)

enum cudaLimit {
  cudaLimitStackSize,
  cudaLimitPrintfFifoSize,
  cudaLimitMallocHeapSize,
  cudaLimitDevRuntimePendingLaunchCount = 4
};
cudaError_t cudaDeviceSetLimit(cudaLimit which, std::size_t bytes);
cudaError_t cudaDeviceGetLimit(std::size_t* bytes, cudaLimit which);

cudaError_t cudaMemset2D(void* memory, std::size_t pitch, int value, std::size_t width, std::size_t height);
cudaError_t cudaMemset2DAsync(void* memory, std::size_t pitch, int value, std::size_t width,
                              std::size_t height, cudaStream_t stream = nullptr);
template <typename T>
cudaError_t cudaMemcpyToSymbolAsync(T& symbol, const void* from, std::size_t bytes, std::size_t offset = 0,
                                    cudaMemcpyKind kind = cudaMemcpyHostToDevice,
                                    cudaStream_t stream = nullptr) {
  if (offset + bytes > sizeof symbol) return gemmlab::emulation::noted(cudaErrorInvalidValue);
  return cudaMemcpyAsync(reinterpret_cast<char*>(&symbol) + offset, from, bytes, kind, stream);
}
template <typename T>
cudaError_t cudaMemcpyFromSymbolAsync(void* to, const T& symbol, std::size_t bytes, std::size_t offset = 0,
                                      cudaMemcpyKind kind = cudaMemcpyDeviceToHost,
                                      cudaStream_t stream = nullptr) {
  if (offset + bytes > sizeof symbol) return gemmlab::emulation::noted(cudaErrorInvalidValue);
  return cudaMemcpyAsync(to, reinterpret_cast<const char*>(&symbol) + offset, bytes, kind, stream);
}
template <typename T>
cudaError_t cudaGetSymbolSize(std::size_t* bytes, const T& symbol) {
  *bytes = sizeof symbol;
  return cudaSuccess;
}
/// Pinned memory is mapped: a kernel uses the host's address.
template <typename T>
cudaError_t cudaHostGetDevicePointer(T** device, void* host, unsigned) {
  *device = static_cast<T*>(host);
  return cudaSuccess;
}
constexpr unsigned cudaHostAllocWriteCombined = 4;
constexpr unsigned cudaHostRegisterDefault = 0, cudaHostRegisterPortable = 1, cudaHostRegisterMapped = 2;
constexpr unsigned cudaDeviceMapHost = 8;
inline cudaError_t cudaSetDeviceFlags(unsigned) {
  return cudaSuccess;
}

namespace gemmlab::emulation {

/// What the rewriter makes of malloc and free, which are a kernel's there and the host's elsewhere.
void* allocate_here(std::size_t bytes);
void free_here(void* memory);
inline void* allocate_here(std::size_t count, std::size_t bytes) {
  void* made = allocate_here(count * bytes);
  if (made != nullptr) std::memset(made, 0, count * bytes);
  return made;
}

/// What the rewriter makes of `new T`: `new (::gemmlab::emulation::kHere) T`, and of `delete p`: `Deleted<false>() ->* p`.
struct Here {};
inline constexpr Here kHere;
bool is_of_kernel_heap(const void* memory);
template <bool ARRAY>
struct Deleted {
  template <typename T>
  void operator->*(T* memory) const {
    if (memory == nullptr) return;
    if (is_of_kernel_heap(memory)) {
      if constexpr (!ARRAY) memory->~T();
      free_here(const_cast<void*>(static_cast<const void*>(memory)));
    } else if constexpr (ARRAY) {
      ::delete[] memory;
    } else {
      ::delete memory;
    }
  }
};

/// Two words of the device, for a barrier of the grid that runs.
volatile unsigned* grid_barrier(const void* place);
bool is_cooperative();

}  // namespace gemmlab::emulation

bool gemmlab_is_in_kernel();
inline void* operator new(std::size_t bytes, const gemmlab::emulation::Here&) {
  return gemmlab_is_in_kernel() ? gemmlab::emulation::allocate_here(bytes) : ::operator new(bytes);
}
inline void* operator new[](std::size_t bytes, const gemmlab::emulation::Here&) {
  return gemmlab_is_in_kernel() ? gemmlab::emulation::allocate_here(bytes) : ::operator new[](bytes);
}
inline void operator delete(void*, const gemmlab::emulation::Here&) {}
inline void operator delete[](void*, const gemmlab::emulation::Here&) {}

// ---- textures

enum cudaChannelFormatKind {
  cudaChannelFormatKindSigned,
  cudaChannelFormatKindUnsigned,
  cudaChannelFormatKindFloat,
  cudaChannelFormatKindNone
};
struct cudaChannelFormatDesc {
  int x, y, z, w;  ///< bits
  cudaChannelFormatKind f;
};
inline cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, cudaChannelFormatKind kind) {
  return {x, y, z, w, kind};
}
template <typename T>
cudaChannelFormatDesc cudaCreateChannelDesc() {
  constexpr bool kVector = !std::is_arithmetic_v<T>;
  using Element = std::conditional_t<kVector, float, T>;
  constexpr int kBits = static_cast<int>(kVector ? (sizeof(T) > 4 ? 32 : 8) : 8 * sizeof(T));
  constexpr int kCount = static_cast<int>(8 * sizeof(T)) / kBits;
  const cudaChannelFormatKind kind = std::is_floating_point_v<Element> ? cudaChannelFormatKindFloat
                                     : std::is_signed_v<Element>       ? cudaChannelFormatKindSigned
                                                                       : cudaChannelFormatKindUnsigned;
  return {kBits, kCount > 1 ? kBits : 0, kCount > 2 ? kBits : 0, kCount > 3 ? kBits : 0, kind};
}
enum cudaResourceType {
  cudaResourceTypeArray,
  cudaResourceTypeMipmappedArray,
  cudaResourceTypeLinear,
  cudaResourceTypePitch2D
};
enum cudaTextureReadMode { cudaReadModeElementType, cudaReadModeNormalizedFloat };
enum cudaTextureAddressMode {
  cudaAddressModeWrap,
  cudaAddressModeClamp,
  cudaAddressModeMirror,
  cudaAddressModeBorder
};
enum cudaTextureFilterMode { cudaFilterModePoint, cudaFilterModeLinear };
/// Rows of elements, as cudaMallocPitch would lay them out.
struct cudaArray {
  void* at;
  std::size_t pitch, width, height;  ///< of elements, but for the pitch
  cudaChannelFormatDesc desc;
  unsigned flags;
};
constexpr unsigned cudaArrayDefault = 0, cudaArraySurfaceLoadStore = 2;
using cudaArray_t = cudaArray*;
using cudaArray_const_t = const cudaArray*;
struct cudaResourceDesc {
  cudaResourceType resType;
  union {
    struct {
      cudaArray_t array;
    } array;
    struct {
      void* devPtr;
      cudaChannelFormatDesc desc;
      std::size_t sizeInBytes;
    } linear;
    struct {
      void* devPtr;
      cudaChannelFormatDesc desc;
      std::size_t width, height, pitchInBytes;
    } pitch2D;
  } res;
};
struct cudaTextureDesc {
  cudaTextureAddressMode addressMode[3];
  cudaTextureFilterMode filterMode;
  cudaTextureReadMode readMode;
  int sRGB;
  float borderColor[4];
  int normalizedCoords;
  unsigned maxAnisotropy;
};
struct cudaResourceViewDesc;
using cudaTextureObject_t = unsigned long long;

/// cudaErrorNotSupported for a filter between elements, coordinates from 0 to 1, and mipmaps.
cudaError_t cudaCreateTextureObject(cudaTextureObject_t* made, const cudaResourceDesc* resource,
                                    const cudaTextureDesc* how, const cudaResourceViewDesc* view);
cudaError_t cudaDestroyTextureObject(cudaTextureObject_t texture);
cudaError_t cudaMallocArray(cudaArray_t* made, const cudaChannelFormatDesc* desc, std::size_t width,
                            std::size_t height = 0, unsigned flags = 0);
cudaError_t cudaFreeArray(cudaArray_t array);
inline cudaError_t cudaMemcpy2DToArray(cudaArray_t to, std::size_t x, std::size_t y, const void* from,
                                       std::size_t pitch, std::size_t width, std::size_t height,
                                       cudaMemcpyKind kind) {
  return cudaMemcpy2D(static_cast<char*>(to->at) + y * to->pitch + x, to->pitch, from, pitch, width, height,
                      kind);
}
inline cudaError_t cudaMemcpy2DFromArray(void* to, std::size_t pitch, cudaArray_const_t from, std::size_t x,
                                         std::size_t y, std::size_t width, std::size_t height,
                                         cudaMemcpyKind kind) {
  return cudaMemcpy2D(to, pitch, static_cast<const char*>(from->at) + y * from->pitch + x, from->pitch, width,
                      height, kind);
}

using cudaSurfaceObject_t = unsigned long long;
enum cudaSurfaceBoundaryMode { cudaBoundaryModeZero, cudaBoundaryModeClamp, cudaBoundaryModeTrap };
/// cudaErrorInvalidValue for what is no array made with cudaArraySurfaceLoadStore.
cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t* made, const cudaResourceDesc* resource);
cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t surface);

namespace gemmlab::emulation {
/// Reads or writes the element at byte `x` of row `y`. Beyond the array's ends: 0 is read and nothing written, the element at the
/// end is meant, or the kernel ends, as `mode` says.
void surface_element(cudaSurfaceObject_t surface, int x, int y, void* held, std::size_t bytes, bool writes,
                     cudaSurfaceBoundaryMode mode, const void* place);
/// The element at (x, y); one row: a texture in linear memory. False beyond its ends: `to` holds zeros, then.
bool texture_element(cudaTextureObject_t texture, long long x, long long y, void* to, std::size_t bytes,
                     const void* place);
}  // namespace gemmlab::emulation

template <typename T>
__attribute__((noinline, no_sanitize("thread"))) T tex1Dfetch(cudaTextureObject_t texture, int x) {
  T value;
  gemmlab::emulation::texture_element(texture, x, 0, &value, sizeof value, __builtin_return_address(0));
  return value;
}
template <typename T>
__attribute__((noinline, no_sanitize("thread"))) T tex1D(cudaTextureObject_t texture, float x) {
  T value;
  gemmlab::emulation::texture_element(texture, static_cast<long long>(std::floor(x)), 0, &value, sizeof value,
                                      __builtin_return_address(0));
  return value;
}
template <typename T>
__attribute__((noinline, no_sanitize("thread"))) T tex2D(cudaTextureObject_t texture, float x, float y) {
  T value;
  gemmlab::emulation::texture_element(texture, static_cast<long long>(std::floor(x)),
                                      static_cast<long long>(std::floor(y)), &value, sizeof value,
                                      __builtin_return_address(0));
  return value;
}

// ---- surfaces: x is in bytes

template <typename T>
__attribute__((noinline, no_sanitize("thread"))) T surf2Dread(
    cudaSurfaceObject_t surface, int x, int y, cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {
  T value;
  gemmlab::emulation::surface_element(surface, x, y, &value, sizeof value, false, mode,
                                      __builtin_return_address(0));
  return value;
}
template <typename T>
__attribute__((noinline)) void surf2Dread(T* to, cudaSurfaceObject_t surface, int x, int y,
                                          cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {
  T value;
  gemmlab::emulation::surface_element(surface, x, y, &value, sizeof value, false, mode,
                                      __builtin_return_address(0));
  *to = value;
}
template <typename T>
__attribute__((noinline, no_sanitize("thread"))) void surf2Dwrite(
    T value, cudaSurfaceObject_t surface, int x, int y, cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {
  gemmlab::emulation::surface_element(surface, x, y, &value, sizeof value, true, mode,
                                      __builtin_return_address(0));
}
template <typename T>
__attribute__((noinline, no_sanitize("thread"))) T surf1Dread(
    cudaSurfaceObject_t surface, int x, cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {
  T value;
  gemmlab::emulation::surface_element(surface, x, 0, &value, sizeof value, false, mode,
                                      __builtin_return_address(0));
  return value;
}
template <typename T>
__attribute__((noinline, no_sanitize("thread"))) void surf1Dwrite(
    T value, cudaSurfaceObject_t surface, int x, cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {
  gemmlab::emulation::surface_element(surface, x, 0, &value, sizeof value, true, mode,
                                      __builtin_return_address(0));
}
