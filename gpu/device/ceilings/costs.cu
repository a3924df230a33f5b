// What the events and launches that time a kernel cost themselves.

#include <chrono>
#include <functional>

#include "core/statistics.h"
#include "gpu/device/check.h"
#include "gpu/device/device.h"
#include "gpu/device/graph.h"
#include "gpu/table.h"

namespace gemmlab::gpu {
namespace {

constexpr int kSingles = 201;  // samples of one event pair or launch
constexpr int kStrings = 21;   // samples of a string of launches
constexpr int kInString = 512;

__global__ void empty_kernel() {}

/// A stream of its own, as the backend's: the default stream would wait for others.
class Stream {
 public:
  Stream() { GEMMLAB_CUDA_CHECK(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking)); }
  ~Stream() { cudaStreamDestroy(stream_); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  operator cudaStream_t() const { return stream_; }
  void synchronize() const { GEMMLAB_CUDA_CHECK(cudaStreamSynchronize(stream_)); }
  void launch() const {
    empty_kernel<<<1, 32, 0, stream_>>>();
    GEMMLAB_CUDA_CHECK(cudaGetLastError());
  }

 private:
  cudaStream_t stream_ = nullptr;
};

/// The median of `samples` values of `sample_s`, after a tenth as many unseen ones.
double median_of(int samples, const std::function<double()>& sample_s) {
  for (int i = 0; i < samples / 10; ++i) sample_s();
  std::vector<double> seconds;
  for (int i = 0; i < samples; ++i) seconds.push_back(sample_s());
  return median(seconds);
}

}  // namespace

std::vector<Cost> measure_costs() {
  if (!unavailable().empty()) return {};
  GEMMLAB_CUDA_CHECK(cudaSetDevice(0));
  const Stream stream;
  EventTimer timer;
  Graph graph(stream, std::vector<Backend::Call>(kInString, [&] { stream.launch(); }));
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::milliseconds kWarmUp{30};  // for the clock to rise
  for (const Clock::time_point start = Clock::now(); Clock::now() - start < kWarmUp;) {
    graph.launch(stream);
    stream.synchronize();
  }

  const auto between_events_s = [&](const std::function<void()>& work) {
    timer.start(stream);
    work();
    return timer.stop_s(stream);
  };
  const auto string_s = [&](const std::function<void()>& work) {
    return median_of(kStrings, [&] { return between_events_s(work) / kInString; });
  };
  const std::string singles = ", median of " + std::to_string(kSingles);
  const std::string strings =
      std::to_string(kInString) + " empty kernels, median of " + std::to_string(kStrings) + ", for each";
  return {
      {"gpu", "event_pair", median_of(kSingles, [&] { return between_events_s([] {}); }),
       "two events with nothing between them" + singles},
      {"gpu", "empty_kernel", median_of(kSingles, [&] { return between_events_s([&] { stream.launch(); }); }),
       "two events with one empty kernel between them" + singles},
      {"gpu", "graph_node", string_s([&] { graph.launch(stream); }), "a replayed graph of " + strings},
      {"gpu", "launch", string_s([&] {
         for (int i = 0; i < kInString; ++i) stream.launch();
       }),
       "launches back to back of " + strings},
      {"gpu", "launch_and_synchronize",
       median_of(kSingles,
                 [&] {
                   const Clock::time_point start = Clock::now();
                   stream.launch();
                   stream.synchronize();
                   return std::chrono::duration<double>(Clock::now() - start).count();
                 }),
       "one empty kernel and a synchronisation, by the host's clock" + singles}};
}

}  // namespace gemmlab::gpu
