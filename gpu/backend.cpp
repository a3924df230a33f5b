#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <unordered_map>

#include "core/statistics.h"
#include "gpu/check.h"
#include "gpu/device.h"
#include "gpu/stream.h"
#include "gpu/table.h"

namespace gemmlab::gpu {
namespace {

cudaStream_t backend_stream = nullptr;

/// A CUDA graph made ready to be replayed.
class Replay {
 public:
  /// Captures what `calls` put into the stream; nothing of it runs yet.
  Replay(cudaStream_t stream, const std::vector<Backend::Call>& calls) {
    cudaGraph_t graph = nullptr;
    // relaxed: the first launch of a kernel loads its code, which may allocate
    GEMMLAB_CUDA_CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
    try {
      for (const auto& call : calls) call();
    } catch (...) {
      // the stream must leave capture, or nothing could be put into it ever again
      cudaStreamEndCapture(stream, &graph);
      if (graph) cudaGraphDestroy(graph);
      cudaGetLastError();
      throw;
    }
    GEMMLAB_CUDA_CHECK(cudaStreamEndCapture(stream, &graph));
    const cudaError_t error = cudaGraphInstantiate(&executable_, graph, 0);
    cudaGraphDestroy(graph);
    throw_if_failed(error, "cudaGraphInstantiate", __FILE__, __LINE__);
  }
  ~Replay() { cudaGraphExecDestroy(executable_); }
  Replay(const Replay&) = delete;
  Replay& operator=(const Replay&) = delete;

  void launch(cudaStream_t stream) { GEMMLAB_CUDA_CHECK(cudaGraphLaunch(executable_, stream)); }

 private:
  cudaGraphExec_t executable_ = nullptr;
};

class CudaBackend : public Backend {
 public:
  CudaBackend() {
    GEMMLAB_CUDA_CHECK(cudaSetDevice(0));
    GEMMLAB_CUDA_CHECK(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
    GEMMLAB_CUDA_CHECK(cudaDeviceGetAttribute(&l2_bytes_, cudaDevAttrL2CacheSize, 0));
    timer_ = std::make_unique<EventTimer>();
    backend_stream = stream_;
  }
  ~CudaBackend() override {
    graphs_.clear();
    if (backend_stream == stream_) backend_stream = nullptr;
    cudaStreamDestroy(stream_);
  }

  Device device() const override { return Device::kGpu; }

  float* allocate(std::int64_t count) override {
    auto memory = std::make_unique<DeviceMemory>(static_cast<std::size_t>(count) * sizeof(float));
    float* data = memory->floats();
    memory_.emplace(data, std::move(memory));
    return data;
  }

  void release(float* memory) override {
    if (memory == nullptr) return;
    synchronize();
    if (memory_.erase(memory) == 0)
      throw std::invalid_argument("release of memory that this backend did not give");
  }

  void upload(float* device_to, const float* host_from, std::int64_t count) override {
    copy(device_to, host_from, count, cudaMemcpyHostToDevice);
  }
  void download(float* host_to, const float* device_from, std::int64_t count) override {
    copy(host_to, device_from, count, cudaMemcpyDeviceToHost);
  }

  void poison(float* memory, std::int64_t count) override {
    // all bits set is a quiet NaN
    GEMMLAB_CUDA_CHECK(
        cudaMemsetAsync(memory, 0xFF, static_cast<std::size_t>(count) * sizeof(float), stream_));
    synchronize();
  }

  void synchronize() override { GEMMLAB_CUDA_CHECK(cudaStreamSynchronize(stream_)); }

  std::int64_t free_bytes() override {
    std::size_t free = 0;
    std::size_t total = 0;
    GEMMLAB_CUDA_CHECK(cudaMemGetInfo(&free, &total));
    return static_cast<std::int64_t>(free);
  }

  std::int64_t last_level_cache_bytes() const override { return l2_bytes_; }

  double sample(const std::vector<Call>& calls, Scope scope, Timing timing, std::uint64_t key) override {
    if (scope != Scope::kKernel && scope != Scope::kCall) {
      throw std::invalid_argument(std::string("the GPU's clock has no scope ") + to_string(scope));
    }
    Replay* graph = timing == Timing::kGraph ? &replay(calls, key) : nullptr;
    const auto work = [&] {
      if (graph) {
        graph->launch(stream_);
      } else {
        for (const auto& call : calls) call();
      }
    };
    return scope == Scope::kKernel ? between_events_s(work) : on_the_host_s(work);
  }

  void drop_graphs() override {
    synchronize();
    graphs_.clear();
  }

  double clock_overhead_s() override {
    std::vector<double> samples_s;
    for (int i = 0; i < 101; ++i) samples_s.push_back(between_events_s([] {}));
    return median(samples_s);
  }

 private:
  void copy(void* to, const void* from, std::int64_t count, cudaMemcpyKind kind) {
    GEMMLAB_CUDA_CHECK(
        cudaMemcpyAsync(to, from, static_cast<std::size_t>(count) * sizeof(float), kind, stream_));
    synchronize();
  }

  /// The graph of `key`, captured and replayed once at its first use: the first launch of a graph uploads it.
  Replay& replay(const std::vector<Call>& calls, std::uint64_t key) {
    std::unique_ptr<Replay>& graph = graphs_[key];
    if (!graph) {
      graph = std::make_unique<Replay>(stream_, calls);
      graph->launch(stream_);
      synchronize();
    }
    return *graph;
  }

  template <typename Work>
  double between_events_s(const Work& work) {
    timer_->start(stream_);
    work();
    return timer_->stop_s(stream_);
  }

  template <typename Work>
  double on_the_host_s(const Work& work) {
    const auto start = std::chrono::steady_clock::now();
    work();
    synchronize();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }

  cudaStream_t stream_ = nullptr;
  int l2_bytes_ = 0;
  std::unique_ptr<EventTimer> timer_;
  std::unordered_map<float*, std::unique_ptr<DeviceMemory>> memory_;
  std::map<std::uint64_t, std::unique_ptr<Replay>> graphs_;
};

}  // namespace

cudaStream_t current_stream() {
  return backend_stream;
}

std::unique_ptr<Backend> make_backend() {
  if (const std::string reason = unavailable(); !reason.empty()) {
    throw std::runtime_error("no GPU backend: " + reason);
  }
  return std::make_unique<CudaBackend>();
}

}  // namespace gemmlab::gpu
