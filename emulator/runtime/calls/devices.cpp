#include "emulator/runtime/calls/devices.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>

#include "emulator/include/gemmlab_cuda_peers.h"
#include "emulator/runtime/calls/device_memory.h"
#include "emulator/runtime/calls/streams.h"
#include "emulator/runtime/limits.h"

namespace gemmlab::emulation {
namespace {

thread_local int current_of_thread = 0;
std::array<std::array<bool, kMostDevices>, kMostDevices> enabled{};

bool is_device(int device) {
  return device >= 0 && device < device_count();
}

}  // namespace

int device_count() {
  const char* const said = std::getenv("GEMMLAB_EMULATED_DEVICES");
  if (said == nullptr) return 1;
  int count = 0;
  const char* const end = said + std::strlen(said);
  const auto [stopped, error] = std::from_chars(said, end, count);
  return error == std::errc() && stopped == end && count >= 1 && count <= kMostDevices ? count : 1;
}

int current_device() {
  return current_of_thread;
}

bool may_touch(int device, int owner) {
  return device == owner || enabled[static_cast<std::size_t>(device)][static_cast<std::size_t>(owner)];
}

void forget_peers() {
  enabled = {};
}

}  // namespace gemmlab::emulation

using namespace gemmlab::emulation;
using Lock = std::lock_guard<std::recursive_mutex>;

extern "C" {

cudaError_t cudaGetDevice(int* device) {
  *device = current_of_thread;
  return cudaSuccess;
}
cudaError_t cudaSetDevice(int device) {
  if (!is_device(device)) return noted(cudaErrorInvalidDevice);
  current_of_thread = device;
  return cudaSuccess;
}
cudaError_t cudaGetDeviceCount(int* count) {
  *count = device_count();
  return cudaSuccess;
}

cudaError_t cudaDeviceCanAccessPeer(int* can, int device, int peer) {
  if (!is_device(device) || !is_device(peer)) return noted(cudaErrorInvalidDevice);
  *can = device != peer ? 1 : 0;
  return cudaSuccess;
}
/// All are joined as by NVLink.
cudaError_t cudaDeviceGetP2PAttribute(int* value, cudaDeviceP2PAttr which, int device, int peer) {
  if (which != cudaDevP2PAttrAccessSupported && which != cudaDevP2PAttrNativeAtomicSupported)
    return noted(cudaErrorInvalidValue);
  if (!is_device(device) || !is_device(peer) || device == peer) return noted(cudaErrorInvalidDevice);
  *value = 1;
  return cudaSuccess;
}
cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned flags) {
  const Lock lock(runtime_mutex());
  if (flags != 0) return noted(cudaErrorInvalidValue);
  if (!is_device(peer) || peer == current_of_thread) return noted(cudaErrorInvalidDevice);
  bool& access = enabled[static_cast<std::size_t>(current_of_thread)][static_cast<std::size_t>(peer)];
  if (access) return noted(cudaErrorPeerAccessAlreadyEnabled);
  access = true;
  return cudaSuccess;
}
cudaError_t cudaDeviceDisablePeerAccess(int peer) {
  const Lock lock(runtime_mutex());
  if (!is_device(peer) || peer == current_of_thread) return noted(cudaErrorInvalidDevice);
  bool& access = enabled[static_cast<std::size_t>(current_of_thread)][static_cast<std::size_t>(peer)];
  if (!access) return noted(cudaErrorPeerAccessNotEnabled);
  wait_for_all();
  access = false;
  return cudaSuccess;
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr which, int device) {
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
  if (!is_device(device)) return noted(cudaErrorInvalidDevice);
  const auto found = values.find(which);
  if (found == values.end()) return noted(cudaErrorInvalidValue);
  *value = found->second;
  return cudaSuccess;
}
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
  if (!is_device(device)) return noted(cudaErrorInvalidDevice);
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
}
