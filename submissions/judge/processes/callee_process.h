#pragma once

// The judge's handle on a callee: one process, asked for one call at a time, watched, killed when it is late.

#include <array>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/implementation.h"
#include "submissions/judge/processes/libraries.h"
#include "submissions/matrices.h"
#include "submissions/protocol.h"
#include "submissions/sandbox/sandbox.h"
#include "submissions/solve_form.h"

namespace gemmlab::submissions {

inline constexpr double kStart_s = 60;  ///< to become ready: a CUDA context takes seconds
/// How long, unannounced, the judge waits for work that a call left running before it looks at C again.
inline constexpr unsigned kWaitForLate_us = 300'000;

/// What is called, where, and how it is confined.
struct CalleeSetup {
  std::vector<std::string> program;  ///< the command that becomes a callee
  bool gpu = false;
  /// GPU code on this processor: the seconds that the emulator may take for a call; 0: it is not emulated.
  double emulated_s = 0;
  std::string emulated_source;                    ///< the name of its file, by which places are looked up
  std::int64_t emulated_bytes = 0;                ///< device memory that it may take besides A, B and C
  std::map<std::string, int> emulated_registers;  ///< of a thread, by kernel; those that are known
  /// A submission may open no library once it is loaded (not on a GPU, whose driver does).
  bool no_new_code = false;
  /// The C library looks for what overwrites its heap, which takes time.
  bool checked_heap = false;
  /// OpenMP's threads stay on a core each. On a busy machine the scheduler otherwise puts them on one core,
  /// where they take turns, and a race comes out right.
  bool bind_openmp = false;
  int report_fd = -1;  ///< where the emulator's report goes
  bool emulated() const { return emulated_s > 0; }
  /// Code for a GPU, whichever way it runs: A and B have to be brought back to be looked at.
  bool device_memory() const { return gpu || emulated(); }
  std::string library;  ///< a submission's, whose solve takes `solve`; or:
  SolveForm solve;
  int idle_threads = 0;        ///< over 0: nothing is called, beside so many threads that wait; or:
  std::string implementation;  ///< the suite's, with its parameters
  Parameters parameters;
  Matrices matrices;
  bool writable_inputs = false;
  /// Where it is given, the callee's matrices are so large, and what `matrices` hold stands in them again and again.
  std::optional<Shape> repeated;
  /// Of A, B and C as the callee sees them.
  std::array<std::int64_t, 3> room_bytes() const;
  Confinement confinement;
};

/// How a request ended.
struct CallEnd {
  enum class How { kAnswered, kDied, kLate, kTooMuchMemory, kTooMuchDisk, kUnasked, kWorkedInTurnOfOthers };
  How how = How::kDied;
  Reply reply;                          ///< of kAnswered
  int wait_status = 0;                  ///< of kDied
  std::int64_t memory_limit_bytes = 0;  ///< that the process has; 0: none
  /// From the request to the answer, by the judge's clock; of an emulated call, which computes for seconds, without what it waited
  /// for a processor.
  double wall_s = 0;
  /// Of timed(): from the request until all threads stood still, by the judge's clock, and what the process worked before,
  /// while it should have stood still.
  double stopped_s = 0;
  double cpu_s = 0;  ///< of timed(): that all threads of the process worked meanwhile, as the kernel counts
  double waited_s = 0;  ///< of timed(): that they, and the judge, were ready but had no processor
};

/// Called several times per second while a callee is waited for; may throw, which ends the callee.
void set_on_look(std::function<void()> look);

class CalleeProcess {
 public:
  /// Starts the process; ask() for kReady first. Throws std::runtime_error where it cannot be started.
  explicit CalleeProcess(CalleeSetup setup);
  ~CalleeProcess();
  CalleeProcess(const CalleeProcess&) = delete;
  CalleeProcess& operator=(const CalleeProcess&) = delete;

  /// Memory mapped, context made, confinement complete.
  CallEnd ready(double limit_s);
  /// The submission's library is loaded.
  CallEnd load(double limit_s);
  /// One call, or one look. An answer that nobody asked for ends as kUnasked.
  /// `at_once`: the judge looks for the answer all the time, for a while, rather than sleep.
  CallEnd ask(const Request& request, double limit_s, bool at_once = false);

  /// Closes the channel and waits until the process has ended by itself; kills it if that takes too long.
  void leave(double limit_s);
  /// One call of a process that stands still, and stands still again afterwards: nothing in it can work before the clock
  /// starts or after it has stopped, nor touch the clock. kWorkedInTurnOfOthers where it did.
  CallEnd timed(const Request& request, double limit_s);
  /// A window on a GPU, of a process that stands still; it goes on after it, to bring what is asked for. The key is told when
  /// all is ready, and the clock (`wall_s`) runs from there until the seals have come: before, nothing can be known, and
  /// what is done after does not fit them. Halting the process would not stop the card.
  CallEnd window(Request request, const WindowKey& key, double limit_s);
  /// Stops it, until resume(): during the turn of others it must neither work nor read what they are given. Returns
  /// once all its threads stand still.
  void pause();
  void resume();

  bool alive() const { return alive_; }
  /// Of the callee itself, as the judge sees it; -1 before it has answered.
  int pid() const { return pid_; }
  Matrices& matrices() { return setup_.matrices; }
  /// What it has mapped to be run.
  std::vector<MappedCode> code() const;
  /// The beginning of what it printed.
  std::string printed() const;

 private:
  bool worked_while_stopped(CallEnd& result);
  CallEnd wait(double limit_s, bool at_once = false);
  bool too_much_memory() const;
  bool too_much_disk() const;
  void look_at_limits(CallEnd& result);
  void end(CallEnd& end, CallEnd::How how);

  CalleeSetup setup_;
  int channel_ = -1;
  int output_ = -1;
  int pid_ = -1;  ///< of the callee itself, as we see it; known once it has answered
  bool alive_ = true;
  double cpu_when_stopped_s_ = 0;
  double worked_s_ = 0;  ///< while it should have stood still, before the request at hand
  Confined process_;
};

}  // namespace gemmlab::submissions
