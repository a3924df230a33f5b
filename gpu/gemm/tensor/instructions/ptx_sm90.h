#pragma once

// The instructions of sm_90a that gemm_sm90.cu is written in, one function each, named after what they do
// there. Addresses of shared memory are 32-bit. Source: PTX ISA, "Parallel Synchronization and
// Communication Instructions" (mbarrier), "Data Movement" (cp.async.bulk.tensor), "Asynchronous Warpgroup
// Level Matrix Instructions" (wgmma).

#include <cuda.h>  // the type CUtensorMap alone; nothing of the driver is linked

#include <cstdint>

namespace gemmlab::gpu::parts {

__device__ inline std::uint32_t shared_address(const void* pointer) {
  return static_cast<std::uint32_t>(__cvta_generic_to_shared(pointer));
}

/// This block's dynamic shared memory.
__device__ inline std::uint32_t dynamic_shared() {
  extern __shared__ unsigned char dynamic_shared_memory[];
  return shared_address(dynamic_shared_memory);
}

// ---- clusters
// ---------------------------------------------------------------------------------------------------

__device__ inline unsigned cluster_rank() {
  unsigned rank;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return rank;
}

__device__ inline unsigned cluster_index() {
  unsigned index;
  asm volatile("mov.u32 %0, %%clusterid.x;" : "=r"(index));
  return index;
}

__device__ inline unsigned cluster_count() {
  unsigned count;
  asm volatile("mov.u32 %0, %%nclusterid.x;" : "=r"(count));
  return count;
}

/// All threads of all blocks of the cluster; what they wrote before is seen by all after.
__device__ inline void cluster_sync() {
  asm volatile(
      "barrier.cluster.arrive.release;\n"
      "barrier.cluster.wait.acquire;\n" ::
          : "memory");
}

// ---- barriers in shared memory
// ----------------------------------------------------------------------------------

__device__ inline void barrier_init(std::uint32_t barrier, unsigned arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(arrivals) : "memory");
}

/// Makes initialised barriers visible to the cluster and to TMA, before a cluster_sync().
__device__ inline void barrier_init_fence() {
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

/// One arrival, and `bytes` more for TMA to write before the phase ends.
__device__ inline void barrier_expect(std::uint32_t barrier, unsigned bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes)
               : "memory");
}

/// One arrival at the same barrier of block `rank` of the cluster. Orders nothing beyond this block: to say
/// "release.cluster" costs a fence of all memory, and what is handed over here is read by wgmma, which has
/// been waited for, and written by TMA.
__device__ inline void barrier_arrive_at(std::uint32_t barrier, unsigned rank) {
  asm volatile(
      "{\n"
      ".reg .b32 there;\n"
      "mapa.shared::cluster.u32 there, %0, %1;\n"
      "mbarrier.arrive.shared::cluster.b64 _, [there];\n"
      "}\n" ::"r"(barrier),
      "r"(rank)
      : "memory");
}

/// Waits until the phase of this parity has ended.
__device__ inline void barrier_wait(std::uint32_t barrier, unsigned parity) {
  asm volatile(
      "{\n"
      ".reg .pred done;\n"
      "again:\n"
      "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
      "@!done bra again;\n"
      "}\n" ::"r"(barrier),
      "r"(parity)
      : "memory");
}

/// A turn at a ring of stages, of which each has barriers; a phase is a round.
template <int kStages>
struct Turn {
  int stage = 0;
  unsigned phase = 0;
  __device__ void next() {
    if (++stage == kStages) {
      stage = 0;
      phase ^= 1;
    }
  }
  __device__ void advance(int steps) {
    const int at = stage + steps;
    phase ^= static_cast<unsigned>(at / kStages) & 1;
    stage = at % kStages;
  }
};

// ---- the copy engine
// --------------------------------------------------------------------------------------------

/// Has the copy engine read a map before it is needed.
__device__ inline void prefetch(const CUtensorMap* map) {
  asm volatile("prefetch.tensormap [%0];" ::"l"(map) : "memory");
}

/// The box at (k, row, part) of a tensor into this block's shared memory; its bytes count at `barrier`.
__device__ inline void tma_load(std::uint32_t to, const CUtensorMap* map, int k, int row, int part,
                                std::uint32_t barrier) {
  asm volatile(
      "cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3, %4}], "
      "[%5];" ::"r"(to),
      "l"(map), "r"(k), "r"(row), "r"(part), "r"(barrier)
      : "memory");
}

/// Likewise into the blocks of the cluster named by the bits of `ranks`, at the same address and
/// barrier in each.
__device__ inline void tma_load_to(std::uint32_t to, const CUtensorMap* map, int k, int row, int part,
                                   std::uint32_t barrier, std::uint16_t ranks) {
  asm volatile(
      "cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster "
      "[%0], [%1, {%2, %3, %4}], [%5], %6;" ::"r"(to),
      "l"(map), "r"(k), "r"(row), "r"(part), "r"(barrier), "h"(ranks)
      : "memory");
}

/// Makes what this thread wrote to shared memory visible to the copy engine.
__device__ inline void shared_writes_before_tma() {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

/// A box of shared memory to (col, row) of a matrix, without what lies outside of it; a group of its own for
/// bulk_wait_for_reads().
__device__ inline void tma_store(const CUtensorMap* map, std::uint32_t from, int col, int row) {
  asm volatile(
      "cp.async.bulk.tensor.3d.global.shared::cta.bulk_group [%0, {%1, %2, 0}], [%3];\n"
      "cp.async.bulk.commit_group;" ::"l"(map),
      "r"(col), "r"(row), "r"(from)
      : "memory");
}

/// Until at most `kPending` of this thread's stores still read shared memory.
template <int kPending>
__device__ inline void bulk_wait_for_reads() {
  asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(kPending) : "memory");
}

// ---- registers
// --------------------------------------------------------------------------------------------------

template <int kRegisters>
__device__ inline void give_registers() {
  asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(kRegisters));
}

template <int kRegisters>
__device__ inline void take_registers() {
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(kRegisters));
}

}  // namespace gemmlab::gpu::parts
