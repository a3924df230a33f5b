// Which GPUs are here, and whether this build can use them.

#include <cuda_runtime.h>

#include <cstdio>
#include <fstream>
#include <regex>

#include "gpu/device/check.h"
#include "gpu/device/watching/nvml.h"
#include "gpu/table.h"

namespace gemmlab::gpu {
namespace {

__global__ void empty_kernel() {}

std::string cuda_version(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

std::string version_from_proc() {
  std::ifstream file("/proc/driver/nvidia/version");
  std::string line;
  std::getline(file, line);
  std::smatch match;
  return std::regex_search(line, match, std::regex("\\b[0-9]{3,}(\\.[0-9]+)+\\b")) ? match.str()
                                                                                   : std::string();
}

std::string driver_version() {
  if (std::string version = nvml_driver_version(); !version.empty()) return version;
  if (std::string version = version_from_proc(); !version.empty()) return version;
  int version = 0;
  GEMMLAB_CUDA_CHECK(cudaDriverGetVersion(&version));
  return "CUDA " + cuda_version(version);
}

/// As nvidia-smi writes it: GPU-8-4-4-4-12 hex digits.
std::string to_text(const cudaUUID_t& uuid) {
  std::string text = "GPU-";
  for (int i = 0; i < 16; ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    char digits[3];
    std::snprintf(digits, sizeof(digits), "%02x", static_cast<unsigned char>(uuid.bytes[i]));
    text += digits;
  }
  return text;
}

int attribute(cudaDeviceAttr which, int device) {
  int value = 0;
  GEMMLAB_CUDA_CHECK(cudaDeviceGetAttribute(&value, which, device));
  return value;
}

GpuInfo describe_gpu(int device) {
  cudaDeviceProp properties;
  GEMMLAB_CUDA_CHECK(cudaGetDeviceProperties(&properties, device));
  constexpr int kKilohertzPerMegahertz = 1000;
  GpuInfo info;
  info.name = properties.name;
  info.uuid = to_text(properties.uuid);
  info.compute_capability = std::to_string(properties.major) + "." + std::to_string(properties.minor);
  info.sm_count = properties.multiProcessorCount;
  info.memory_bytes = static_cast<std::int64_t>(properties.totalGlobalMem);
  info.l2_bytes = properties.l2CacheSize;
  info.sm_registers = properties.regsPerMultiprocessor;
  info.sm_shared_bytes = static_cast<std::int64_t>(properties.sharedMemPerMultiprocessor);
  info.block_shared_bytes = static_cast<std::int64_t>(properties.sharedMemPerBlockOptin);
  info.sm_threads = properties.maxThreadsPerMultiProcessor;
  info.sm_blocks = properties.maxBlocksPerMultiProcessor;
  info.block_threads = properties.maxThreadsPerBlock;
  // CUDA 13 took the clocks out of cudaDeviceProp
  info.clock_mhz = attribute(cudaDevAttrClockRate, device) / kKilohertzPerMegahertz;
  info.memory_clock_mhz = attribute(cudaDevAttrMemoryClockRate, device) / kKilohertzPerMegahertz;
  info.ecc = properties.ECCEnabled != 0;
  char bus_id[32] = {};
  GEMMLAB_CUDA_CHECK(cudaDeviceGetPCIBusId(bus_id, sizeof(bus_id), device));
  info.persistence_mode = Nvml(bus_id).persistence_mode();
  info.driver = driver_version();
  int runtime = 0;
  GEMMLAB_CUDA_CHECK(cudaRuntimeGetVersion(&runtime));
  info.runtime = cuda_version(runtime);
  return info;
}

std::string why_unusable() {
  int driver = 0;
  if (cudaDriverGetVersion(&driver) != cudaSuccess || driver == 0) {
    cudaGetLastError();
    return "no NVIDIA driver";
  }
  int count = 0;
  const cudaError_t error = cudaGetDeviceCount(&count);
  cudaGetLastError();
  if (error == cudaErrorInsufficientDriver) {
    return "the driver knows CUDA " + cuda_version(driver) + ", this was built with " +
           cuda_version(CUDART_VERSION);
  }
  if (error == cudaErrorNoDevice || (error == cudaSuccess && count == 0)) return "no GPU found";
  if (error != cudaSuccess) return std::string("no GPU can be used: ") + cudaGetErrorString(error);

  cudaFuncAttributes attributes;
  const cudaError_t image = cudaFuncGetAttributes(&attributes, empty_kernel);
  cudaGetLastError();
  const std::string code = std::string(" (it has ") + GEMMLAB_CUDA_ARCHITECTURES + ")";
  const std::string capability = "compute capability " +
                                 std::to_string(attribute(cudaDevAttrComputeCapabilityMajor, 0)) + "." +
                                 std::to_string(attribute(cudaDevAttrComputeCapabilityMinor, 0));
  if (image == cudaErrorNoKernelImageForDevice || image == cudaErrorInvalidDeviceFunction)
    return "built without code for " + capability + code;
  if (image == cudaErrorUnsupportedPtxVersion)
    return "built without code for " + capability + code + ", and the driver, which knows CUDA " +
           cuda_version(driver) + ", cannot read PTX of " + cuda_version(CUDART_VERSION);
  if (image != cudaSuccess) return std::string("the GPU cannot be used: ") + cudaGetErrorString(image);
  return {};
}

}  // namespace

std::string unavailable() {
  static const std::string reason = why_unusable();  // costs a context, once a process
  return reason;
}

std::vector<GpuInfo> gpus() {
  int count = 0;
  if (cudaGetDeviceCount(&count) != cudaSuccess) {
    cudaGetLastError();
    return {};
  }
  std::vector<GpuInfo> all;
  for (int device = 0; device < count; ++device) all.push_back(describe_gpu(device));
  return all;
}

}  // namespace gemmlab::gpu
