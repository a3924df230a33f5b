#include "gpu/device/ceilings/ceilings.h"
#include "gpu/device/check.h"
#include "gpu/device/device.h"
#include "gpu/device/host_memory.h"

namespace gemmlab::gpu {
namespace {

constexpr std::int64_t kBytes = std::int64_t{256} << 20;

Ceiling measure_transfer(HostMemory kind, cudaMemcpyKind direction, void* to, const void* from) {
  const bool pinned = kind == HostMemory::kPinned;
  Limit limit;
  limit.what = direction == cudaMemcpyHostToDevice ? "transfer_to_device" : "transfer_from_device";
  limit.level = to_string(kind);
  limit.unit = "GB/s";
  limit.loop = "cudaMemcpyAsync of " + std::to_string(kBytes >> 20) + " MiB, " + to_string(kind);
  limit.amount = kBytes;
  limit.units_each = 1;
  // ordinary memory is copied by the host, slowly, and by a core that others may want as well
  limit.least_runs = pinned ? 6 : 4;
  limit.warm_up_s = 0;
  limit.tolerance = pinned ? 0.05 : 0.15;
  return measure(limit, [&](std::int64_t bytes) {
    GEMMLAB_CUDA_CHECK(cudaMemcpyAsync(to, from, static_cast<std::size_t>(bytes), direction, nullptr));
  });
}

}  // namespace

std::vector<Ceiling> measure_transfers() {
  const DeviceMemory device(kBytes);
  std::vector<Ceiling> ceilings;
  for (HostMemory kind : {HostMemory::kPinned, HostMemory::kPageable}) {
    const HostBuffer host(kBytes, kind);
    ceilings.push_back(measure_transfer(kind, cudaMemcpyHostToDevice, device.data(), host.data()));
    ceilings.push_back(measure_transfer(kind, cudaMemcpyDeviceToHost, host.data(), device.data()));
  }
  return ceilings;
}

}  // namespace gemmlab::gpu
