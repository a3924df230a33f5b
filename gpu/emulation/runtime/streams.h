#pragma once

// Order of work: what a stream was given is done when somebody waits for it, as late as a card may do it.

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "gpu/emulation/include/gemmlab_cuda_graphs.h"

namespace gemmlab::emulation {

/// Of a graph and of all that is made of it.
struct GraphWork {
  std::vector<std::function<void()>> nodes;
  std::vector<std::shared_ptr<void>> objects;  ///< user objects
};

}  // namespace gemmlab::emulation

struct CUgraph_st {
  std::shared_ptr<gemmlab::emulation::GraphWork> work;
};
struct CUstream_st {
  bool blocking = true;  ///< the default stream waits for it
  std::vector<std::function<void()>> waiting;
  cudaGraph_t captured_to = nullptr;  ///< nullptr: it is not under capture
  cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal;
  bool spoilt = false;  ///< the capture
};
struct CUevent_st {
  CUstream_st* stream = nullptr;  ///< that has not come to it yet
  std::uint64_t clock = 0;
  bool recorded = false;
};

namespace gemmlab::emulation {

/// One call of the runtime at a time: a kernel may be launched by any thread of the host.
std::recursive_mutex& runtime_mutex();

/// May this thread call what a capture forbids (take or give back memory, wait)? Where not, the captures under way are
/// spoilt, as a card's are.
bool allowed_during_captures();
/// Is it a stream under capture, in which nothing can be waited for?
bool under_capture(cudaStream_t stream);

/// Now, where the stream is the default one; else when it is waited for.
void submit(cudaStream_t stream, std::function<void()> work);
void wait_for(cudaStream_t stream);
void wait_for_all();
/// What streams still hold is forgotten.
void forget_work();

/// Dynamic shared memory that a launch may ask for: more than 48 KiB only after cudaFuncSetAttribute, of any kernel.
std::uint64_t& most_dynamic_shared();

/// The error of the last call that failed, for cudaGetLastError.
cudaError_t noted(cudaError_t error);
cudaError_t take_error(bool keep);

}  // namespace gemmlab::emulation
