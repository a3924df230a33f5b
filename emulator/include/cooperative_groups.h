#pragma once

// CUDA's cooperative groups as far as a block goes: thread_block, tiles of up to 32 threads, coalesced groups; clusters; the grid.

#include "cuda_runtime.h"

namespace cooperative_groups {

/// Threads of one block that meet: the block itself, or lanes of one warp.
class thread_group {
 public:
  GEMMLAB_DEVICE unsigned size() const { return size_; }
  GEMMLAB_DEVICE unsigned num_threads() const { return size_; }
  GEMMLAB_DEVICE unsigned thread_rank() const { return rank_; }
  GEMMLAB_DEVICE void sync() const {
    if (mask_ == 0) {
      __syncthreads();
    } else {
      __syncwarp(mask_);
    }
  }

 protected:
  /// Lanes of a warp as a mask; 0 for all threads of the block.
  GEMMLAB_DEVICE thread_group(unsigned size, unsigned rank, unsigned mask)
      : size_(size), rank_(rank), mask_(mask) {}

  static GEMMLAB_DEVICE unsigned threads_of_block() { return blockDim.x * blockDim.y * blockDim.z; }
  static GEMMLAB_DEVICE unsigned rank_in_block() {
    return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  }
  GEMMLAB_DEVICE unsigned lanes() const { return mask_; }

 private:
  friend GEMMLAB_DEVICE thread_group tiled_partition(const thread_group& parent, unsigned size);

  unsigned size_;
  unsigned rank_;
  unsigned mask_;
};

class thread_block : public thread_group {
 public:
  static GEMMLAB_DEVICE void sync() { __syncthreads(); }
  static GEMMLAB_DEVICE unsigned size() { return threads_of_block(); }
  static GEMMLAB_DEVICE unsigned num_threads() { return threads_of_block(); }
  static GEMMLAB_DEVICE unsigned thread_rank() { return rank_in_block(); }
  static GEMMLAB_DEVICE dim3 group_index() { return dim3(blockIdx); }
  static GEMMLAB_DEVICE dim3 thread_index() { return dim3(threadIdx); }
  static GEMMLAB_DEVICE dim3 group_dim() { return blockDim; }
  static GEMMLAB_DEVICE dim3 dim_threads() { return blockDim; }

 private:
  friend GEMMLAB_DEVICE thread_block this_thread_block();
  GEMMLAB_DEVICE thread_block() : thread_group(threads_of_block(), rank_in_block(), 0) {}
};

GEMMLAB_DEVICE thread_block this_thread_block() {
  return thread_block();
}

/// Lanes of one warp, which can exchange values.
class lane_group : public thread_group {
 public:
  GEMMLAB_DEVICE int any(int predicate) const { return __any_sync(lanes(), predicate); }
  GEMMLAB_DEVICE int all(int predicate) const { return __all_sync(lanes(), predicate); }

 protected:
  GEMMLAB_DEVICE lane_group(unsigned size, unsigned rank, unsigned mask) : thread_group(size, rank, mask) {}
};

/// SIZE neighbouring threads of a block, a power of two up to a warp.
template <unsigned SIZE, typename Parent = void>
class thread_block_tile : public lane_group {
  static_assert(SIZE <= 32 && (SIZE & (SIZE - 1)) == 0,
                "a tile of more than a warp cannot be run without a GPU");

 public:
  GEMMLAB_DEVICE explicit thread_block_tile(unsigned rank_in_parent, unsigned parent)
      : lane_group(SIZE, rank_in_block() % SIZE, kAll << first_lane()),
        meta_rank_(rank_in_parent / SIZE),
        meta_size_((parent + SIZE - 1) / SIZE) {}
  template <typename Other>
  GEMMLAB_DEVICE thread_block_tile(const thread_block_tile<SIZE, Other>& other)
      : lane_group(other), meta_rank_(other.meta_group_rank()), meta_size_(other.meta_group_size()) {}

  static constexpr unsigned size() { return SIZE; }
  static constexpr unsigned num_threads() { return SIZE; }
  GEMMLAB_DEVICE unsigned meta_group_rank() const { return meta_rank_; }
  GEMMLAB_DEVICE unsigned meta_group_size() const { return meta_size_; }

  template <typename T>
  GEMMLAB_DEVICE T shfl(T value, int rank) const {
    return __shfl_sync(lanes(), value, rank, SIZE);
  }
  template <typename T>
  GEMMLAB_DEVICE T shfl_up(T value, unsigned delta) const {
    return __shfl_up_sync(lanes(), value, delta, SIZE);
  }
  template <typename T>
  GEMMLAB_DEVICE T shfl_down(T value, unsigned delta) const {
    return __shfl_down_sync(lanes(), value, delta, SIZE);
  }
  template <typename T>
  GEMMLAB_DEVICE T shfl_xor(T value, unsigned mask) const {
    return __shfl_xor_sync(lanes(), value, static_cast<int>(mask), SIZE);
  }
  GEMMLAB_DEVICE unsigned ballot(int predicate) const {
    return __ballot_sync(lanes(), predicate) >> first_lane();
  }
  template <typename T>
  GEMMLAB_DEVICE unsigned match_any(T value) const {
    return __match_any_sync(lanes(), value) >> first_lane();
  }

 private:
  static constexpr unsigned kAll = ~0U >> (32 - SIZE);
  static GEMMLAB_DEVICE unsigned first_lane() { return rank_in_block() % 32 / SIZE * SIZE; }

  unsigned meta_rank_;
  unsigned meta_size_;
};

template <unsigned SIZE, typename Parent>
GEMMLAB_DEVICE thread_block_tile<SIZE, Parent> tiled_partition(const Parent& parent) {
  return thread_block_tile<SIZE, Parent>(parent.thread_rank(), parent.size());
}
GEMMLAB_DEVICE thread_group tiled_partition(const thread_group& parent, unsigned size) {
  const unsigned lane = thread_group::rank_in_block() % 32;
  return {size, parent.thread_rank() % size, ~0U >> (32 - size) << lane / size * size};
}

/// Those lanes of the warp that came here together.
class coalesced_group : public lane_group {
 public:
  template <typename T>
  GEMMLAB_DEVICE T shfl(T value, unsigned rank) const {
    return __shfl_sync(lanes(), value, lane_of(rank));
  }
  template <typename T>
  GEMMLAB_DEVICE T shfl_up(T value, unsigned delta) const {
    return shfl(value, thread_rank() < delta ? thread_rank() : thread_rank() - delta);
  }
  template <typename T>
  GEMMLAB_DEVICE T shfl_down(T value, unsigned delta) const {
    return shfl(value, thread_rank() + delta < size() ? thread_rank() + delta : thread_rank());
  }
  GEMMLAB_DEVICE unsigned ballot(int predicate) const {
    const unsigned of_lanes = __ballot_sync(lanes(), predicate);
    unsigned of_ranks = 0;
    for (unsigned rank = 0; rank < size(); ++rank) of_ranks |= (of_lanes >> lane_of(rank) & 1U) << rank;
    return of_ranks;
  }

 private:
  friend GEMMLAB_DEVICE coalesced_group coalesced_threads();
  template <typename Group>
  friend GEMMLAB_DEVICE coalesced_group binary_partition(const Group& group, bool predicate);
  template <typename Group, typename Label>
  friend GEMMLAB_DEVICE coalesced_group labeled_partition(const Group& group, Label label);
  /// The lanes of a tile or of a coalesced group.
  struct LanesOf : lane_group {
    GEMMLAB_DEVICE static unsigned of(const lane_group& group) {
      return static_cast<const LanesOf&>(group).lanes();
    }
  };
  GEMMLAB_DEVICE explicit coalesced_group(unsigned mask)
      : lane_group(static_cast<unsigned>(__popc(mask)),
                   static_cast<unsigned>(__popc(mask & ((1U << rank_in_block() % 32) - 1U))), mask) {}
  GEMMLAB_DEVICE int lane_of(unsigned rank) const {
    unsigned rest = lanes();
    for (unsigned i = 0; i < rank; ++i) rest &= rest - 1U;
    return __ffs(static_cast<int>(rest)) - 1;
  }
};

GEMMLAB_DEVICE coalesced_group coalesced_threads() {
  return coalesced_group(__activemask());
}

/// Those of the group to whom the same applies, or who have the same label.
template <typename Group>
GEMMLAB_DEVICE coalesced_group binary_partition(const Group& group, bool predicate) {
  const unsigned all = coalesced_group::LanesOf::of(group);
  const unsigned those = __ballot_sync(all, predicate);
  return coalesced_group(predicate ? those : all & ~those);
}
template <typename Group, typename Label>
GEMMLAB_DEVICE coalesced_group labeled_partition(const Group& group, Label label) {
  return coalesced_group(__match_any_sync(coalesced_group::LanesOf::of(group), label));
}

/// The blocks of a cluster, which meet and reach into each other's shared memory.
class cluster_group {
 public:
  class arrival_token {};
  static GEMMLAB_DEVICE void sync() {
    barrier_arrive();
    barrier_wait();
  }
  static GEMMLAB_DEVICE arrival_token barrier_arrive() { return {}; }
  static GEMMLAB_DEVICE void barrier_wait() { ::gemmlab::emulation::meet_cluster(); }
  static GEMMLAB_DEVICE void barrier_wait(arrival_token&&) { barrier_wait(); }
  static GEMMLAB_DEVICE dim3 dim_blocks() { return ::gemmlab::emulation::cluster_now(); }
  static GEMMLAB_DEVICE unsigned num_blocks() {
    const dim3 cluster = dim_blocks();
    return cluster.x * cluster.y * cluster.z;
  }
  static GEMMLAB_DEVICE unsigned size() { return num_threads(); }
  static GEMMLAB_DEVICE unsigned num_threads() { return num_blocks() * thread_block::size(); }
  static GEMMLAB_DEVICE dim3 block_index() {
    const dim3 cluster = dim_blocks();
    return dim3(blockIdx.x % cluster.x, blockIdx.y % cluster.y, blockIdx.z % cluster.z);
  }
  static GEMMLAB_DEVICE unsigned block_rank() {
    const dim3 at = block_index(), cluster = dim_blocks();
    return at.x + cluster.x * (at.y + cluster.y * at.z);
  }
  static GEMMLAB_DEVICE unsigned thread_rank() {
    return block_rank() * thread_block::size() + thread_block::thread_rank();
  }
  static GEMMLAB_DEVICE dim3 dim_threads() {
    const dim3 cluster = dim_blocks();
    return dim3(cluster.x * blockDim.x, cluster.y * blockDim.y, cluster.z * blockDim.z);
  }
  static GEMMLAB_DEVICE dim3 thread_index() {
    const dim3 at = block_index();
    return dim3(at.x * blockDim.x + threadIdx.x, at.y * blockDim.y + threadIdx.y,
                at.z * blockDim.z + threadIdx.z);
  }
  template <typename T>
  static GEMMLAB_DEVICE T* map_shared_rank(T* own, int rank) {
    return static_cast<T*>(::gemmlab::emulation::shared_of_rank(
        const_cast<void*>(static_cast<const void*>(own)), static_cast<unsigned>(rank)));
  }
  static GEMMLAB_DEVICE unsigned query_shared_rank(const void* address) {
    return ::gemmlab::emulation::rank_of_shared(address);
  }
};
GEMMLAB_DEVICE cluster_group this_cluster() {
  return {};
}

/// All blocks of a launch, which meet where it is a cooperative one.
class grid_group {
 public:
  GEMMLAB_DEVICE void sync() const {
    __syncthreads();
    if (thread_block::thread_rank() == 0) {
      const unsigned blocks = gridDim.x * gridDim.y * gridDim.z;
      volatile unsigned* const barrier = ::gemmlab::emulation::grid_barrier(__builtin_return_address(0));
      __threadfence();
      const unsigned round = barrier[1];
      if (atomicAdd(const_cast<unsigned*>(&barrier[0]), 1U) == blocks - 1) {
        barrier[0] = 0;
        __threadfence();
        barrier[1] = round + 1;
      }
      while (barrier[1] == round) __nanosleep(1);
      __threadfence();
    }
    __syncthreads();
  }
  static GEMMLAB_DEVICE bool is_valid() { return ::gemmlab::emulation::is_cooperative(); }
  static GEMMLAB_DEVICE dim3 dim_blocks() { return gridDim; }
  static GEMMLAB_DEVICE dim3 block_index() { return dim3(blockIdx); }
  static GEMMLAB_DEVICE unsigned long long num_blocks() { return 1ULL * gridDim.x * gridDim.y * gridDim.z; }
  static GEMMLAB_DEVICE unsigned long long size() {
    return 1ULL * gridDim.x * gridDim.y * gridDim.z * thread_block::size();
  }
  static GEMMLAB_DEVICE unsigned long long num_threads() { return size(); }
  static GEMMLAB_DEVICE unsigned long long block_rank() {
    return blockIdx.x + 1ULL * gridDim.x * (blockIdx.y + 1ULL * gridDim.y * blockIdx.z);
  }
  static GEMMLAB_DEVICE unsigned long long thread_rank() {
    return block_rank() * thread_block::size() + thread_block::thread_rank();
  }
  static GEMMLAB_DEVICE dim3 group_dim() { return gridDim; }
};
GEMMLAB_DEVICE grid_group this_grid() {
  return {};
}

template <typename Group>
GEMMLAB_DEVICE void sync(const Group& group) {
  group.sync();
}

}  // namespace cooperative_groups
