#pragma once

// Order of work: what a stream was given is done when somebody waits for it, as late as a card may do it.

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "emulator/include/gemmlab_cuda_graphs.h"
#include "emulator/runtime/checks/order.h"

namespace gemmlab::emulation {

/// A place among a stream's work: what cudaEventRecord marks.
struct Moment {
  CUstream_st* stream = nullptr;
  bool come = false;
  std::uint64_t clock = 0;
  Order behind;            ///< what has been done by then
  std::uint64_t call = 0;  ///< whose work was forgotten since, that does not come any more
};

struct Work {
  std::string name;
  std::function<void()> run;
  Order behind;             ///< what the host had waited for when it asked for this
  int line = 0;             ///< of a launch
  std::uint32_t place = 0;  ///< of another call
};

struct Launch;

/// Of a graph and of all that is made of it.
struct GraphWork {
  std::vector<Work> nodes;
  std::vector<std::shared_ptr<void>> objects;  ///< user objects
};

}  // namespace gemmlab::emulation

struct CUgraph_st {
  std::shared_ptr<gemmlab::emulation::GraphWork> work;
};
struct CUstream_st {
  int device = 0;
  bool blocking = true;      ///< the default stream waits for it
  std::uint32_t number = 0;  ///< no other stream has had it
  gemmlab::emulation::Order behind;
  std::deque<gemmlab::emulation::Work> waiting;
  cudaGraph_t captured_to = nullptr;  ///< nullptr: it is not under capture
  cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal;
  bool spoilt = false;  ///< the capture
};
struct CUevent_st {
  int device = 0;
  std::shared_ptr<gemmlab::emulation::Moment> moment;  ///< of the last record
};

namespace gemmlab::emulation {

/// One call of the runtime at a time: a kernel may be launched by any thread of the host.
std::recursive_mutex& runtime_mutex();

/// May this thread call what a capture forbids (take or give back memory, wait)? Where not, the captures under way are
/// spoilt, as a card's are.
bool allowed_during_captures();
/// Is it a stream under capture, in which nothing can be waited for?
bool under_capture(cudaStream_t stream);

/// Now, where the stream is the current device's default one; else when it is waited for. `name`: of what it does.
void submit(cudaStream_t stream, const std::string& name, std::function<void()> work, int line = 0);
std::uint32_t call_place_now();  ///< of that call
/// While it lives, what is submitted was asked for by the call that returns to there; calls within calls do not count.
class CallPlace {
 public:
  explicit CallPlace(const void* return_address);
  ~CallPlace();
  CallPlace(const CallPlace&) = delete;
  CallPlace& operator=(const CallPlace&) = delete;

 private:
  bool outermost_;
};
/// Runs what its stream has in front of it. What that waits for was asked for earlier, so this comes to an end.
void come_to(const Moment& moment);
/// What has been done before the stream's next work.
Order& behind_of(cudaStream_t stream);
/// What the host has waited for.
Order& behind_of_host();
/// Why CUDA does not take a launch, in words: kernel, line, grid, block, and which limit is passed.
std::string refusal(const Launch& launch, int error);
/// Registers that a thread of the kernel holds, as its compiler says.
void note_registers(const std::string& kernel, int each);
bool has_streams();  ///< besides the default ones
/// Why CUDA would not take work of the current device, or an event of `device`, into the stream.
cudaError_t stream_fault(cudaStream_t stream, int device);
/// Counts how often work was forgotten: a moment of an earlier count does not come.
std::uint64_t call_now();
void wait_for(cudaStream_t stream);
void wait_for_all();  ///< of every device
/// What streams still hold is forgotten.
void forget_work();

/// Dynamic shared memory that a launch may ask for: more than 48 KiB only after cudaFuncSetAttribute, of any kernel.
std::uint64_t& most_dynamic_shared();
/// Kernels that kernels have launched and that do not run yet: as many as cudaDeviceSetLimit says, or 2048.
std::size_t most_pending_launches();

/// The error of the last call that failed, for cudaGetLastError.
cudaError_t noted(cudaError_t error);
cudaError_t take_error(bool keep);

}  // namespace gemmlab::emulation
