#pragma once

// What handles need of CUDA. Without CUDA in the build the same functions answer from device_absent.cpp.

#include <cstddef>
#include <memory>

#include "core/implementation.h"
#include "operations/gemm/form.h"
#include "operations/gemm/types.h"

namespace gemmlab::api {

/// The current device; 0 without CUDA.
int current_device();

/// While it lives, this thread may do what a stream under capture elsewhere would forbid: take and give back
/// memory, load kernels. What is put into a stream under capture is captured as ever.
class RelaxedCapture {
 public:
  RelaxedCapture();
  ~RelaxedCapture();
  RelaxedCapture(const RelaxedCapture&) = delete;
  RelaxedCapture& operator=(const RelaxedCapture&) = delete;

 private:
  int before_ = 0;
};

/// Is the stream (a cudaStream_t) being captured into a graph?
bool is_captured(void* stream);
/// The graph that the stream is being captured into holds `what` from now on, as does all that is made
/// of the graph.
void held_by_graph(void* stream, std::shared_ptr<void> what);
/// Lets go of what graphs held that are gone. They cannot do so themselves: what a graph's end calls may not
/// give device memory back.
void release_of_graphs();

/// A stream of the current device that work goes into which must not be captured.
void* side_stream();
void wait_for_stream(void* stream);

/// Device memory that the caller of the interface owns. Parts are taken one after another, and given back all
/// at once.
class Workspace {
 public:
  Workspace(void* memory, std::size_t bytes);
  ~Workspace();
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;

  bool is(const void* memory, std::size_t bytes) const { return memory == memory_ && bytes == bytes_; }
  std::size_t bytes() const { return bytes_; }
  void* take(std::size_t bytes);  ///< at a multiple of 256; nullptr where there is too little left
  std::size_t used() const { return used_; }
  /// What was taken since `used` bytes were is free again.
  void reuse(std::size_t used = 0) { used_ = used; }

 private:
  char* memory_;
  std::size_t bytes_;
  std::size_t used_ = 0;
};

/// While it lives, cudaMalloc of this thread takes from `workspace`, or from the device where that is nullptr,
/// and what it takes is counted.
class Placement {
 public:
  explicit Placement(Workspace* workspace);
  ~Placement();
  Placement(const Placement&) = delete;
  Placement& operator=(const Placement&) = delete;

  std::size_t bytes() const { return bytes_; }  ///< in whole pieces of 256
  bool ran_out() const { return ran_out_; }     ///< was the workspace too small?
  void* take(std::size_t bytes);                ///< for cudaMalloc; nullptr where the device is to be asked
  bool from_workspace() const { return workspace_ != nullptr; }

 private:
  Workspace* workspace_;
  Placement* before_;
  std::size_t bytes_ = 0;
  bool ran_out_ = false;
};

/// Copies of the host's A, B and C on the card, without padding between rows.
class HostOperands {
 public:
  HostOperands();
  ~HostOperands();
  struct Device {
    const void* a;
    const void* b;
    void* c;
  };
  /// A, B, and C if beta is not 0, by the time that the stream gets there. The form is that of the host's.
  Device upload(void* stream, const Shape& shape, const GemmForm& form, const GemmTypes& types, const void* a,
                const void* b, const void* c);
  /// C, when the stream has got there: waits.
  void download(void* stream, const Shape& shape, const GemmForm& form, ElementType result, void* c);

 private:
  struct Memory;
  std::unique_ptr<Memory> memory_;
};

/// `product` with a bias: run() takes A, B, C and n elements of the type `bias`, which are added to each row of C before
/// it is rounded to `result`. What the product itself writes: see product_before_bias().
std::unique_ptr<Session> with_bias(std::unique_ptr<Session> product, const Shape& shape, const GemmForm& form,
                                   ElementType result, ElementType bias);

}  // namespace gemmlab::api
