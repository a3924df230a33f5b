#pragma once

// oneDNN, opened at run time: its threads, its version, the instructions that it chose.

#include "core/implementation.h"
#include "cpu/libraries/library.h"

namespace gemmlab::cpu {

Library& onednn_library();

/// From oneDNN's C interface, dnnl_types.h.
struct OneDnnVersion {
  int major;
  int minor;
  int patch;
  const char* hash;
  unsigned cpu_runtime;
  unsigned gpu_runtime;
};

/// Calls into oneDNN on so many threads at most.
class OneDnnCalls {
 public:
  /// Throws std::runtime_error where the library's threads cannot be set.
  explicit OneDnnCalls(int threads);

  template <typename Call>
  void run(Call call) {
    const int before = set_threads_ == nullptr ? 1 : get_threads_();
    if (set_threads_ != nullptr) set_threads_(threads_);
    call();
    threads_actual_ = set_threads_ == nullptr ? 1 : get_threads_();
    // the setting is the calling thread's, and other code of this process goes by it
    if (set_threads_ != nullptr) set_threads_(before);
  }
  /// What OpenMP was held to; oneDNN takes fewer for small shapes and does not say so.
  int threads_actual() const { return threads_actual_; }
  const OneDnnVersion& version() const { return *version_; }
  /// Library, version and kernel, of a function of the library's.
  Facts chosen(const void* function) const;

 private:
  int threads_;
  const OneDnnVersion* version_ = nullptr;
  void (*set_threads_)(int) = nullptr;
  int (*get_threads_)() = nullptr;
  int threads_actual_ = 0;
};

}  // namespace gemmlab::cpu
