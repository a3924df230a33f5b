// The latency of each level: one thread follows links through global memory (by the L1, or past it), shared
// memory or constant memory.

#include <algorithm>
#include <map>
#include <stdexcept>
#include <vector>

#include "core/rounding.h"
#include "core/session_row.h"
#include "gpu/describe.h"
#include "gpu/device/cycles.h"
#include "gpu/device/launch.h"
#include "gpu/device/resources.h"
#include "gpu/table.h"
#include "operations/chase/chase.h"

// after cycles.h
#include "gpu/chase/kernels.h"

namespace gemmlab::gpu {
namespace {

using gemmlab::chasing::kAt;
using gemmlab::chasing::kNext;
using gemmlab::chasing::Ring;

constexpr int kLinkThreads = 256;

class ChaseSession : public Session {
 public:
  static constexpr bool kResident = true;

  ChaseSession(const Instance& instance, const Parameters& parameters)
      : ring_(gemmlab::chasing::ring_of(instance)), path_(text(parameters, "path")) {
    if (path_ == "l1") {
      GEMMLAB_CUDA_CHECK(cudaFuncSetAttribute(chasing::follow_global<true>,
                                              cudaFuncAttributePreferredSharedMemoryCarveout,
                                              cudaSharedmemCarveoutMaxL1));
    }
  }

  /// Shared memory is filled by the kernel itself, from `next`.
  void stage(const std::vector<Operands>& sets) override {
    if (path_ == "shared") return;
    sets_.clear();
    for (const Operands& operands : sets) link(operands.in<int>(kNext));
  }

  void run(const Operands& operands) override {
    const int* next = operands.in<int>(kNext);
    int* at = operands.out<int>(kAt);
    const auto loads = static_cast<int>(ring_.loads);
    const auto spacing = static_cast<int>(ring_.spacing);
    const dim3 lanes(chasing::kLanes);
    if (path_ == "shared") {
      launch(chasing::follow_shared, 1, lanes, bytes(), next, static_cast<int>(ring_.nodes), spacing, at,
             loads, cycles_.device());
      return;
    }
    char* nodes = static_cast<char*>(staged(next).data());
    if (path_ == "constant") {
      GEMMLAB_CUDA_CHECK(cudaMemcpyToSymbolAsync(chasing::constant_set, nodes, bytes(), 0,
                                                 cudaMemcpyDeviceToDevice, current_stream()));
      launch(chasing::follow_constant, 1, dim3(1), 0, spacing, at, loads, cycles_.device());
    } else if (path_ == "l1") {
      launch(chasing::follow_global<true>, 1, lanes, 0, nodes, ring_.nodes, ring_.spacing, at, loads,
             cycles_.device());
    } else {
      launch(chasing::follow_global<false>, 1, lanes, 0, nodes, ring_.nodes, ring_.spacing, at, loads,
             cycles_.device());
    }
  }

  /// Past the L1 also the cycles of a near and of a far load: of one tenth, and of nine tenths of single
  /// loads at most. A large card's L2 is in two parts.
  Facts chosen() const override {
    Facts facts = {{"cycles_per_load", cycles_.read() / static_cast<double>(ring_.loads)}};
    if (path_ != "l2" || sets_.empty()) return facts;
    std::vector<unsigned> cycles = cycles_of_single_loads();
    std::sort(cycles.begin(), cycles.end());
    facts["near_load_cycles"] = static_cast<std::int64_t>(cycles[cycles.size() / 10]);
    facts["far_load_cycles"] = static_cast<std::int64_t>(cycles[cycles.size() - cycles.size() / 10]);
    return facts;
  }
  Facts resources() const override {
    if (path_ == "shared") {
      return kernel_resources(reinterpret_cast<const void*>(chasing::follow_shared), chasing::kLanes,
                              bytes());
    }
    if (path_ == "constant") {
      return kernel_resources(reinterpret_cast<const void*>(chasing::follow_constant), 1, 0);
    }
    const void* kernel = path_ == "l1" ? reinterpret_cast<const void*>(chasing::follow_global<true>)
                                       : reinterpret_cast<const void*>(chasing::follow_global<false>);
    return kernel_resources(kernel, chasing::kLanes, 0);
  }

 private:
  std::size_t bytes() const { return static_cast<std::size_t>(ring_.nodes * ring_.spacing); }

  std::vector<unsigned> cycles_of_single_loads() const {
    std::vector<unsigned> cycles(chasing::kTimed);
    const DeviceMemory memory(cycles.size() * sizeof(unsigned));
    launch(chasing::time_each, 1, dim3(1), 0, static_cast<char*>(sets_.begin()->second->data()),
           static_cast<unsigned*>(memory.data()));
    GEMMLAB_CUDA_CHECK(cudaMemcpyAsync(cycles.data(), memory.data(), memory.bytes(), cudaMemcpyDeviceToHost,
                                       current_stream()));
    GEMMLAB_CUDA_CHECK(cudaStreamSynchronize(current_stream()));
    return cycles;
  }

  void link(const int* next) {
    if (sets_.count(next) != 0) return;
    DeviceMemory& memory = *sets_.emplace(next, std::make_unique<DeviceMemory>(bytes())).first->second;
    const auto kernel = path_ == "constant" ? chasing::link_by_offset : chasing::link_by_address;
    launch(kernel, ceil_div(ring_.nodes, kLinkThreads), dim3(kLinkThreads), 0, next,
           static_cast<char*>(memory.data()), ring_.nodes, ring_.spacing);
  }
  const DeviceMemory& staged(const int* next) const {
    const auto found = sets_.find(next);
    if (found == sets_.end()) throw std::logic_error("gpu.chase: run() of operands that were not staged");
    return *found->second;
  }

  Ring ring_;
  std::string path_;
  Cycles cycles_;
  std::map<const int*, std::unique_ptr<DeviceMemory>> sets_;
};

std::string why_not_path(const Instance& instance, const Parameters& parameters) {
  const Ring ring = gemmlab::chasing::ring_of(instance);
  if (ring.loads > 1 << 30) return "over 2^30 loads (32-bit counter)";
  const std::string path = text(parameters, "path");
  if (path != "shared" && path != "constant") return {};
  const std::size_t most = path == "shared" ? chasing::kMostShared : chasing::kMostConstant;
  if (static_cast<std::size_t>(ring.nodes * ring.spacing) <= most) return {};
  return std::to_string(ring.nodes * ring.spacing) + " bytes; " + path + " memory has " +
         std::to_string(most) + " here";
}

}  // namespace

const Implementation& chase() {
  static const SessionRow<ChaseSession> row(
      describe({.id = "gpu.chase",
                .name = "chase, {path}",
                .summary = "one thread, each load at the address that the one before has brought",
                .source = "Saavedra-Barrera, 1992; Wong et al., ISPASS 2010",
                .counterpart = "cpu.chase",
                .parameters = {choice(
                    "path", "memory that is read: global memory through the L1 or past it, shared, constant",
                    {std::string("l1"), std::string("l2"), std::string("shared"), std::string("constant")},
                    std::string("l1"))},
                .operation = "chase"}),
      why_not_path, unavailable);
  return row;
}

}  // namespace gemmlab::gpu
