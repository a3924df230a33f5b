#pragma once

// The callee's view of the rooms of A, B and C, and what a fault in them means.

#include <cstdint>

#include "submissions/protocol.h"

namespace gemmlab::submissions {

/// Maps the three rooms (descriptors from kFirstMatrixFd on), each between wide stretches without access, and
/// catches faults. One object per process.
class CalleeMemory {
 public:
  /// `writable_inputs`: A and B may be written by our own code (a GPU's inputs are brought back there).
  CalleeMemory(const Rooms& rooms, bool writable_inputs);

  void* at(int matrix, std::int64_t offset) const;
  /// From here on a fault counts as one inside the call; C may be written.
  void begin_call(const Request& request);
  /// C may no longer be written: what still runs, faults.
  void end_call();
  /// Lets our own code write C (a GPU's result is brought there).
  void open_c();
};

/// The number of bytes of the last refused allocation is read from here when a call faults; may be null.
void report_refusals_from(const volatile unsigned long long* refused_bytes);

}  // namespace gemmlab::submissions
