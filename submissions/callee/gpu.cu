// Single calls on a GPU: bands of NaN round each matrix, C fetched the moment that the default stream is
// done.

#include <cuda_profiler_api.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/backend.h"
#include "core/rounding.h"
#include "gpu/device/check.h"
#include "gpu/device/device.h"
#include "submissions/callee/callee.h"
#include "submissions/callee/device_work.h"
#include "submissions/callee/launches.h"
#include "submissions/callee/memory.h"
#include "submissions/callee/window.h"
#include "submissions/diagnosis/diagnosis.h"

namespace gemmlab::submissions {
namespace {

/// Promised to submissions: where a matrix begins, as cudaMalloc gives it.
constexpr std::int64_t kDeviceAlignment = 256;
/// Bytes of NaN on each side: wide enough for some wrong rows of a large matrix, small against the card.
constexpr std::int64_t kBandBytes = 4 << 20;
constexpr int kThreads = 256;
constexpr int kBlocks = 1024;

/// `nearest`: the smallest distance, in bytes, from the matrix at which a band is changed. A band lies in
/// front (its last byte is nearest) or behind; kPoisonBand was written over words from the slab's start on.
__global__ void nearest_change(const unsigned char* band, std::int64_t count, bool in_front,
                               unsigned long long* nearest) {
  const std::int64_t stride = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count;
       i += stride) {
    const auto place = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(band + i) % sizeof kPoisonBand);
    if (band[i] != (kPoisonBand >> (8 * place) & 0xff))
      atomicMin(nearest, static_cast<unsigned long long>(in_front ? count - i : i));
  }
}

class GpuBench : public CallBench {
 public:
  GpuBench(const Rooms& rooms, bool writable_inputs)
      : rooms_(rooms),
        slab_(slab_bytes(rooms)),
        snapshot_(static_cast<std::size_t>(rooms.bytes[2])),
        memory_(rooms, writable_inputs),
        bands_checked_(writable_inputs) {
    GEMMLAB_CUDA_CHECK(cudaStreamCreateWithFlags(&ours_, cudaStreamNonBlocking));
    GEMMLAB_CUDA_CHECK(cudaMalloc(&nearest_, sizeof(unsigned long long)));
    std::int64_t at = kBandBytes;
    for (int i = 0; i < 3; ++i) {
      start_[i] = at;
      at += rounded_up(rooms.bytes[i], kDeviceAlignment) + kBandBytes;
    }
  }

  void call(const Request& request, Callable& callable, Reply& reply) override {
    const Shape shape{request.m, request.n, request.k};
    std::string error_text;
    try {
      if (request.exact_memory != 0) allocate_exactly(shape);
      ready(request, shape);
    } catch (const std::runtime_error&) {
      return failed(reply, callable);  // an earlier call has left the device unusable
    }
    callable.take_device_error(error_text);  // what an earlier call left is not this one's
    error_text.clear();
    void* c = device(2);
    forget_launches(callable);
    gpu::EventTimer timer;
    memory_.begin_call(request);
    timer.start(nullptr);
    if (request.profiled != 0) cudaProfilerStart();
    callable.call(shape, device(0), device(1), c);
    if (request.profiled != 0) stop_profiler();
    try {
      timer.stop(nullptr);
      reply.seconds = timer.elapsed_s();
      memory_.end_call();
      fetch(request, shape, c);
      // what runs still, in another stream, may finish now; it comes too late
      GEMMLAB_CUDA_CHECK(cudaDeviceSynchronize());
    } catch (const std::runtime_error&) {
      return failed(reply, callable);
    }
    if (const int error = callable.take_device_error(error_text); error != 0) {
      reply.number = error;
      copy_text(reply, error_text);
    }
    if (request.checked != 0 && request.zero_bands == 0) check(request, shape, c, reply);
  }

  void look(const Request& request, Reply& reply) override {
    try {
      GEMMLAB_CUDA_CHECK(cudaDeviceSynchronize());
      fetch(request, {request.m, request.n, request.k}, device(2));
    } catch (const std::runtime_error& error) {
      reply.said = Said::kDeviceError;
      copy_text(reply, error.what());
    }
  }

  void window(const Request& request, Callable& callable, Reply& reply) override {
    std::string error_text;
    try {
      if (request.ask == Ask::kPrepare) {
        callable.take_device_error(error_text);  // what an earlier call left is not this one's
        return window_.prepare(request, callable, floats(0), floats(1));
      }
      if (request.ask == Ask::kBring) {
        memory_.open_c();
        return window_.bring(request, static_cast<float*>(memory_.at(2, 0)));
      }
      forget_launches(callable);
      window_.run(request, callable, floats(0), floats(1), reply);
      const auto* streams = static_cast<volatile int*>(callable.symbol("gemmlab_own_streams"));
      reply.own_streams = streams == nullptr ? 0 : *streams;
    } catch (const OutOfMemory& error) {
      reply.said = Said::kDeviceError;
      reply.number = cudaErrorMemoryAllocation;
      return copy_text(reply, error.what());
    } catch (const std::runtime_error&) {
      return failed(reply, callable);
    }
    if (const int error = callable.take_device_error(error_text); error != 0) {
      reply.number = error;
      copy_text(reply, error_text);
    }
  }

  std::string resources(Callable& callable) override { return launches_of(callable); }

 private:
  /// Once the call's kernels are done; an error of theirs shows when the clock is read.
  static void stop_profiler() {
    cudaDeviceSynchronize();
    cudaProfilerStop();
  }

  static std::size_t slab_bytes(const Rooms& rooms) {
    std::int64_t bytes = 4 * kBandBytes;
    for (const std::int64_t room : rooms.bytes) bytes += rounded_up(room, kDeviceAlignment);
    return static_cast<std::size_t>(bytes);
  }

  static void copy_text(Reply& reply, const std::string& text) {
    const std::size_t length = std::min(text.size(), sizeof reply.text - 1);
    std::memcpy(reply.text, text.data(), length);
    reply.text[length] = '\0';
  }

  /// An allocation for each matrix, no longer than it is: what a tool that watches allocations needs.
  void allocate_exactly(const Shape& shape) {
    for (int i = 0; i < 3; ++i) {
      exact_[i].reset();
      exact_[i] = std::make_unique<gpu::DeviceMemory>(bytes_of(shape, i));
    }
  }

  void* device(int matrix) const {
    if (exact_[matrix]) return exact_[matrix]->data();
    return static_cast<char*>(slab_.data()) + start_[matrix];
  }

  std::size_t bytes_of(const Shape& shape, int matrix) const {
    const std::int64_t count = matrix == 0   ? shape.a_count()
                               : matrix == 1 ? shape.b_count()
                                             : shape.c_count();
    return static_cast<std::size_t>(count * rooms_.element_bytes[matrix]);
  }

  float* floats(int matrix) const { return static_cast<float*>(device(matrix)); }

  /// A, B and C in, all that lies round them poisoned, and the card awake.
  void ready(const Request& request, const Shape& shape) {
    if (bands_checked_) {
      fill_words(static_cast<std::uint32_t*>(slab_.data()),
                 static_cast<std::int64_t>(slab_.bytes() / sizeof(std::uint32_t)),
                 request.zero_bands != 0 ? 0 : kPoisonBand);
    }
    for (int i = 0; i < 3; ++i) {
      // C too: the judge says what it holds before the call
      GEMMLAB_CUDA_CHECK(cudaMemcpy(device(i), memory_.at(i, request.offset[i]), bytes_of(shape, i),
                                    cudaMemcpyHostToDevice));
    }
    keep_busy();
    GEMMLAB_CUDA_CHECK(cudaGetLastError());
    GEMMLAB_CUDA_CHECK(cudaDeviceSynchronize());
  }

  /// C as it is now, in a stream that waits for nothing.
  void fetch(const Request& request, const Shape& shape, const void* c) {
    // first beside it on the card, which takes microseconds: the way to the host is long enough for a late
    // kernel to stay ahead of the copy
    const std::size_t bytes = bytes_of(shape, 2);
    GEMMLAB_CUDA_CHECK(cudaMemcpyAsync(snapshot_.data(), c, bytes, cudaMemcpyDeviceToDevice, ours_));
    GEMMLAB_CUDA_CHECK(cudaStreamSynchronize(ours_));
    memory_.open_c();
    GEMMLAB_CUDA_CHECK(cudaMemcpyAsync(memory_.at(2, request.offset[2]), snapshot_.data(), bytes,
                                       cudaMemcpyDeviceToHost, ours_));
    GEMMLAB_CUDA_CHECK(cudaStreamSynchronize(ours_));
  }

  /// A call that the device ended: what was the error?
  void failed(Reply& reply, Callable& callable) {
    memory_.open_c();
    std::string text;
    const int theirs = callable.take_device_error(text);
    const cudaError_t ours = cudaDeviceSynchronize();
    reply.said = Said::kDeviceError;
    reply.number = ours != cudaSuccess ? static_cast<int>(ours) : theirs;
    copy_text(reply, ours != cudaSuccess ? cudaGetErrorString(ours) : text.c_str());
  }

  /// The bands, C once more, and A and B back to where they came from.
  void check(const Request& request, const Shape& shape, const void* c, Reply& reply) {
    for (int i = 0; i < 3 && reply.side == Side::kNone; ++i) {
      const auto* bytes = static_cast<const unsigned char*>(device(i));
      for (const bool in_front : {true, false}) {
        const unsigned char* from = in_front ? bytes - kBandBytes : bytes + bytes_of(shape, i);
        const std::int64_t nearest = nearest_changed(from, kBandBytes, in_front);
        if (nearest < 0) continue;
        reply.matrix = i;
        reply.side = in_front ? Side::kBefore : Side::kBehind;
        reply.writing = 1;
        reply.distance_bytes = nearest;
        reply.element_bytes = rooms_.element_bytes[i];
        break;
      }
    }
    std::vector<char> later(bytes_of(shape, 2));
    GEMMLAB_CUDA_CHECK(cudaMemcpy(later.data(), c, later.size(), cudaMemcpyDeviceToHost));
    const void* fetched = memory_.at(2, request.offset[2]);
    reply.changed_later = std::memcmp(later.data(), fetched, later.size()) != 0 ? 1 : 0;
    for (int i = 0; i < 2; ++i) {
      GEMMLAB_CUDA_CHECK(cudaMemcpy(memory_.at(i, request.offset[i]), device(i), bytes_of(shape, i),
                                    cudaMemcpyDeviceToHost));
    }
  }

  std::int64_t nearest_changed(const unsigned char* band, std::int64_t count, bool in_front) {
    constexpr unsigned long long kNone = ~0ULL;
    unsigned long long nearest = kNone;
    GEMMLAB_CUDA_CHECK(cudaMemcpy(nearest_, &nearest, sizeof nearest, cudaMemcpyHostToDevice));
    nearest_change<<<kBlocks, kThreads>>>(band, count, in_front, nearest_);
    GEMMLAB_CUDA_CHECK(cudaMemcpy(&nearest, nearest_, sizeof nearest, cudaMemcpyDeviceToHost));
    return nearest == kNone ? -1 : static_cast<std::int64_t>(nearest);
  }

  Rooms rooms_;
  gpu::DeviceMemory slab_;
  gpu::DeviceMemory snapshot_;  ///< C as it was when the default stream was done
  CalleeMemory memory_;
  GpuWindow window_;
  bool bands_checked_;
  cudaStream_t ours_ = nullptr;
  unsigned long long* nearest_ = nullptr;
  std::int64_t start_[3] = {};
  std::unique_ptr<gpu::DeviceMemory> exact_[3];  ///< in the place of the slab's parts, once asked for
};

/// What cudaMallocAsync gave stays in its pool between calls: else each wait of ours would hand it back to the driver.
void keep_pool() {
  cudaMemPool_t pool = nullptr;
  std::uint64_t all = ~std::uint64_t{0};
  if (cudaDeviceGetDefaultMemPool(&pool, 0) != cudaSuccess ||
      cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &all) != cudaSuccess)
    cudaGetLastError();  // a card without pools
}

}  // namespace

std::unique_ptr<CallBench> make_gpu_bench(const Rooms& rooms, bool writable_inputs) {
  GEMMLAB_CUDA_CHECK(cudaSetDevice(0));
  keep_pool();
  return std::make_unique<GpuBench>(rooms, writable_inputs);
}

}  // namespace gemmlab::submissions
