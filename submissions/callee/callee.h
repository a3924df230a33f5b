#pragma once

// The process that makes the calls: of one submission's solve or, by the very same steps, of one
// implementation of the suite for comparison.

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "submissions/protocol.h"

namespace gemmlab::submissions {

/// What is called: C = A·B at one shape. Pointers are the device's.
class Callable {
 public:
  virtual ~Callable() = default;
  /// Outside the clock, once per shape.
  virtual void prepare(const Shape&) {}
  virtual void call(const Shape& shape, const void* a, const void* b, void* c) = 0;
  /// A name of the submitted library or of what it is linked with; nullptr where there is none.
  virtual void* symbol(const char*) { return nullptr; }
  /// CUDA's last error as the callable's own runtime library knows it, cleared; 0 where there is none.
  virtual int take_device_error(std::string&) { return 0; }
};

/// A device's memory and clock for single calls. Memory is mapped, and on a GPU the context made, by the
/// constructor.
class CallBench {
 public:
  virtual ~CallBench() = default;
  virtual void call(const Request& request, Callable& callable, Reply& reply) = 0;
  /// C as it is by now.
  virtual void look(const Request& request, Reply& reply) = 0;
  /// kPrepare, kWindow and kBring. Throws std::runtime_error where there is no GPU.
  virtual void window(const Request& request, Callable& callable, Reply& reply);
  /// Grid, block, registers, shared memory and occupancy of the launches of the last call; "[]" where
  /// unknown.
  virtual std::string resources(Callable&) { return "[]"; }
};

/// What only the judge's own program has, and the small one, which submissions for the CPU run in, has not.
struct Makers {
  /// An implementation of the suite, with its parameters as JSON. Throws std::runtime_error where there is none.
  std::function<std::unique_ptr<Callable>(const std::string& id, const std::string& parameters)> ours;
  /// Throws std::runtime_error where there is no GPU, or the build has no CUDA.
  std::function<std::unique_ptr<CallBench>(const Rooms& rooms, bool writable_inputs)> gpu;
  /// A kernel that does nothing.
  std::function<std::unique_ptr<Callable>()> gpu_empty;
};

/// The main function of a callee; talks over kChannelFd until the judge hangs up. Returns the exit status.
int callee_main(const Makers& makers);

std::unique_ptr<CallBench> make_cpu_bench(const Rooms& rooms, bool writable_inputs);
std::unique_ptr<CallBench> make_gpu_bench(const Rooms& rooms, bool writable_inputs);
std::unique_ptr<Callable> make_gpu_empty();

/// What the emulator may use for one call.
struct EmulationBudget {
  double seconds = 0;
  std::uint64_t memory_bytes = 0;        ///< of the device
  std::map<std::string, int> registers;  ///< of a thread, by kernel; those that are known
};
/// For libraries that were linked with the emulator.
std::unique_ptr<CallBench> make_emulated_bench(const Rooms& rooms, bool writable_inputs,
                                               EmulationBudget budget);

}  // namespace gemmlab::submissions
