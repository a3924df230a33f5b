#pragma once

// The facts about this machine, for records, defaults and plans.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gemmlab {

struct CpuInfo {
  std::string model;         ///< "Intel Xeon Platinum 8480+"; falls back to vendor, family and model
  std::string architecture;  ///< "x86_64", "aarch64"
  int sockets = 1;
  int cores = 1;  ///< usable by this process (affinity and cgroup quota), not merely present
  int threads_per_core = 1;
  std::vector<int> first_processors;  ///< the first processor of each core that this process may use, by
                                      ///< hwloc's order: what threads are bound to
  std::int64_t l1d_bytes = 0;         ///< one core's
  std::int64_t l2_bytes = 0;          ///< one core's
  std::int64_t l3_bytes = 0;          ///< all that this process can reach; 0 where there is none
  int numa_nodes = 1;
  std::int64_t memory_bytes = 0;
  std::vector<std::string>
      isa;                ///< rising: "baseline", then "avx2", "avx512" or "neon" as the processor has them
  std::string governor;   ///< "performance", ..., or "unknown"
  std::string kernel;     ///< "Linux 6.1.0"
  std::string container;  ///< "docker", "kvm", ..., or "none"
};

/// One GPU as its driver describes it. Filled by gpu/, which alone knows CUDA.
struct GpuInfo {
  std::string name;
  std::string uuid;
  std::string compute_capability;  ///< "9.0"
  int sm_count = 0;
  std::int64_t memory_bytes = 0;
  std::int64_t l2_bytes = 0;
  std::int64_t sm_registers = 0;        ///< of 32 bits, in one SM
  std::int64_t sm_shared_bytes = 0;     ///< of one SM, for all of its blocks
  std::int64_t block_shared_bytes = 0;  ///< that one block may ask for at most
  int sm_threads = 0;                   ///< resident in one SM, at most
  int sm_blocks = 0;                    ///< resident in one SM, at most
  int block_threads = 0;                ///< of one block, at most
  int clock_mhz = 0;                    ///< the highest SM clock
  int memory_clock_mhz = 0;
  bool ecc = false;
  std::optional<bool> persistence_mode;  ///< does the driver stay loaded while nobody uses the card?
  std::string driver;                    ///< "580.65.06" or the CUDA version that the driver supports
  std::string runtime;                   ///< "13.0"
};

/// Read once and kept. Uses hwloc; never CUDA.
const CpuInfo& cpu_info();

/// Binds a thread of this process to one processor, or, without one, lets it run wherever the process might
/// when cpu_info() was first asked. False where the system refuses, or the thread is gone.
bool bind_thread(int thread_id, std::optional<int> processor);

/// Bytes of the last cache before memory; a guess where the machine does not tell.
std::int64_t host_cache_bytes();

/// Bytes of host memory that can be had without swapping, now.
std::int64_t available_memory_bytes();

/// "Intel(R) Xeon(R) Gold 6230 CPU @ 2.10GHz" + "NVIDIA H200" -> "intel-xeon-gold-6230-nvidia-h200".
std::string machine_slug(const std::string& cpu_model, const std::string& gpu_model);

}  // namespace gemmlab
