#include "emulator/runtime/calls/streams.h"

#include <algorithm>
#include <atomic>
#include <map>
#include <vector>

#include "emulator/exports.h"
#include "emulator/include/cuda_runtime.h"
#include "emulator/runtime/calls/devices.h"
#include "emulator/runtime/limits.h"
#include "emulator/runtime/run.h"

namespace gemmlab::emulation {
namespace {

std::vector<CUstream_st*> streams;
thread_local cudaError_t last_error = cudaSuccess;
thread_local cudaStreamCaptureMode capture_mode = cudaStreamCaptureModeGlobal;
Order host;  ///< what the host has waited for
std::uint64_t call = 0;
std::atomic<std::uint64_t> failed_calls = 0;
constexpr std::uint32_t kDefaultStreams = 0;  ///< the number of all of them

bool is_default(cudaStream_t stream) {
  return stream == nullptr || stream == cudaStreamLegacy || stream == cudaStreamPerThread;
}

void run_as(std::uint32_t number, Order& behind, const Work& work) {
  uses().begin(number, work.name, behind);
  work.run();
  uses().end();
  behind.add(number, behind.works_of(number) + 1);
}

void run_next(CUstream_st& stream) {
  const Work work = std::move(stream.waiting.front());
  stream.waiting.pop_front();
  stream.behind.merge(work.behind);
  run_as(stream.number, stream.behind, work);
}

void drain(CUstream_st& stream) {
  while (!stream.waiting.empty()) run_next(stream);
}

/// Why CUDA would refuse the launch.
cudaError_t launch_fault(const Configuration& launch) {
  const std::uint64_t threads = std::uint64_t{launch.block.x} * launch.block.y * launch.block.z;
  const std::uint64_t blocks = std::uint64_t{launch.grid.x} * launch.grid.y * launch.grid.z;
  const bool grid = blocks > 0 && launch.grid.x <= kMostGridX && launch.grid.y <= kMostGridYZ &&
                    launch.grid.z <= kMostGridYZ;
  const bool block = threads > 0 && threads <= kMostThreadsPerBlock && launch.block.x <= kMostBlockX &&
                     launch.block.y <= kMostBlockY && launch.block.z <= kMostBlockZ;
  if (!grid || !block) return cudaErrorInvalidConfiguration;
  // one row of blocks, whole warps: more is not run
  if (launch.cluster < 1 || launch.cluster > SharedMemory::kMostBlocks || launch.grid.x % launch.cluster != 0 ||
      (launch.cluster > 1 && threads % kLanes != 0))
    return cudaErrorInvalidConfiguration;
  if (const cudaError_t fault = stream_fault(launch.stream, current_device()); fault != cudaSuccess)
    return fault;
  return launch.shared_bytes > most_dynamic_shared() ? cudaErrorInvalidValue : cudaSuccess;
}

std::map<const void*, LaunchByAddress>& noted_kernels() {
  static std::map<const void*, LaunchByAddress> all;
  return all;
}

}  // namespace

void come_to(const Moment& moment) {
  if (moment.call != call) return;
  while (!moment.come && !moment.stream->waiting.empty()) run_next(*moment.stream);
}

Order& behind_of(cudaStream_t stream) {
  return is_default(stream) ? host : stream->behind;
}

cudaError_t stream_fault(cudaStream_t stream, int device) {
  const int its = is_default(stream) ? current_device() : stream->device;
  return its == device ? cudaSuccess : cudaErrorInvalidResourceHandle;
}

std::uint64_t call_now() {
  return call;
}

std::uint64_t& most_dynamic_shared() {
  static std::uint64_t bytes = kStaticSharedBytes;
  return bytes;
}

std::recursive_mutex& runtime_mutex() {
  static std::recursive_mutex mutex;
  return mutex;
}

bool allowed_during_captures() {
  if (capture_mode == cudaStreamCaptureModeRelaxed) return true;
  bool allowed = true;
  for (CUstream_st* each : streams) {
    if (!each->captured_to || each->mode != cudaStreamCaptureModeGlobal) continue;
    each->spoilt = true;
    allowed = false;
  }
  return allowed;
}

bool under_capture(cudaStream_t stream) {
  return !is_default(stream) && stream->captured_to != nullptr;
}

void submit(cudaStream_t stream, const std::string& name, std::function<void()> work) {
  if (under_capture(stream)) {
    stream->captured_to->work->nodes.push_back({name, std::move(work), {}});
    return;
  }
  if (!is_default(stream)) {
    stream->waiting.push_back({name, std::move(work), host});
    return;
  }
  for (CUstream_st* each : streams) {
    if (!each->blocking || each->device != current_device()) continue;
    drain(*each);
    host.merge(each->behind);
  }
  run_as(kDefaultStreams, host, {name, std::move(work), {}});
}

void wait_for(cudaStream_t stream) {
  if (is_default(stream)) return;
  drain(*stream);
  host.merge(stream->behind);
}

void wait_for_all() {
  for (std::size_t i = 0; i < streams.size(); ++i) wait_for(streams[i]);
}

void forget_work() {
  for (CUstream_st* each : streams) each->waiting.clear();
  last_error = cudaSuccess;
  uses().forget();
  ++call;
}

cudaError_t noted(cudaError_t error) {
  if (error != cudaSuccess) {
    last_error = error;
    ++failed_calls;
  }
  return error;
}

cudaError_t take_error(bool keep) {
  const std::lock_guard lock(runtime_mutex());
  const auto sticky = static_cast<cudaError_t>(run().error());
  if (sticky != cudaSuccess) return sticky;
  const cudaError_t error = last_error;
  if (!keep) last_error = cudaSuccess;
  return error;
}

namespace {

Launch made_launch(const LaunchSite& site, const Configuration& configuration, const Package& package, int device) {
  Launch launch;
  launch.device = device;
  launch.kernel = site.kernel;
  launch.line = site.line;
  launch.grid = configuration.grid;
  launch.block = configuration.block;
  launch.shared_bytes = configuration.shared_bytes;
  launch.cluster = configuration.cluster;
  launch.cooperative = configuration.cooperative;
  launch.arguments = std::shared_ptr<void>(package.data, package.destroy);
  launch.argument_bytes = package.bytes;
  launch.run = package.run;
  return launch;
}

void refuse_launch(const LaunchSite& site, cudaError_t fault) {
  Finding finding;
  finding.kind = "invalid-launch";
  finding.line = site.line;
  finding.kernel = site.kernel;
  finding.text = std::string("CUDA refuses the launch of ") + site.kernel + " in line " + std::to_string(site.line) +
                 ": " + cudaGetErrorString(fault) + ".";
  run().findings().add(std::move(finding));
  noted(fault);
}

/// Do all blocks find room on the card at the same time?
bool runs_at_once(const Configuration& launch) {
  int blocks = 0;
  const auto threads = static_cast<int>(launch.block.x * launch.block.y * launch.block.z);
  most_blocks_per_sm(&blocks, nullptr, threads, launch.shared_bytes);
  return std::uint64_t{launch.grid.x} * launch.grid.y * launch.grid.z <=
         static_cast<std::uint64_t>(blocks) * static_cast<std::uint64_t>(kSmCount);
}

}  // namespace

void enqueue(const LaunchSite& site, const Configuration& configuration, const Package& package) {
  const std::lock_guard lock(runtime_mutex());
  const int device = current == nullptr ? current_device() : run().launch_now()->device;
  const Launch launch = made_launch(site, configuration, package, device);
  cudaError_t fault = launch_fault(configuration);
  if (fault == cudaSuccess && configuration.cooperative && !runs_at_once(configuration))
    fault = cudaErrorCooperativeLaunchTooLarge;
  if (fault != cudaSuccess) return refuse_launch(site, fault);
  if (current != nullptr) return run().launch_later([launch] { run().launch(launch); });
  submit(configuration.stream, site.kernel[0] != '\0' ? site.kernel : "a kernel", [launch] { run().launch(launch); });
}

void note_kernel(const void* kernel, LaunchByAddress launch) {
  const std::lock_guard lock(runtime_mutex());
  noted_kernels()[kernel] = launch;
}

cudaError_t launch_by_address(const void* kernel, const Configuration& configuration, void** arguments) {
  const std::lock_guard lock(runtime_mutex());
  const auto found = noted_kernels().find(kernel);
  if (found == noted_kernels().end()) return noted(cudaErrorInvalidDeviceFunction);
  found->second(kernel, configuration, arguments);
  return cudaPeekAtLastError();
}

}  // namespace gemmlab::emulation

using gemmlab::emulation::noted;
using Lock = std::lock_guard<std::recursive_mutex>;
using gemmlab::emulation::runtime_mutex;

extern "C" {

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
  const Lock lock(runtime_mutex());
  *stream = new CUstream_st;
  static std::uint32_t number = 0;
  (*stream)->number = ++number;
  (*stream)->device = gemmlab::emulation::current_device();
  (*stream)->blocking = (flags & cudaStreamNonBlocking) == 0;
  gemmlab::emulation::streams.push_back(*stream);
  return cudaSuccess;
}
cudaError_t cudaStreamCreate(cudaStream_t* stream) {
  return cudaStreamCreateWithFlags(stream, cudaStreamDefault);
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  const Lock lock(runtime_mutex());
  if (gemmlab::emulation::under_capture(stream)) {
    stream->spoilt = true;
    return noted(cudaErrorStreamCaptureUnsupported);
  }
  gemmlab::emulation::wait_for(stream);
  return static_cast<cudaError_t>(gemmlab::emulation::run().error());
}
cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode* mode) {
  std::swap(*mode, gemmlab::emulation::capture_mode);
  return cudaSuccess;
}
cudaError_t cudaStreamQuery(cudaStream_t stream) {
  return cudaStreamSynchronize(stream);
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  const Lock lock(runtime_mutex());
  auto& streams = gemmlab::emulation::streams;
  const auto found = std::find(streams.begin(), streams.end(), stream);
  if (found == streams.end()) return noted(cudaErrorInvalidResourceHandle);
  gemmlab::emulation::wait_for(stream);
  streams.erase(std::find(streams.begin(), streams.end(), stream));
  delete stream;
  return cudaSuccess;
}
cudaError_t cudaDeviceSynchronize() {
  const Lock lock(runtime_mutex());
  auto& streams = gemmlab::emulation::streams;
  for (std::size_t i = 0; i < streams.size(); ++i) {
    if (streams[i]->device == gemmlab::emulation::current_device()) gemmlab::emulation::wait_for(streams[i]);
  }
  return static_cast<cudaError_t>(gemmlab::emulation::run().error());
}
}

extern "C" __attribute__((visibility("default"))) std::uint64_t gemmlab_emulation_failed_calls() {
  return gemmlab::emulation::failed_calls;
}
