// cuda/gemmlab_scopes.h: mbarriers for cuda::barrier and cuda::pipeline; and what cooperative_groups has of clusters.

#include "emulator/include/cuda/gemmlab_scopes.h"
#include "emulator/runtime/checks/check.h"
#include "emulator/runtime/checks/wording.h"
#include "emulator/runtime/phases.h"
#include "emulator/runtime/run.h"

namespace gemmlab::emulation {
namespace {

/// False on the host, which has no barriers.
bool here(const void* place) {
  if (current == nullptr) return false;
  settle_rival(*current);
  current->place = place_of(place);
  return true;
}

}  // namespace

void barrier_init(void* barrier, unsigned arrivals) {
  if (!here(__builtin_return_address(0))) return;
  access_here(barrier, 8, Operation::kStore);
  init_phase_barrier(barrier, arrivals);
}
std::uint64_t barrier_arrive(void* barrier, unsigned count, long long bytes, bool drop) {
  return here(__builtin_return_address(0)) ? arrive_at_phase_barrier(barrier, count, bytes, drop) : 0;
}
void barrier_wait(void* barrier, std::uint64_t phase) {
  if (!here(__builtin_return_address(0))) return;
  while (!wait_for_phase_barrier(barrier, phase, true)) continue;
}
bool barrier_test(void* barrier, std::uint64_t phase) {
  return here(__builtin_return_address(0)) && wait_for_phase_barrier(barrier, phase, false);
}
void barrier_wait_parity(void* barrier, unsigned parity) {
  if (!here(__builtin_return_address(0))) return;
  while (!wait_for_parity(barrier, parity, true)) continue;
}
void barrier_expect(void* barrier, long long bytes) {
  if (here(__builtin_return_address(0))) expect_bytes(barrier, bytes);
}

dim3 cluster_now() {
  return current == nullptr ? dim3() : run().launch_now()->cluster;
}
void meet_cluster() {
  if (here(__builtin_return_address(0))) run().at_cluster_barrier();
}
void* shared_of_rank(void* own, unsigned rank) {
  if (!here(__builtin_return_address(0))) return own;
  if (rank >= run().launch_now()->blocks_of_cluster() || !shared_memory().holds(own)) {
    Finding finding = finding_at("illegal-address", Operation::kLoad, 0);
    finding.text =
        "At " + place_text(current->place) + " " + who() +
        (shared_memory().holds(own) ? " names block " + std::to_string(rank) + " of a cluster of " +
                                          std::to_string(run().launch_now()->blocks_of_cluster())
                                    : std::string(" maps an address that is none of shared memory")) +
        ".";
    run().end_kernel(std::move(finding), cudaErrorIllegalAddress);
  }
  const std::uint32_t window = shared_memory().to_window(own);
  return shared_memory().from_window(SharedMemory::within_block(window), rank);
}
unsigned rank_of_shared(const void* address) {
  return shared_memory().holds(address)
             ? static_cast<unsigned>(shared_memory().offset(address) / SharedMemory::kBytes)
             : 0;
}

}  // namespace gemmlab::emulation
