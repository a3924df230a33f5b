#include "emulator/runtime/calls/streams.h"

#include <algorithm>
#include <atomic>
#include <map>
#include <string>
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
thread_local std::uint32_t call_place = 0;
thread_local cudaStreamCaptureMode capture_mode = cudaStreamCaptureModeGlobal;
Order host;    ///< what the host has waited for
Order legacy;  ///< what the default stream has in front of it
std::uint64_t call = 0;
std::atomic<std::uint64_t> failed_calls = 0;
constexpr std::uint32_t kDefaultStreams = 0;  ///< the number of all of them

bool is_default(cudaStream_t stream) {
  return stream == nullptr || stream == cudaStreamLegacy || stream == cudaStreamPerThread;
}

void run_as(std::uint32_t number, Order& behind, const Work& work) {
  uses().begin(number, work.name, work.line, work.place, behind);
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

/// By name, as ptxas said it: with template arguments and without, the fewest where several have the same.
std::map<std::string, int> registers;

int registers_of(const std::string& kernel) {
  const auto found = registers.find(kernel);
  if (found != registers.end()) return found->second;
  std::string name = kernel.substr(0, kernel.find('<'));
  if (const std::size_t scope = name.rfind("::"); scope != std::string::npos) name.erase(0, scope + 2);
  const auto bare = registers.find(name);
  return bare == registers.end() ? 0 : bare->second;
}

/// Registers that a block holds: each warp has a multiple of 256, and warps come by fours.
std::uint64_t registers_of_block(int each, std::uint64_t threads) {
  const std::uint64_t warps = (threads + 127) / 128 * 4;
  return warps * 32 * static_cast<std::uint64_t>((each + 7) / 8 * 8);
}

/// Why CUDA would refuse the launch.
cudaError_t launch_fault(const LaunchSite& site, const Configuration& launch) {
  const std::uint64_t threads = std::uint64_t{launch.block.x} * launch.block.y * launch.block.z;
  const std::uint64_t blocks = std::uint64_t{launch.grid.x} * launch.grid.y * launch.grid.z;
  const bool grid = blocks > 0 && launch.grid.x <= kMostGridX && launch.grid.y <= kMostGridYZ &&
                    launch.grid.z <= kMostGridYZ;
  const bool block = threads > 0 && threads <= kMostThreadsPerBlock && launch.block.x <= kMostBlockX &&
                     launch.block.y <= kMostBlockY && launch.block.z <= kMostBlockZ;
  if (!grid || !block) return cudaErrorInvalidConfiguration;
  if (registers_of_block(registers_of(site.kernel), threads) > kRegistersPerBlock)
    return cudaErrorLaunchOutOfResources;
  if (const cudaError_t fault = stream_fault(launch.stream, current_device()); fault != cudaSuccess)
    return fault;
  return launch.shared_bytes > most_dynamic_shared() ? cudaErrorInvalidValue : cudaSuccess;
}

std::map<const void*, LaunchByAddress>& noted_kernels() {
  static std::map<const void*, LaunchByAddress> all;
  return all;
}

/// " 65536 blocks in y, of which there may be 65535."
std::string limit_passed(const Launch& launch) {
  const std::uint64_t threads = std::uint64_t{launch.block.x} * launch.block.y * launch.block.z;
  struct Limited {
    const char* what;
    std::uint64_t is, most;
  };
  const Limited all[] = {{"blocks in x", launch.grid.x, kMostGridX},
                         {"blocks in y", launch.grid.y, kMostGridYZ},
                         {"blocks in z", launch.grid.z, kMostGridYZ},
                         {"threads in a block", threads, kMostThreadsPerBlock},
                         {"threads of a block in x", launch.block.x, kMostBlockX},
                         {"threads of a block in y", launch.block.y, kMostBlockY},
                         {"threads of a block in z", launch.block.z, kMostBlockZ},
                         {"bytes of dynamic shared memory", launch.shared_bytes, most_dynamic_shared()}};
  for (const Limited& one : all) {
    if (one.is > one.most)
      return " It asks for " + std::to_string(one.is) + " " + one.what + ", at most " +
             std::to_string(one.most) + " are allowed" +
             (one.most == kStaticSharedBytes ? " (more after cudaFuncSetAttribute)." : ".");
  }
  if (launch.grid.x == 0 || launch.grid.y == 0 || launch.grid.z == 0)
    return " A grid must have at least one block in each direction.";
  if (threads == 0) return " A block must have at least one thread in each direction.";
  if (const std::string cluster = launch.cluster_fault(); !cluster.empty()) return cluster;
  const int each = registers_of(launch.kernel);
  if (registers_of_block(each, threads) > kRegistersPerBlock)
    return " Its threads need " + std::to_string(each) + " registers each, " +
           std::to_string(registers_of_block(each, threads)) + " for a block; there are " +
           std::to_string(kRegistersPerBlock) +
           ". Smaller blocks, fewer results per thread, or __launch_bounds__(" + std::to_string(threads) +
           ") make it fit.";
  return "";
}

}  // namespace

std::string refusal(const Launch& launch, int error) {
  const auto three = [](const dim3& of) {
    return "(" + std::to_string(of.x) + ", " + std::to_string(of.y) + ", " + std::to_string(of.z) + ")";
  };
  return "CUDA refuses the launch of " + (launch.kernel.empty() ? "a kernel" : launch.kernel) +
         (launch.line > 0 ? " in line " + std::to_string(launch.line) : "") + " (grid " + three(launch.grid) +
         ", block " + three(launch.block) + "): " + cudaGetErrorString(static_cast<cudaError_t>(error)) +
         "." + limit_passed(launch);
}

void note_registers(const std::string& kernel, int each) {
  for (const std::string& name : {kernel, kernel.substr(0, kernel.find('<'))}) {
    const std::size_t scope = name.substr(0, name.find('<')).rfind("::");
    const std::string bare = scope == std::string::npos ? name : name.substr(scope + 2);
    for (const std::string& one : {name, bare}) {
      int& known = registers.emplace(one, each).first->second;
      known = std::min(known, each);
    }
  }
}

void come_to(const Moment& moment) {
  if (moment.call != call) return;
  while (!moment.come && !moment.stream->waiting.empty()) run_next(*moment.stream);
}

Order& behind_of(cudaStream_t stream) {
  return is_default(stream) ? legacy : stream->behind;
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

std::uint32_t call_place_now() {
  return call_place;
}

CallPlace::CallPlace(const void* return_address) : outermost_(call_place == 0) {
  if (outermost_) call_place = place_of(return_address);
}

CallPlace::~CallPlace() {
  if (outermost_) call_place = 0;
}

void submit(cudaStream_t stream, const std::string& name, std::function<void()> work, int line) {
  if (under_capture(stream)) {
    stream->captured_to->work->nodes.push_back({name, std::move(work), {}, line, 0});
    return;
  }
  uses().end_host_work(host);
  if (!is_default(stream)) {
    Work made{name, std::move(work), host, line, call_place};
    if (stream->blocking) made.behind.merge(legacy);
    stream->waiting.push_back(std::move(made));
    return;
  }
  legacy.merge(host);
  for (CUstream_st* each : streams) {
    if (!each->blocking || each->device != current_device()) continue;
    drain(*each);
    legacy.merge(each->behind);
  }
  run_as(kDefaultStreams, legacy, {name, std::move(work), {}, line, call_place});
}

void wait_for(cudaStream_t stream) {
  uses().end_host_work(host);
  if (is_default(stream)) {
    // with it for the streams that it waits for
    for (CUstream_st* each : streams) {
      if (!each->blocking || each->device != current_device()) continue;
      drain(*each);
      legacy.merge(each->behind);
    }
    host.merge(legacy);
    return;
  }
  drain(*stream);
  host.merge(stream->behind);
}

void wait_for_all() {
  for (std::size_t i = 0; i < streams.size(); ++i) wait_for(streams[i]);
  host.merge(legacy);
}

bool has_streams() {
  return !streams.empty();
}

Order& behind_of_host() {
  return host;
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

Launch made_launch(const LaunchSite& site, const Configuration& configuration, const Package& package,
                   int device) {
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

void refuse_launch(const Launch& launch, cudaError_t fault) {
  Finding finding;
  const bool empty = launch.grid.x == 0 || launch.grid.y == 0 || launch.grid.z == 0;
  finding.kind = empty ? "empty-grid" : "invalid-launch";
  finding.line = launch.line;
  finding.kernel = launch.kernel;
  finding.text = refusal(launch, fault);
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
  cudaError_t fault = launch_fault(site, configuration);
  if (fault == cudaSuccess && !launch.cluster_fault().empty()) fault = cudaErrorInvalidClusterSize;
  if (fault == cudaSuccess && configuration.cooperative && !runs_at_once(configuration))
    fault = cudaErrorCooperativeLaunchTooLarge;
  // on a card some may have run by then: how many are lost differs from call to call
  if (fault == cudaSuccess && current != nullptr && run().launched_later() >= most_pending_launches())
    fault = cudaErrorLaunchPendingCountExceeded;
  if (fault != cudaSuccess) return refuse_launch(launch, fault);
  if (current != nullptr) return run().launch_later([launch] { run().launch(launch); });
  submit(
      configuration.stream, site.kernel[0] != '\0' ? site.kernel : "a kernel",
      [launch] { run().launch(launch); }, site.line);
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
  gemmlab::emulation::wait_for(nullptr);
  return static_cast<cudaError_t>(gemmlab::emulation::run().error());
}
}

extern "C" __attribute__((visibility("default"))) std::uint64_t gemmlab_emulation_failed_calls() {
  return gemmlab::emulation::failed_calls;
}
