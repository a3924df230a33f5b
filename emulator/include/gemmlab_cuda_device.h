#pragma once

// What a kernel finds around it: its indices, shared memory, barriers, warp operations, atomics, clocks. The functions
// without a body are the runtime's.

#include <cstring>
#include <tuple>
#include <type_traits>
#include <utility>

#include "gemmlab_cuda_types.h"

#define __host__
#define __device__
#define __global__
#define __constant__
#define __managed__
#define __grid_constant__
#define __forceinline__ inline __attribute__((always_inline))
#define __align__(n) __attribute__((aligned(n)))
#define __launch_bounds__(...)
#define __maxnreg__(...)
#define __cluster_dims__(...)
#define CUDART_CB

// Const: the compiler neither counts reading them as accesses nor reads them twice, which is right for one thread.
extern const uint3 threadIdx __asm__("gemmlab_emulation_thread_index");
extern const uint3 blockIdx __asm__("gemmlab_emulation_block_index");
extern const dim3 blockDim __asm__("gemmlab_emulation_block_extent");
extern const dim3 gridDim __asm__("gemmlab_emulation_grid_extent");
inline constexpr int warpSize = 32;

struct CUstream_st;
using cudaStream_t = CUstream_st*;

/// Reading it tells the runtime that a loop goes on with its next round. Volatile, so that it is read each time; and no
/// function, which might change memory, so that the compiler would read all of it again.
extern volatile char gemmlab_emulation_round __asm__("gemmlab_emulation_round");

namespace gemmlab::emulation {

__forceinline__ void next_round() {
  static_cast<void>(gemmlab_emulation_round);
}

struct LaunchSite {
  int line;
  const char* kernel;
};

struct Configuration {
  Configuration(dim3 grid_, dim3 block_, std::size_t shared_bytes_ = 0, cudaStream_t stream_ = nullptr)
      : grid(grid_), block(block_), shared_bytes(shared_bytes_), stream(stream_) {}
  dim3 grid;
  dim3 block;
  std::size_t shared_bytes;
  cudaStream_t stream;
  dim3 cluster;              ///< blocks of a cluster
  bool cooperative = false;  ///< all blocks run at once
  int line = 0;              ///< of the call that launches, where the LaunchSite has none
};

/// A launch with its arguments: `run(data)` is one thread of the kernel.
struct Package {
  void (*run)(void* data);
  void (*destroy)(void* data);
  void* data;
  std::size_t bytes;
};
/// Between both calls a kernel writes to memory of the runtime's: it launches a kernel.
void packing(bool begins);
void enqueue(const LaunchSite& site, const Configuration& configuration, const Package& package);

template <typename Arguments, typename Body>
void launch_kernel(LaunchSite site, Configuration configuration, Arguments arguments, Body body) {
  using Both = std::pair<Arguments, Body>;
  packing(true);
  enqueue(site, configuration,
          {[](void* data) {
             auto* both = static_cast<Both*>(data);
             std::apply(both->second, both->first);
           },
           [](void* data) { delete static_cast<Both*>(data); },
           new Both(std::move(arguments), std::move(body)), sizeof(Both)});
  packing(false);
}

/// What a kernel's head says, told by each of its threads as it begins: the largest block that it is compiled for, its
/// clusters, and what it is given by reference, which lies in the host's memory.
void check_block(unsigned long long most_threads);
void note_host_memory(const void* memory, std::size_t bytes, const char* name);
void check_cluster(unsigned x, unsigned y, unsigned z);
/// For cooperative_groups: a cluster's extent, its barrier, and the same place in the shared memory of another of its blocks.
dim3 cluster_now();
void meet_cluster();
void* shared_of_rank(void* own, unsigned rank);
unsigned rank_of_shared(const void* address);
__forceinline__ void clustered_by(unsigned x, unsigned y = 1, unsigned z = 1) {
  check_cluster(x, y, z);
}
__forceinline__ void compiled_for(unsigned long long most_threads) {
  const unsigned long long threads = static_cast<unsigned long long>(blockDim.x) * blockDim.y * blockDim.z;
  if (most_threads > 0 && threads > most_threads) check_block(most_threads);
}
template <typename T>
__forceinline__ void refers_to_the_host(const T& object, const char* name) {
  note_host_memory(&object, sizeof object, name);
}

/// An array in shared memory: one for each place in the source and type.
struct SharedArray {
  const char* name;
  std::size_t bytes;
  std::size_t alignment;
  std::size_t element_bytes;
  std::size_t dims[3];  ///< 0 where there are fewer
  std::uint64_t launch;
  void* address;
};
void* shared_array(SharedArray* array);
void* dynamic_shared_memory(const char* name, std::size_t element_bytes);

// Static: a place is counted within a file, and the same number in another file is another array.
template <typename T, int PLACE, std::size_t ALIGNMENT = 0>
static inline T& shared(const char* name, int) {
  constexpr std::size_t kRank = std::rank_v<T>;
  static SharedArray array = {name,
                              sizeof(T),
                              ALIGNMENT > alignof(T) ? ALIGNMENT : alignof(T),
                              sizeof(std::remove_all_extents_t<T>),
                              {kRank > 0 ? std::extent_v<T, 0> : 0, kRank > 1 ? std::extent_v<T, 1> : 0,
                               kRank > 2 ? std::extent_v<T, 2> : 0},
                              0,
                              nullptr};
  return *static_cast<T*>(shared_array(&array));
}
template <typename T>
static inline T* dynamic_shared(const char* name, int) {
  return static_cast<T*>(dynamic_shared_memory(name, sizeof(T)));
}

enum class Shuffle { kIndex, kUp, kDown, kXor };
enum class Reduction { kAdd, kMin, kMax, kAnd, kOr, kXor, kSignedMin, kSignedMax };
std::uint64_t warp_shuffle(unsigned mask, std::uint64_t value, Shuffle kind, int lane_or_delta, int width);
unsigned warp_ballot(unsigned mask, bool predicate);
unsigned warp_match(unsigned mask, std::uint64_t value);
unsigned warp_reduce(unsigned mask, unsigned value, Reduction kind);
/// Checks and counts an atomic access made at `place` of the program.
void atomic_access(const volatile void* address, std::size_t bytes, const void* place);

/// cp.async: begins to copy `source_bytes` and to fill up to `bytes` with zeros. The data are there after the wait for the
/// group that async_commit() has ended.
void async_copy(void* shared, const void* global, std::size_t bytes, std::size_t source_bytes);
void async_commit();
void async_wait(int groups_left);  ///< negative: for all copies, also those of the open group

template <typename T>
std::uint64_t word_of(T value) {
  static_assert(sizeof(T) <= 8, "a shuffle carries at most 8 bytes");
  std::uint64_t word = 0;
  std::memcpy(&word, &value, sizeof value);
  return word;
}
template <typename T>
T of_word(std::uint64_t word) {
  T value;
  std::memcpy(static_cast<void*>(&value), &word, sizeof value);
  return value;
}

template <typename T, typename Change>
__attribute__((no_sanitize("thread"), always_inline)) inline T changed_atomically(T* address,
                                                                                  const void* place,
                                                                                  Change change) {
  atomic_access(address, sizeof(T), place);
  const T before = *address;
  *address = change(before);
  return before;
}

template <typename T>
struct Same {
  using Type = T;
};
template <typename T>
using Given = typename Same<T>::Type;  // not deduced: the pointer alone settles the type

}  // namespace gemmlab::emulation

void __syncthreads();
int __syncthreads_count(int predicate);
int __syncthreads_and(int predicate);
int __syncthreads_or(int predicate);
void __syncwarp(unsigned mask = 0xffffffffu);
unsigned __activemask();

long long clock64();
unsigned long long __globaltimer();
void __nanosleep(unsigned nanoseconds);
[[noreturn]] void __trap();
void __threadfence();
void __threadfence_block();
inline void __threadfence_system() {
  __threadfence();
}

template <typename T>
__forceinline__ T __shfl_sync(unsigned mask, T value, int lane, int width = 32) {
  using namespace gemmlab::emulation;
  return of_word<T>(warp_shuffle(mask, word_of(value), Shuffle::kIndex, lane, width));
}
template <typename T>
__forceinline__ T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = 32) {
  using namespace gemmlab::emulation;
  return of_word<T>(warp_shuffle(mask, word_of(value), Shuffle::kUp, static_cast<int>(delta), width));
}
template <typename T>
__forceinline__ T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = 32) {
  using namespace gemmlab::emulation;
  return of_word<T>(warp_shuffle(mask, word_of(value), Shuffle::kDown, static_cast<int>(delta), width));
}
template <typename T>
__forceinline__ T __shfl_xor_sync(unsigned mask, T value, int lane_mask, int width = 32) {
  using namespace gemmlab::emulation;
  return of_word<T>(warp_shuffle(mask, word_of(value), Shuffle::kXor, lane_mask, width));
}
__forceinline__ unsigned __ballot_sync(unsigned mask, int predicate) {
  return gemmlab::emulation::warp_ballot(mask, predicate != 0);
}
__forceinline__ int __any_sync(unsigned mask, int predicate) {
  return __ballot_sync(mask, predicate) != 0;
}
__forceinline__ int __all_sync(unsigned mask, int predicate) {
  return __ballot_sync(mask, predicate == 0) == 0;
}
template <typename T>
__forceinline__ unsigned __match_any_sync(unsigned mask, T value) {
  return gemmlab::emulation::warp_match(mask, gemmlab::emulation::word_of(value));
}
#define GEMMLAB_REDUCE(name, type, kind)                                                        \
  __forceinline__ type __reduce_##name##_sync(unsigned mask, type value) {                      \
    using namespace gemmlab::emulation;                                                         \
    return static_cast<type>(warp_reduce(mask, static_cast<unsigned>(value), Reduction::kind)); \
  }
GEMMLAB_REDUCE(add, unsigned, kAdd)
GEMMLAB_REDUCE(add, int, kAdd)
GEMMLAB_REDUCE(min, unsigned, kMin)
GEMMLAB_REDUCE(min, int, kSignedMin)
GEMMLAB_REDUCE(max, unsigned, kMax)
GEMMLAB_REDUCE(max, int, kSignedMax)
GEMMLAB_REDUCE(and, unsigned, kAnd)
GEMMLAB_REDUCE(or, unsigned, kOr)
GEMMLAB_REDUCE(xor, unsigned, kXor)
#undef GEMMLAB_REDUCE

// Not inlined, so that the place of an access is where the student wrote it.
#define GEMMLAB_ATOMIC(name, expression)                                                                    \
  template <typename T>                                                                                     \
  __attribute__((no_sanitize("thread"), noinline)) T name(T* address, gemmlab::emulation::Given<T> value) { \
    return gemmlab::emulation::changed_atomically(                                                          \
        address, __builtin_return_address(0), [value](T before) __attribute__((no_sanitize("thread"))) {    \
          return static_cast<T>(expression);                                                                \
        });                                                                                                 \
  }                                                                                                         \
  template <typename T>                                                                                     \
  T name##_block(T* address, gemmlab::emulation::Given<T> value) {                                          \
    return name(address, value);                                                                            \
  }                                                                                                         \
  template <typename T>                                                                                     \
  T name##_system(T* address, gemmlab::emulation::Given<T> value) {                                         \
    return name(address, value);                                                                            \
  }
GEMMLAB_ATOMIC(atomicAdd, before + value)
GEMMLAB_ATOMIC(atomicSub, before - value)
GEMMLAB_ATOMIC(atomicExch, (static_cast<void>(before), value))
GEMMLAB_ATOMIC(atomicMin, value < before ? value : before)
GEMMLAB_ATOMIC(atomicMax, before < value ? value : before)
GEMMLAB_ATOMIC(atomicAnd, before& value)
GEMMLAB_ATOMIC(atomicOr, before | value)
GEMMLAB_ATOMIC(atomicXor, before ^ value)
GEMMLAB_ATOMIC(atomicInc, before >= value ? 0 : before + 1)
GEMMLAB_ATOMIC(atomicDec, before == 0 || before > value ? value : before - 1)
#undef GEMMLAB_ATOMIC
template <typename T>
__attribute__((no_sanitize("thread"), noinline)) T atomicCAS(T* address,
                                                             gemmlab::emulation::Given<T> expected,
                                                             gemmlab::emulation::Given<T> value) {
  gemmlab::emulation::atomic_access(address, sizeof(T), __builtin_return_address(0));
  const T before = *address;
  if (before == expected) *address = value;
  return before;
}

template <typename T>
__forceinline__ T __ldg(const T* address) {
  return *address;
}
template <typename T>
__forceinline__ T __ldca(const T* address) {
  return *address;
}
template <typename T>
__forceinline__ T __ldcg(const T* address) {
  return *address;
}
template <typename T>
__forceinline__ T __ldcs(const T* address) {
  return *address;
}
template <typename T>
__forceinline__ T __ldcv(const T* address) {
  return *address;
}
template <typename T>
__forceinline__ void __stwb(T* address, T value) {
  *address = value;
}
template <typename T>
__forceinline__ void __stcg(T* address, T value) {
  *address = value;
}
template <typename T>
__forceinline__ void __stcs(T* address, T value) {
  *address = value;
}
template <typename T>
__forceinline__ void __stwt(T* address, T value) {
  *address = value;
}
std::size_t __cvta_generic_to_shared(const void* address);
void* __cvta_shared_to_generic(std::size_t address);
inline std::size_t __cvta_generic_to_global(const void* address) {
  return reinterpret_cast<std::size_t>(address);
}
unsigned __isShared(const void* address);
unsigned __isGlobal(const void* address);
