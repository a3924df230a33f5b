#pragma once

// Chases by one thread. Each load's address is what the load before has brought, so nothing is in flight but
// one load: the SASS of every loop is a string of LDG.E.64 R, [R.64], of LDS R, [R] or of LDC R, c[3][R].

#include <cstdint>

namespace gemmlab::gpu::chasing {

constexpr int kLanes = 32;
constexpr std::size_t kMostShared = 48 << 10;    // what every card gives a block
constexpr std::size_t kMostConstant = 64 << 10;  // what CUDA calls constant memory
constexpr int kUnroll = 16;                      // no load waits for the loop's own counting

/// Where a node's link lies, and what it holds: the address of the next node (global memory), or the next
/// node's byte in the table (constant memory).
__global__ void link_by_address(const int* next, char* nodes, std::int64_t count, std::int64_t spacing) {
  const std::int64_t i = blockIdx.x * static_cast<std::int64_t>(blockDim.x) + threadIdx.x;
  if (i < count) *reinterpret_cast<char**>(nodes + i * spacing) = nodes + next[i] * spacing;
}
__global__ void link_by_offset(const int* next, char* nodes, std::int64_t count, std::int64_t spacing) {
  const std::int64_t i = blockIdx.x * static_cast<std::int64_t>(blockDim.x) + threadIdx.x;
  if (i < count) *reinterpret_cast<unsigned*>(nodes + i * spacing) = static_cast<unsigned>(next[i] * spacing);
}

/// kNear: cached in the L1 of the SM, as any load; otherwise in the L2 alone (LDG.E.64.STRONG.GPU).
template <bool kNear>
__device__ inline char* load_address(const char* from) {
  char* value;
  if (kNear) {
    asm volatile("ld.global.u64 %0, [%1];" : "=l"(value) : "l"(from));
  } else {
    asm volatile("ld.global.cg.u64 %0, [%1];" : "=l"(value) : "l"(from));
  }
  return value;
}

/// One warp: every lane reads its share of the nodes first, so that a set which fits an L1 lies there (a
/// launch empties it), then lane 0 follows the links.
template <bool kNear>
__global__ void follow_global(char* nodes, std::int64_t count, std::int64_t spacing, int* at, int loads,
                              long long* cycles) {
  constexpr std::int64_t kMostL1 = 256 << 10;
  if (kNear && count * spacing <= kMostL1) {
    bool lost = false;  // asked for, so that the assembler keeps the loads
#pragma unroll 8
    for (std::int64_t i = threadIdx.x; i < count; i += kLanes)
      lost |= !load_address<kNear>(nodes + i * spacing);
    if (__any_sync(~0u, lost)) return;
  }
  if (threadIdx.x != 0) return;
  char* node = nodes + *at * spacing;
  const long long start = clock_now();
#pragma unroll kUnroll
  for (int i = 0; i < loads; ++i) node = load_address<kNear>(node);
  *cycles = clock_now() - start;
  *at = static_cast<int>((node - nodes) / spacing);
}

constexpr int kTimed = 4096;  // loads whose cycles are told one by one

/// Follows the links past the L1 from the first node, and times each load by itself: a store to shared memory
/// waits for what was loaded.
__global__ void time_each(char* nodes, unsigned* cycles) {
  __shared__ unsigned sink;
  volatile unsigned* const waits = &sink;
  char* node = nodes;
  for (int i = 0; i < kTimed; ++i) {
    const long long start = clock_now();
    node = load_address<false>(node);
    *waits = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(node));
    cycles[i] = static_cast<unsigned>(clock_now() - start);
  }
}

__device__ inline unsigned load_shared(unsigned from) {
  unsigned value;
  asm volatile("ld.shared.u32 %0, [%1];" : "=r"(value) : "r"(from));
  return value;
}

__global__ void follow_shared(const int* next, int count, int spacing, int* at, int loads,
                              long long* cycles) {
  extern __shared__ char set[];
  const auto first = static_cast<unsigned>(__cvta_generic_to_shared(set));
  for (int i = static_cast<int>(threadIdx.x); i < count; i += kLanes) {
    *reinterpret_cast<unsigned*>(set + i * spacing) = first + static_cast<unsigned>(next[i] * spacing);
  }
  __syncthreads();
  if (threadIdx.x != 0) return;
  unsigned node = first + static_cast<unsigned>(*at * spacing);
  const long long start = clock_now();
#pragma unroll kUnroll
  for (int i = 0; i < loads; ++i) node = load_shared(node);
  *cycles = clock_now() - start;
  *at = static_cast<int>(node - first) / spacing;
}

__constant__ unsigned constant_set[kMostConstant / sizeof(unsigned)];

__global__ void follow_constant(int spacing, int* at, int loads, long long* cycles) {
  const auto* set = reinterpret_cast<const char*>(constant_set);
  auto node = static_cast<unsigned>(*at * spacing);
  const long long start = clock_now();
#pragma unroll kUnroll
  for (int i = 0; i < loads; ++i) node = *reinterpret_cast<const unsigned*>(set + node);
  *cycles = clock_now() - start;
  *at = static_cast<int>(node) / spacing;
}

}  // namespace gemmlab::gpu::chasing
