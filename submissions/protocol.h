#pragma once

// What the judge and a callee (the process that makes the calls) say to each other, over a private
// SOCK_SEQPACKET pair: one message a packet. A callee may lie about itself; nothing that it says can make a
// verdict better, since the judge reads C itself, and its own clock.

#include <cstdint>

#include "operations/gemm/shape.h"
#include "submissions/seal.h"

namespace gemmlab::submissions {

/// Descriptors that a callee is started with.
inline constexpr int kChannelFd = 3;
inline constexpr int kFirstMatrixFd = 4;  ///< A, B, C
/// The emulator's findings and counts of one call, as emulator/exports.h has them.
inline constexpr int kReportFd = 7;

/// Room that each matrix has in shared memory.
struct Rooms {
  std::int64_t bytes[3] = {};                 ///< A, B, C: multiples of a page
  std::int64_t element_bytes[3] = {4, 4, 4};  ///< of A, B, C
  /// Over 0: so many bytes of memory stand in the address space again and again, until `bytes` are full. For indices beyond
  /// 2^31, where numbers do not count.
  std::int64_t window_bytes = 0;
};

enum class Ask : std::int32_t {
  kLoad,  ///< the library, or the implementation, that the first message named
  kCall,
  kLook,       ///< C as it is by now
  kPrepare,    ///< GPU: what a window of `calls` needs; its key is not known yet
  kWindow,     ///< GPU: `calls` one after the other, of inputs out of `key`
  kBring,      ///< GPU: C of call `number` of the last window
  kResources,  ///< GPU: the launches of the last call, as JSON in `text`
};

inline constexpr int kUntimedCalls = 3;  ///< at most

/// C = alpha·A·B + beta·C, where solve takes these.
struct Factors {
  float alpha = 1;
  float beta = 0;

  bool plain() const { return alpha == 1 && beta == 0; }
};

/// Where the matrices of one call lie and what is wanted besides. Shape as in the suite (k: inner).
struct Request {
  Ask ask = Ask::kLoad;
  std::int64_t m = 0;
  std::int64_t n = 0;
  std::int64_t k = 0;
  Factors factors;
  std::int64_t offset[3] = {};    ///< bytes from the start of each matrix' room
  std::int32_t checked = 0;       ///< 1: bands and inputs are looked at, too (GPU)
  std::int32_t exact_memory = 0;  ///< 1: an allocation of its own for each matrix, no bands (GPU)
  std::int32_t zero_bands = 0;    ///< 1: what lies round the matrices is 0 instead of NaN (GPU)
  std::int32_t profiled = 0;      ///< 1: a profiler looks at this call (GPU), or the emulator counts it
  std::int32_t sparse =
      0;  ///< 1: A and B hold zeros, a few blocks of each grid are run, C is not looked at (emulator)
  std::int32_t sampled = 0;  ///< 1: some blocks of each grid are run (emulator)
  std::int32_t calls = 0;    ///< of a window: at most kMostCallsOfWindow
  std::int32_t untimed = 0;  ///< calls before a window, of inputs of no secret: code and caches awake
  std::int32_t number = 0;   ///< of a call in its window
  std::int32_t waits =
      0;  ///< 1: a window's A and B are there when solve is called, and not only in the default stream
  WindowKey key = {};
};

/// A call at a shape, with nothing besides.
inline Request call_at(const Shape& shape) {
  Request request;
  request.ask = Ask::kCall;
  request.m = shape.m;
  request.n = shape.n;
  request.k = shape.k;
  return request;
}

enum class Said : std::int32_t {
  kReady,        ///< `seconds`: since the process' start, for its context
  kLoaded,       ///< `seconds`
  kReturned,     ///< `seconds` by the device's clock, in a window the mean of its calls
  kFault,        ///< a signal: `number`, `matrix`, `side`, `distance`
  kException,    ///< `text`
  kRefused,      ///< it cannot be loaded or prepared: `text`
  kDeviceError,  ///< `number`: the CUDA error, `text`
};

enum class Side : std::int32_t { kNone, kBefore, kInside, kBehind };

struct Reply {
  Said said = Said::kReady;
  std::int32_t number = 0;
  std::int32_t matrix = -1;  ///< 0 A, 1 B, 2 C
  Side side = Side::kNone;
  std::int32_t outside_call = 0;   ///< 1: no call of solve was under way
  std::int32_t writing = -1;       ///< 1 a write, 0 a read, -1 unknown
  std::int32_t changed_later = 0;  ///< 1: C changed after the default stream was done
  std::int32_t threads = 0;        ///< that this process has by now
  std::int32_t own_streams = 0;    ///< 1: it has made streams that the default one does not wait for (GPU)
  std::int32_t reported = 0;       ///< 1: the emulator's report on the call lies in kReportFd
  std::int32_t general_protection = 0;  ///< 1: a fault without an address, as of a vector that is not aligned
  std::uint8_t code[15] = {};           ///< the machine instruction at which it stopped
  std::int64_t distance_bytes = 0;      ///< from the nearest end of the matrix
  std::int64_t element_bytes = 4;       ///< of the matrix
  double seconds = 0;
  Seal seals[kMostCallsOfWindow] = {};  ///< of a window's calls
  std::uint64_t refused_bytes = 0;      ///< of the last allocation that failed; 0: none
  char opened[120] = {};                ///< the first library that it asked dlopen for
  char text[2000] = {};
};

}  // namespace gemmlab::submissions
