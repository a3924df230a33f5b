#pragma once

// What a machine can do at best, and what measuring itself costs, as run records state them.

#include <string>

namespace gemmlab {

/// One measured limit of the machine: a `ceilings` entry of a run record.
struct Ceiling {
  std::string device;  ///< "cpu" or "gpu"
  /// "fma" (GFLOP/s); "memory_read", "memory_copy" (GB/s; copy counts bytes read and written);
  /// "transfer_to_device", "transfer_from_device" (GB/s); of several cards, all together: "peer_copy",
  /// "transfer_to_devices", "transfer_from_devices" (GB/s)
  std::string what;
  /// fma: the isa, or "ffma" on the GPU; memory: "l1", "l2", "l3", "dram"; transfers: "pinned", "pageable";
  /// peer_copy: "one_link", "all_links"
  std::string level;
  int threads = 0;  ///< CPU threads that took part; 0 on the GPU
  double value = 0;
  std::string unit;
  std::string how;      ///< one line: the loop, and the self-check (twice the work took x times the time)
  bool trusted = true;  ///< did the self-check hold?
};

/// What a clock or a launch itself costs: a `costs` entry of a run record.
struct Cost {
  std::string device;
  std::string what;  ///< CPU: "clock"; GPU: "event_pair", "empty_kernel", "graph_node", "launch",
                     ///< "launch_and_synchronize"
  double seconds = 0;
  std::string how;
};

}  // namespace gemmlab
