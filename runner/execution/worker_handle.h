#pragma once

// The parent's handle of the worker's process: starting and stopping it, its pipes, its status page and what it prints.

#include <sys/types.h>

#include <map>
#include <memory>
#include <string>

#include "runner/execution/channel.h"

namespace gemmlab::runner {

/// One worker at a time; ended with this object at the latest.
class WorkerHandle {
 public:
  WorkerHandle() = default;
  ~WorkerHandle();
  WorkerHandle(const WorkerHandle&) = delete;
  WorkerHandle& operator=(const WorkerHandle&) = delete;

  /// Variables that the worker gets besides this process's own. Before it starts.
  void set_environment(const std::map<std::string, std::string>& variables) { environment_ = variables; }
  /// Starts a worker where none runs. Throws std::runtime_error where the system refuses.
  void start();
  /// Ends the worker, if one runs, and keeps its exit status.
  void stop();

  // While one runs:
  Channel& channel() { return *channel_; }
  const StatusPage& page() const { return *page_; }
  /// The last line that it printed: what the C++ runtime or a library said as it died.
  std::string last_words() const;

  /// Of the worker that ended last, as waitpid() gives it.
  int wait_status() const { return wait_status_; }

 private:
  pid_t pid_ = -1;
  int wait_status_ = 0;
  int log_ = -1;
  int status_ = -1;
  int from_worker_ = -1;
  int to_worker_ = -1;
  std::map<std::string, std::string> environment_;
  std::unique_ptr<Channel> channel_;
  StatusPage* page_ = nullptr;
};

}  // namespace gemmlab::runner
