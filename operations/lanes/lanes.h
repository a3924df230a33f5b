#pragma once

// What operation and implementations of `lanes` both have to know. Also compiled for the device.

#include "operations/described_operation.h"

#ifdef __CUDACC__
#define GEMMLAB_HOST_DEVICE __host__ __device__
#else
#define GEMMLAB_HOST_DEVICE
#endif

namespace gemmlab {

const Operation& lanes();

namespace reading {

enum Place : std::size_t { kTable, kSums };  ///< of the operands

inline constexpr int kLanes = 32;  ///< of a warp, and banks of shared memory
inline constexpr int kTurn = 8;    ///< loads after which the rows begin again, one row further
inline constexpr int kRows = kLanes + 2 * (kTurn - 1);
inline constexpr int kWords = kRows * kLanes;  ///< of the table: rows of one word per bank

/// Row of the table, counted from the lane's first, that load `load` reads: another each time, so that no
/// load can be kept in a register, and the same bank.
GEMMLAB_HOST_DEVICE constexpr int row_of(int load) {
  return load % kTurn + load / kTurn % kTurn;
}

/// The word that a lane reads first. Conflict of degree d: d lanes after each other have a bank together,
/// each its own row. Distinct words d: lane l reads word l mod d of a row.
GEMMLAB_HOST_DEVICE constexpr int first_word(int lane, int degree, bool conflict) {
  return conflict ? lane % degree * kLanes + lane / degree : lane % degree;
}

}  // namespace reading
}  // namespace gemmlab
