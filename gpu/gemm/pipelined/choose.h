#pragma once

// Which tile, how the steps of K are shared out, and whether B is copied first, for a shape and a card: an
// estimate in clock cycles of every candidate, and the least.

#include <cstdint>
#include <string>
#include <vector>

#include "gpu/gemm/pipelined/candidates.h"
#include "gpu/gemm/pipelined/schedule.h"
#include "operations/gemm/form.h"

namespace gemmlab::gpu {

/// What the choice needs to know of a card.
struct PipelinedCard {
  int compute_capability = 90;  ///< 10 · major + minor
  int sms = 132;
  int shared_bytes_per_sm = 233472;
  int shared_bytes_per_block = 232448;
  std::int64_t memory_bytes = std::int64_t{139} << 30;
  std::string name{};    ///< by which tuned choices are kept; empty: none are
  bool clusters = true;  ///< can blocks read each other's shared memory?
};

struct PipelinedChoice {
  const PipelinedCandidate* candidate = nullptr;
  Schedule schedule;
  bool pads_b = false;  ///< B is copied first, its rows to multiples of 16 bytes: see pad_rows.h, transpose.h
  double cycles = 0;    ///< as estimated
  int cluster = 0;      ///< blocks that share each tile as a cluster; 0: none do
  /// Rows and columns of C behind the last whole tile that the kernels for thin products compute; 0: none.
  int edge_rows = 0;
  int edge_cols = 0;
};

/// Of shared memory, by the system, a block.
constexpr int kReservedBytes = 1024;

/// Blocks of a candidate that an SM holds; 0 where one does not fit.
int blocks_per_sm(const PipelinedCandidate& candidate, const PipelinedCard& card);

/// The tiles of C, its edges among them; 0 where a grid could not have as many.
std::int64_t pipelined_tiles(const PipelinedCandidate& candidate, const Shape& shape);

/// How B lies where the kernel finds it.
enum class LayoutOfB {
  kAligned,    ///< rows of a multiple of four floats at multiples of 16 bytes, if B itself is
  kAnywhere,   ///< other rows
  kTransposed  ///< columns: it is copied in any case
};
LayoutOfB layout_of_b(const Shape& shape, const GemmForm& form);

/// `tile` is a candidate's name, or "auto". Without a candidate that fits, `candidate` is nullptr.
PipelinedChoice choose_pipelined(const Shape& shape, const std::string& tile, const PipelinedCard& card,
                                 LayoutOfB layout);
/// The same for rows of B that follow one another.
PipelinedChoice choose_pipelined(const Shape& shape, const std::string& tile, const PipelinedCard& card);

/// The estimate for the kernels for thin products (gpu/gemm/thin), of a shape that they take.
double thin_cycles(const Shape& shape, const PipelinedCard& card);

/// Floats of the copy of B; 0 where there is none.
std::int64_t padded_floats(const PipelinedChoice& choice, const Shape& shape);

/// The most blocks that share a tile; 1 where none is shared.
int split_k(const Schedule& schedule);

}  // namespace gemmlab::gpu
