#pragma once

// NCCL, as far as several cards of one process send each other floats. Opened at run time; declared here from its published
// interface, whose numbers and signatures stay.

#include <cuda_runtime.h>

#include <cstdint>
#include <string>
#include <vector>

#include "gpu/device/dynamic_library.h"

namespace gemmlab::gpu {

class Nccl {
 public:
  using Communicator = void*;  ///< of one card among others

  /// Of the functions that the library has. It outlives this.
  explicit Nccl(const DynamicLibrary& library);

  /// Why it cannot be used: it was not found, or lacks a function; empty where it can.
  const std::string& why_not() const { return why_not_; }
  const std::string& path() const { return library_.path(); }
  std::string version() const;  ///< "2.28.9"

  // Each throws std::runtime_error with the call and NCCL's words where it answers anything but success.
  /// For the cards 0 to cards - 1, by cards.
  std::vector<Communicator> communicators(int cards) const;
  /// What `work` sends and receives goes at once when it returns; none of it must wait for another part of it.
  template <typename Work>
  void in_group(const Work& work) const {
    begin_group();
    try {
      work();
    } catch (...) {
      group_end_();  // or all that this thread asks for later would be of this group
      throw;
    }
    end_group();
  }
  /// In a stream of the communicator's card; `peer`: the other card. Both sides are asked for the same number of floats.
  void send(const float* from, std::int64_t floats, int peer, Communicator card, cudaStream_t stream) const;
  void receive(float* to, std::int64_t floats, int peer, Communicator card, cudaStream_t stream) const;

 private:
  void begin_group() const;
  void end_group() const;
  void check(int result, const char* call) const;

  const DynamicLibrary& library_;
  std::string why_not_;
  int (*get_version_)(int*);
  const char* (*error_string_)(int);
  int (*init_all_)(void**, int, const int*);
  int (*group_start_)();
  int (*group_end_)();
  int (*send_)(const void*, std::size_t, int, int, void*, cudaStream_t);
  int (*receive_)(void*, std::size_t, int, int, void*, cudaStream_t);
};

/// That of nccl_library().
const Nccl& nccl();

}  // namespace gemmlab::gpu
