#pragma once

// The parent's side: one worker at a time, watched, replaced when it dies or hangs. Never touches CUDA.

#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/machine/ceiling.h"
#include "runner/definition/definition.h"
#include "runner/execution/worker_handle.h"
#include "runner/roofline.h"

namespace gemmlab::runner {

/// SIGINT or SIGTERM came: what is recorded stays, the program ends with 130.
class Interrupted : public std::exception {};

/// A worker did not answer within its time.
class TimedOut : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Calls `handler` for SIGINT, SIGTERM and SIGHUP, but for what the caller lets this process ignore, as nohup does.
void handle_interrupts(void (*handler)(int));
/// Installs the handlers that make the supervisor throw Interrupted at its next look.
void catch_interrupts();
/// Whether one of them has come.
bool interrupted_now();
/// The exit code that says which; that of Ctrl-C where it came to a process of ours alone.
int exit_interrupted();
/// Throws Interrupted where one has come.
void throw_if_interrupted();

struct GroupRequest {
  std::string run_id;
  std::string experiment;
  const Group* group = nullptr;
  std::vector<Point> points;  ///< the group's, less those already recorded
  std::vector<Ceiling> ceilings;
  CacheSizes caches;
};

class Supervisor {
 public:
  /// {"gpus": [...], "gpu_unavailable": "...", "unavailable": {id: reason}}. A worker that dies over it has
  /// no GPU.
  Json facts();
  /// Ceilings and costs of the CPU and, where asked for, of the GPU. About 2 s each. A worker that dies over
  /// them is replaced once; then there are none, and Limits::missing says why.
  Limits limits(bool gpu);
  /// The first multiplication of a worker that has done nothing yet: this object must be new. Throws
  /// TimedOut, or std::runtime_error with the worker's last words where it dies.
  Outcome first_call(const Point& point, double timeout_s);
  /// Variables that the worker gets besides this process's own. Before it starts.
  void set_environment(const std::map<std::string, std::string>& variables) {
    worker_.set_environment(variables);
  }

  /// Ends the worker, if one runs; the next request starts another.
  void stop() { worker_.stop(); }

  /// Measures the points. `on_case` gets one record per point, whatever happens, as soon as it is known, and
  /// the records of A/A twins as well (with the point that each is the twin of). `on_tick` is called several
  /// times per second with the point at work (nullptr: none) and its phase.
  using OnCase = std::function<void(const Point& point, const Json& record)>;
  using OnTick = std::function<void(const Point* point, const char* phase)>;
  GroupCost measure(const GroupRequest& request, const OnCase& on_case, const OnTick& on_tick);

 private:
  enum class End { kDone, kDied, kLate };
  Json ask(const Json& request, double limit_s);
  void send_group(const GroupRequest& request, const std::map<int, Point>& pending, int attempt);
  End follow(const GroupRequest& request, std::map<int, Point>& pending, const OnCase& on_case,
             const OnTick& on_tick);
  void refuse_all(const GroupRequest& request, std::map<int, Point>& pending, const OnCase& on_case);
  void blame(const GroupRequest& request, std::map<int, Point>& pending, End end, const OnCase& on_case);

  WorkerHandle worker_;
  std::string refusal_;  ///< what went wrong with the whole group
  Status refusal_status_ = Status::kFailed;
  GroupCost cost_;
  std::map<int, int> killed_;  ///< entries whose worker was killed from outside, and how often
  int idle_deaths_ = 0;        ///< deaths that no entry is to blame for
};

}  // namespace gemmlab::runner
