#pragma once

// What the hardware would count: requests of warps, the sectors and shared-memory passes that they take, per place.

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "emulator/include/gemmlab_cuda_types.h"
#include "emulator/runtime/counting/caches.h"
#include "emulator/runtime/threads.h"

namespace gemmlab::emulation {

/// One warp's access of one instruction.
struct WarpRequest {
  std::uint32_t place = 0;
  unsigned mask = 0;
  unsigned bytes = 0;  ///< per lane
  Space space = Space::kGlobal;
  Operation operation = Operation::kLoad;
  bool asynchronous = false;
  bool alone = false;
  std::uint16_t round = 0;
  std::array<std::uint64_t, kLanes> at{};
  std::array<std::uint64_t, kLanes> source{};  ///< see Access
};

struct SiteCounts {
  std::string array;
  std::uint64_t requests = 0, lanes = 0;
  std::uint64_t sectors = 0, least_sectors = 0, lines = 0, l1_miss_sectors = 0, l2_miss_sectors = 0;
  std::uint64_t wavefronts = 0, least_wavefronts = 0, degree_worst = 0;
  std::uint64_t divergent = 0;  ///< made by some of the warp's live lanes only
  uint3 example_block{};
  int example_warp = 0;
  std::array<std::int64_t, kLanes> example{};
};

struct SiteKey {
  std::uint32_t place;
  std::uint32_t bytes;
  Space space;
  Operation operation;
  bool asynchronous;
  bool operator<(const SiteKey& other) const {
    return std::tie(place, bytes, space, operation, asynchronous) <
           std::tie(other.place, other.bytes, other.space, other.operation, other.asynchronous);
  }
};

/// A sort of tensor-core instruction.
struct ProductKey {
  bool warpgroup;  ///< wgmma; else of one warp: wmma, mma.sync
  int bits;        ///< of an element of A
  bool operator<(const ProductKey& other) const {
    return std::tie(warpgroup, bits) < std::tie(other.warpgroup, other.bits);
  }
};

struct ArrayNote {
  std::string name;
  bool shared = false;
  std::uint64_t bytes = 0;
  std::size_t dims[3] = {};
  std::size_t element_bytes = 0;
};

struct LaunchCounts {
  std::string kernel;
  int line = 0;
  dim3 grid, block;
  std::uint64_t dynamic_shared_bytes = 0, static_shared_bytes = 0;
  std::uint64_t blocks = 0, blocks_run = 0, warps_per_block = 0;
  std::uint64_t barriers = 0;        ///< warps that met at one
  std::uint64_t block_barriers = 0;  ///< blocks that met at one
  std::uint64_t warp_operations = 0, requests = 0, divergent_requests = 0;
  std::uint64_t l2_read_sectors = 0, l2_write_sectors = 0, dram_read_sectors = 0, dram_write_sectors = 0;
  std::map<SiteKey, SiteCounts> sites;
  std::vector<ArrayNote> arrays;
  std::map<ProductKey, std::uint64_t> products;  ///< multiply-adds of the tensor cores
  std::vector<std::vector<std::uint64_t>>
      timeline;  ///< by warp of the first block: accesses between barriers
};

/// Takes the accesses of a warp's lanes, in their order, and adds what they are to `counts`. `live`: lanes that have not
/// returned.
class Counter {
 public:
  explicit Counter(LaunchCounts& counts) : counts_(counts) {}
  void take(std::vector<Thread>& threads, int first, int lanes, unsigned live, const uint3& block, int warp,
            Caches* caches, int sm);
  /// Bytes that no lane moves but TMA, or the tensor cores from shared memory: past the L1, without conflicts. `at`: offset
  /// in the space's arena.
  void take_bulk(const SiteKey& key, std::uint64_t at, std::uint64_t bytes, Caches* caches);

 private:
  void gather(std::vector<Thread>& threads, int first, int lanes);
  void gather_alike(std::vector<Thread>& threads, int first, int lanes, std::size_t steps);
  void gather_by_place(std::vector<Thread>& threads, int first, int lanes);
  void count(const WarpRequest& request, unsigned live, const uint3& block, int warp, Caches* caches, int sm);
  void count_global(const WarpRequest& request, SiteCounts& site, Caches* caches, int sm);
  LaunchCounts& counts_;
  std::vector<WarpRequest> requests_;
};

/// Accesses of neighbours in shared memory that stand in one stretch of straight code are one wide access for nvcc: with
/// nothing in between that might touch the same, and in one round of a loop that was not unrolled.
std::vector<WarpRequest> widened(const std::vector<WarpRequest>& requests);

/// Passes that the 32 banks of 4 bytes need for a request: the most words of one bank; for 8 bytes per lane half a warp at
/// a time, for 16 a quarter, two of these together where lanes read in pairs; of an asynchronous copy for each line of 128
/// bytes that it comes from. As an H200 counts them (experiment gpu_counts).
unsigned wavefronts(const WarpRequest& request);
unsigned least_wavefronts(const WarpRequest& request);

}  // namespace gemmlab::emulation
