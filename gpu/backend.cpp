#include <cuda_profiler_api.h>

#include <chrono>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <vector>

#include "gpu/device/cards_at_work.h"
#include "gpu/device/check.h"
#include "gpu/device/device.h"
#include "gpu/device/end_to_end.h"
#include "gpu/device/graph.h"
#include "gpu/device/host_memory.h"
#include "gpu/device/queued_ahead.h"
#include "gpu/device/stream.h"
#include "gpu/device/watching/cards_watch.h"
#include "gpu/table.h"

namespace gemmlab::gpu {
namespace {

cudaStream_t backend_stream = nullptr;

// By the host's clock: a reading of 0.1 ms that delayed such work would be 1 % of it at most.
constexpr std::chrono::milliseconds kQuiet{10};
constexpr std::chrono::hours kNeverWhileTimed{24};

// Bytes of a result that pages are given for beforehand: more than any whose first call is measured has.
constexpr std::int64_t kWorthPages = std::int64_t{128} << 20;

/// Of all cards that the process sees.
std::vector<std::string> pci_bus_ids() {
  int cards = 0;
  GEMMLAB_CUDA_CHECK(cudaGetDeviceCount(&cards));
  std::vector<std::string> ids;
  for (int card = 0; card < cards; ++card) {
    char id[32] = {};
    GEMMLAB_CUDA_CHECK(cudaDeviceGetPCIBusId(id, sizeof(id), card));
    ids.emplace_back(id);
  }
  return ids;
}

/// Whoever waits for cudaProfilerStart looks from here to the end of the scope, also when a call throws.
class Profiled {
 public:
  Profiled() { GEMMLAB_CUDA_CHECK(cudaProfilerStart()); }
  ~Profiled() { cudaProfilerStop(); }
  Profiled(const Profiled&) = delete;
  Profiled& operator=(const Profiled&) = delete;
};

class CudaBackend : public Backend {
 public:
  CudaBackend() {
    GEMMLAB_CUDA_CHECK(cudaSetDevice(0));
    GEMMLAB_CUDA_CHECK(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
    GEMMLAB_CUDA_CHECK(cudaDeviceGetAttribute(&l2_bytes_, cudaDevAttrL2CacheSize, 0));
    timer_ = std::make_unique<EventTimer>();
    watch_ = std::make_unique<CardsWatch>(pci_bus_ids());
    end_to_end_ = std::make_unique<EndToEndClock>(stream_);
    backend_stream = stream_;
  }
  ~CudaBackend() override {
    graphs_.clear();
    end_to_end_.reset();
    if (backend_stream == stream_) backend_stream = nullptr;
    cudaStreamDestroy(stream_);
  }

  const Device& device() const override { return Device::kGpu; }

  void* allocate_bytes(std::int64_t bytes) override {
    auto memory = std::make_unique<DeviceMemory>(static_cast<std::size_t>(bytes));
    void* data = memory->data();
    memory_.emplace(data, std::move(memory));
    return data;
  }

  void release(void* memory) override {
    if (memory == nullptr) return;
    synchronize();
    if (memory_.erase(memory) == 0)
      throw std::invalid_argument("release of memory that this backend did not give");
  }

  void upload_bytes(void* device_to, const void* host_from, std::int64_t bytes) override {
    copy(device_to, host_from, bytes);
  }
  void download_bytes(void* host_to, const void* device_from, std::int64_t bytes) override {
    if (bytes >= kWorthPages) give_pages(host_to, bytes);
    copy(host_to, device_from, bytes);
  }

  void poison_bytes(void* memory, std::int64_t bytes) override {
    GEMMLAB_CUDA_CHECK(cudaMemsetAsync(memory, 0xFF, static_cast<std::size_t>(bytes), stream_));
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
    cards_at_work() = 1;
    Graph* graph = timing == Timing::kGraph ? &replay(calls, key) : nullptr;
    const auto work = [&] { launch(graph, calls); };
    return scope == Scope::kKernel ? between_events_s(work) : on_the_host_s(work);
  }

  /// By the card's clock, samples are launched ahead, so that nothing lies between two. The host's clock stands
  /// round each.
  void sustain(const NextCalls& next, Scope scope, Timing timing, std::uint64_t key,
               const Took& took) override {
    if (scope != Scope::kKernel) return Backend::sustain(next, scope, timing, key, took);
    cards_at_work() = 1;
    Graph* graph = timing == Timing::kGraph ? &replay(next(), key) : nullptr;
    Ahead(stream_).run([&] { launch(graph, next()); }, took);
  }

  /// Ends a group: the memory kept for end_to_end_s goes as well.
  void drop_graphs() override {
    synchronize();
    graphs_.clear();
    end_to_end_->release();
  }

  void* allocate_host_bytes(std::int64_t bytes, HostMemory kind) override {
    return gpu::allocate_host(bytes, kind);
  }
  void release_host(void* memory, HostMemory kind) override { gpu::release_host(memory, kind); }

  double end_to_end_s(const EndToEnd& work) override {
    cards_at_work() = 1;
    begin_watch(kNeverWhileTimed);  // a reading might wait for the driver beside an allocation
    const double seconds = end_to_end_->sample_s(work);
    end_watch(true);
    return seconds;
  }

  Conditions conditions() override { return in_stretch_ ? Conditions() : watch_->seen(cards_at_work()); }

  void begin_energy() override {
    watch_->begin();
    in_stretch_ = true;
  }
  std::optional<Energy> end_energy() override {
    in_stretch_ = false;
    watch_->end();
    return watch_->seen(cards_at_work()).energy;
  }
  std::string why_no_energy() const override { return watch_->why_no_energy(cards_at_work()); }

  void profiled(const Call& call) override {
    const Profiled scope;
    call();
    synchronize();
  }

 private:
  /// Where either lies, CUDA knows.
  void copy(void* to, const void* from, std::int64_t bytes) {
    GEMMLAB_CUDA_CHECK(
        cudaMemcpyAsync(to, from, static_cast<std::size_t>(bytes), cudaMemcpyDefault, stream_));
    synchronize();
  }

  /// The graph of `key`, captured and replayed once at its first use: the first launch of a graph uploads it.
  Graph& replay(const std::vector<Call>& calls, std::uint64_t key) {
    std::unique_ptr<Graph>& graph = graphs_[key];
    if (!graph) {
      graph = std::make_unique<Graph>(stream_, calls);
      graph->launch(stream_);
      synchronize();
    }
    return *graph;
  }

  /// The graph, or, where there is none, each of the calls.
  void launch(Graph* graph, const std::vector<Call>& calls) {
    if (graph != nullptr) return graph->launch(stream_);
    for (const Call& call : calls) call();
  }

  /// The readings of a sample; in a stretch, those of the whole stretch go on.
  void begin_watch(GpuWatch::Clock::duration quiet = GpuWatch::Clock::duration::zero()) {
    if (!in_stretch_) watch_->begin(quiet);
  }
  void end_watch(bool after = false) {
    if (!in_stretch_) watch_->end(after);
  }

  template <typename Work>
  double between_events_s(const Work& work) {
    timer_->start(stream_);
    work();
    timer_->stop(stream_);
    begin_watch();  // all is launched: the card works, and its own clock does not notice
    const double seconds = timer_->elapsed_s();
    end_watch();
    return seconds;
  }

  template <typename Work>
  double on_the_host_s(const Work& work) {
    begin_watch(kQuiet);
    const auto start = std::chrono::steady_clock::now();
    work();
    synchronize();
    const auto stop = std::chrono::steady_clock::now();
    end_watch(true);
    return std::chrono::duration<double>(stop - start).count();
  }

  cudaStream_t stream_ = nullptr;
  int l2_bytes_ = 0;
  std::unique_ptr<EventTimer> timer_;
  std::unique_ptr<CardsWatch> watch_;
  bool in_stretch_ = false;  ///< whose energy is told as a whole
  std::unique_ptr<EndToEndClock> end_to_end_;
  std::unordered_map<void*, std::unique_ptr<DeviceMemory>> memory_;
  std::map<std::uint64_t, std::unique_ptr<Graph>> graphs_;
};

}  // namespace

cudaStream_t current_stream() {
  return backend_stream;
}

void use_stream(void* stream) {
  backend_stream = static_cast<cudaStream_t>(stream);
}

std::unique_ptr<Backend> make_backend() {
  if (const std::string reason = unavailable(); !reason.empty()) {
    throw std::runtime_error("no GPU backend: " + reason);
  }
  return std::make_unique<CudaBackend>();
}

}  // namespace gemmlab::gpu
