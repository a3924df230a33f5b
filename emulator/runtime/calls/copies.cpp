// Copies of the host's side of CUDA's runtime: each is work of a stream.

#include <cstring>
#include <memory>
#include <vector>

#include "emulator/include/gemmlab_cuda_memory.h"
#include "emulator/include/gemmlab_cuda_peers.h"
#include "emulator/runtime/calls/device_memory.h"
#include "emulator/runtime/calls/devices.h"
#include "emulator/runtime/calls/module_data.h"
#include "emulator/runtime/calls/streams.h"
#include "emulator/runtime/run.h"

using namespace gemmlab::emulation;

namespace {

using Lock = std::lock_guard<std::recursive_mutex>;
#define GEMMLAB_CALL const CallPlace call_place(__builtin_return_address(0))

/// Rows of `width` bytes.
struct Rows {
  char* to = nullptr;
  std::size_t to_pitch = 0;
  const char* from = nullptr;
  std::size_t from_pitch = 0;
  std::size_t width = 0, height = 0;
};

/// Can [memory, memory + bytes) be copied to or from? Host memory is not known, and taken as it is.
bool copyable(const void* memory, std::size_t bytes) {
  if (bytes == 0) return true;
  if (device_memory().holds(memory)) return device_memory().inside(memory, bytes);
  return !is_module_data(memory) || beside_variables(memory, bytes) == nullptr;
}

/// Memory of the host that CUDA has not made.
bool pageable(const void* memory) {
  return !device_memory().holds(memory) && !is_module_data(memory);
}

/// A copy that is not asynchronous has ended when its call returns, where memory of the host takes part.
cudaError_t waited(cudaError_t error, const void* to, const void* from) {
  const auto of_host = [](const void* memory) {
    if (!device_memory().holds(memory)) return true;
    const std::int32_t which = device_memory().owner(device_memory().offset(memory));
    return which >= 0 && device_memory().allocation(which).for_host;
  };
  const Lock lock(runtime_mutex());
  if (of_host(to) || of_host(from)) behind_of_host().merge(behind_of(nullptr));
  return error;
}

void copy_now(const Rows& rows) {
  if (run().error() != 0) return;
  for (std::size_t row = 0; row < rows.height; ++row) {
    char* const to = rows.to + row * rows.to_pitch;
    const char* const from = rows.from + row * rows.from_pitch;
    uses().copy_reads(from, rows.width);
    uses().copy_writes(to, rows.width);
    if (!device_memory().open(to, rows.width)) continue;
    std::memmove(to, from, rows.width);
  }
}

/// Are these bytes as many as its allocation has?
bool is_whole(const void* memory, std::size_t bytes) {
  if (!device_memory().holds(memory)) return false;
  const std::int32_t which = device_memory().owner(device_memory().offset(memory));
  return which >= 0 && device_memory().allocation(which).bytes == bytes;
}

/// A size in elements where bytes are asked for: of memory that is touched from its beginning, just a quarter, in one piece or
/// of each row. Told only as what may be behind a wrong result, and not where a call touches another part of it: by pieces.
void note_quarter(const char* name, const char* does, const void* memory, std::size_t width,
                  std::size_t height = 1, std::size_t pitch = 0) {
  if (!device_memory().holds(memory) || current != nullptr) return;
  const std::int32_t which = device_memory().owner(device_memory().offset(memory));
  if (which < 0) return;
  constexpr const char* kKind = "elements-for-bytes";
  const Allocation& allocation = device_memory().allocation(which);
  if (allocation.at != device_memory().offset(memory))
    return run().findings().withdraw(kKind, allocation.name);
  const std::size_t bytes = width * height;
  const bool by_rows = height > 1;
  if (allocation.bytes != sizeof(float) * bytes ||
      (by_rows && pitch != width && pitch != sizeof(float) * width))
    return;
  Finding finding;
  finding.kind = kKind;
  finding.place = call_place_now();
  finding.array = allocation.name;
  finding.text = std::string(name) + " at " + place_text(finding.place) + " " + does + " " +
                 std::to_string(bytes) + " bytes of " + allocation.name + ", a quarter of its " +
                 std::to_string(allocation.bytes) + ": " + (by_rows ? "widths are" : "the size is") +
                 " told in bytes, " + std::to_string(bytes) + " is the number of its elements.";
  run().findings().add(std::move(finding));
}

cudaError_t copy_rows(const Rows& rows, const char* name, cudaStream_t stream) {
  const Lock lock(runtime_mutex());
  if (rows.width == 0 || rows.height == 0) return static_cast<cudaError_t>(run().error());
  if (rows.height > 1 && (rows.to_pitch < rows.width || rows.from_pitch < rows.width))
    return noted(cudaErrorInvalidValue);
  const auto span = [&](std::size_t pitch) { return (rows.height - 1) * pitch + rows.width; };
  if (!copyable(rows.to, span(rows.to_pitch)) || !copyable(rows.from, span(rows.from_pitch)))
    return noted(cudaErrorInvalidValue);
  // a whole allocation is copied to where there is more room
  const std::size_t bytes = rows.width * rows.height;
  if (!is_whole(rows.from, bytes))
    note_quarter(name, "copies", rows.to, rows.width, rows.height, rows.to_pitch);
  if (!is_whole(rows.to, bytes))
    note_quarter(name, "copies", rows.from, rows.width, rows.height, rows.from_pitch);
  if (!pageable(rows.from)) {
    submit(stream, name, [rows] { copy_now(rows); });
  } else {
    // from memory that is not pinned, the call goes back once that has been read
    const auto taken = std::make_shared<std::vector<char>>(rows.width * rows.height);
    for (std::size_t row = 0; row < rows.height; ++row)
      std::memcpy(taken->data() + row * rows.width, rows.from + row * rows.from_pitch, rows.width);
    Rows staged = rows;
    staged.from = taken->data();
    staged.from_pitch = rows.width;
    submit(stream, name, [staged, taken] { copy_now(staged); });
  }
  // and to such memory, once that has been written
  if (pageable(rows.to) && !under_capture(stream)) wait_for(stream);
  return static_cast<cudaError_t>(run().error());
}

cudaError_t set_rows(void* memory, std::size_t pitch, int value, std::size_t width, std::size_t height,
                     const char* name, cudaStream_t stream) {
  const Lock lock(runtime_mutex());
  if (height > 1 && pitch < width) return noted(cudaErrorInvalidValue);
  if (width == 0 || height == 0) return static_cast<cudaError_t>(run().error());
  if (!device_memory().inside(memory, (height - 1) * pitch + width)) return noted(cudaErrorInvalidValue);
  note_quarter(name, "sets", memory, width, height, pitch);
  submit(stream, name, [=] {
    for (std::size_t row = 0; row < height && run().error() == 0; ++row) {
      char* const to = static_cast<char*>(memory) + row * pitch;
      uses().copy_writes(to, width);
      if (device_memory().open(to, width)) std::memset(to, value, width);
    }
  });
  return static_cast<cudaError_t>(run().error());
}

/// Is it memory of that card? A real card takes the pointer's word for it, and is slow, or wrong, where they differ.
bool lies_on(const void* memory, int device) {
  if (!device_memory().holds(memory)) return false;
  const std::int32_t which = device_memory().owner(device_memory().offset(memory));
  return which >= 0 && device_memory().allocation(which).device == device;
}

char* moved(const cudaPitchedPtr& at, const cudaPos& by) {
  return static_cast<char*>(at.ptr) + (by.z * at.ysize + by.y) * at.pitch + by.x;
}

}  // namespace

extern "C" {

cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind,
                            cudaStream_t stream) {
  GEMMLAB_CALL;
  return copy_rows({static_cast<char*>(to), 0, static_cast<const char*>(from), 0, bytes, 1},
                   "cudaMemcpyAsync", stream);
}
cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  GEMMLAB_CALL;
  return waited(cudaMemcpyAsync(to, from, bytes, kind, nullptr), to, from);
}
cudaError_t cudaMemcpy2DAsync(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                              std::size_t width, std::size_t height, cudaMemcpyKind, cudaStream_t stream) {
  GEMMLAB_CALL;
  return copy_rows(
      {static_cast<char*>(to), to_pitch, static_cast<const char*>(from), from_pitch, width, height},
      "cudaMemcpy2DAsync", stream);
}
cudaError_t cudaMemcpy2D(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                         std::size_t width, std::size_t height, cudaMemcpyKind kind) {
  GEMMLAB_CALL;
  return waited(cudaMemcpy2DAsync(to, to_pitch, from, from_pitch, width, height, kind, nullptr), to, from);
}

cudaError_t cudaMemcpyPeerAsync(void* to, int to_device, const void* from, int from_device, std::size_t bytes,
                                cudaStream_t stream) {
  const Lock lock(runtime_mutex());
  if (!lies_on(to, to_device) || !lies_on(from, from_device)) return noted(cudaErrorInvalidValue);
  return copy_rows({static_cast<char*>(to), 0, static_cast<const char*>(from), 0, bytes, 1},
                   "cudaMemcpyPeerAsync", stream);
}
cudaError_t cudaMemcpyPeer(void* to, int to_device, const void* from, int from_device, std::size_t bytes) {
  return cudaMemcpyPeerAsync(to, to_device, from, from_device, bytes, nullptr);
}
cudaError_t cudaMemcpy3DPeerAsync(const cudaMemcpy3DPeerParms* copy, cudaStream_t stream) {
  const Lock lock(runtime_mutex());
  const bool arrays = copy->srcArray != nullptr || copy->dstArray != nullptr;
  if (arrays || !lies_on(copy->dstPtr.ptr, copy->dstDevice) || !lies_on(copy->srcPtr.ptr, copy->srcDevice))
    return noted(cudaErrorInvalidValue);
  const char* const from = moved(copy->srcPtr, copy->srcPos);
  char* const to = moved(copy->dstPtr, copy->dstPos);
  for (std::size_t slice = 0; slice < copy->extent.depth; ++slice) {
    const cudaError_t error =
        copy_rows({to + slice * copy->dstPtr.ysize * copy->dstPtr.pitch, copy->dstPtr.pitch,
                   from + slice * copy->srcPtr.ysize * copy->srcPtr.pitch, copy->srcPtr.pitch,
                   copy->extent.width, copy->extent.height},
                  "cudaMemcpy3DPeerAsync", stream);
    if (error != cudaSuccess) return error;
  }
  return static_cast<cudaError_t>(run().error());
}

cudaError_t cudaMemsetAsync(void* memory, int value, std::size_t bytes, cudaStream_t stream) {
  GEMMLAB_CALL;
  return set_rows(memory, bytes, value, bytes, 1, "cudaMemset", stream);
}
cudaError_t cudaMemset(void* memory, int value, std::size_t bytes) {
  GEMMLAB_CALL;
  return cudaMemsetAsync(memory, value, bytes, nullptr);
}
}

cudaError_t cudaMemset2DAsync(void* memory, std::size_t pitch, int value, std::size_t width,
                              std::size_t height, cudaStream_t stream) {
  GEMMLAB_CALL;
  return set_rows(memory, pitch, value, width, height, "cudaMemset2D", stream);
}
cudaError_t cudaMemset2D(void* memory, std::size_t pitch, int value, std::size_t width, std::size_t height) {
  GEMMLAB_CALL;
  return cudaMemset2DAsync(memory, pitch, value, width, height, nullptr);
}
