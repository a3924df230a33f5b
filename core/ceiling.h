#pragma once

#include <string>

namespace gemmlab {

/// One measured limit of the machine: a `ceilings` entry of a run record.
struct Ceiling {
  std::string device;  ///< "cpu" or "gpu"
  std::string
      what;  ///< "fma" (GFLOP/s), "memory_read" or "memory_copy" (GB/s; copy counts bytes read and written)
  std::string level;  ///< fma: the isa, or "ffma" on the GPU; memory: "dram"
  int threads = 0;    ///< CPU threads that took part; 0 on the GPU
  double value = 0;
  std::string unit;
  std::string how;  ///< one line: the loop, and the self-check (twice the work took x times the time)
};

}  // namespace gemmlab
