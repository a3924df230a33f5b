#pragma once

// Several devices: access to each other's memory, and copies between them.

#include "gemmlab_cuda_api.h"

struct cudaPos {
  std::size_t x, y, z;
};
struct cudaExtent {
  std::size_t width, height, depth;  ///< width in bytes
};
struct cudaPitchedPtr {
  void* ptr;
  std::size_t pitch, xsize, ysize;  ///< bytes from row to row, rows of a slice
};
struct cudaMemcpy3DPeerParms {
  void* srcArray;
  cudaPos srcPos;
  cudaPitchedPtr srcPtr;
  int srcDevice;
  void* dstArray;
  cudaPos dstPos;
  cudaPitchedPtr dstPtr;
  int dstDevice;
  cudaExtent extent;
};

/// An attribute of a pair of devices that the emulator knows.
enum cudaDeviceP2PAttr { cudaDevP2PAttrAccessSupported = 2, cudaDevP2PAttrNativeAtomicSupported = 3 };

#pragma GCC visibility push(protected)  // see gemmlab_cuda_api.h
extern "C" {
cudaError_t cudaDeviceCanAccessPeer(int* can, int device, int peer);
cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned flags);
cudaError_t cudaDeviceGetP2PAttribute(int* value, cudaDeviceP2PAttr which, int device, int peer);
cudaError_t cudaDeviceDisablePeerAccess(int peer);
cudaError_t cudaMemcpyPeer(void* to, int to_device, const void* from, int from_device, std::size_t bytes);
cudaError_t cudaMemcpyPeerAsync(void* to, int to_device, const void* from, int from_device, std::size_t bytes,
                                cudaStream_t stream = nullptr);
cudaError_t cudaMemcpy3DPeerAsync(const cudaMemcpy3DPeerParms* copy, cudaStream_t stream = nullptr);
}
#pragma GCC visibility pop

inline cudaExtent make_cudaExtent(std::size_t width, std::size_t height, std::size_t depth) {
  return {width, height, depth};
}
inline cudaPitchedPtr make_cudaPitchedPtr(void* at, std::size_t pitch, std::size_t xsize, std::size_t ysize) {
  return {at, pitch, xsize, ysize};
}
