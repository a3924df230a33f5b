#pragma once

// Kernels by wgmma on typed operands as rows of the table: C = A·B, A (M, K) and C (M, N) row-major, B (K, N) or stored as (N, K).
// Operands that TMA cannot read as they lie are copied within the call: rows to multiples of 16 bytes, and B of 8 bits to (N, K).

#include <cuda_runtime.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "operations/gemm/implementation.h"

namespace gemmlab::gpu {

/// A compiled kernel and how it is launched. Its parameters: tensor maps of A, B and C, and tensor_core::Arguments.
struct WgmmaPlan {
  std::string name;              ///< what it differs in, as "128x256"
  const void* kernel = nullptr;  ///< nullptr: it does not multiply these types
  int BM = 0;
  int BN = 0;
  int stages = 0;
  int threads = 0;
  int shared_bytes = 0;         ///< dynamic
  int cluster = 1;              ///< blocks, one below the other
  int blocks_at_once = 1;       ///< of a multiprocessor
  int box_rows_of_b = 0;        ///< rows of memory that a request of TMA for B brings
  int row_bytes_of_b = 128;     ///< and bytes of each
  bool columns_of_b = true;     ///< B is read as (K, N)
  bool persistent = false;      ///< as many blocks as run at once; else one for each tile
  bool through_shared = false;  ///< C is stored through shared memory, by TMA where its rows allow it
  bool early = false;           ///< launched before the kernel in front of it has ended
  int group = 1;                ///< rows of tiles that are walked together
};

/// A plan, and into how many parts the terms of its last tiles are split, which do not keep all multiprocessors busy.
struct WgmmaChoice {
  WgmmaPlan plan;
  int splits = 1;
};

struct WgmmaAsked {
  GemmTypes types;
  Shape shape{1, 1, 1};
  bool transpose_b = false;
  int multiprocessors = 1;
};

/// Clusters of a plan that run at once.
int clusters_at_once(const WgmmaPlan& plan, int multiprocessors);

class WgmmaImplementation : public Implementation {
 public:
  /// What multiplies a shape in these types; `plan.kernel` is nullptr where nothing does, whatever the shape.
  using Planner = WgmmaChoice (*)(const WgmmaAsked& asked, const Parameters& parameters);
  WgmmaImplementation(Description description, Planner planner)
      : description_(std::move(description)), planner_(planner) {}

  const Description& description() const override { return description_; }
  std::string unavailable() const override;
  /// Of float8 the tensor cores keep about 14 bits of what an instruction adds up.
  Precision precision(const Instance& instance) const override;
  std::string why_not(const Instance& instance, const Parameters& parameters) const override;
  bool meant_for(const Instance& instance) const override;
  /// A once for each column of tiles, B once for each row of tiles, C once; 0 where there is no such kernel.
  double moved_bytes(const Instance& instance, const Parameters& parameters) const override;
  std::unique_ptr<Session> prepare(const Instance& instance, const Parameters& parameters) const override;

 private:
  bool takes(const GemmTypes& types) const;

  Description description_;
  Planner planner_;
};

}  // namespace gemmlab::gpu
