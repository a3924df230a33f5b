#pragma once

// A handle: an implementation, a stream, a workspace, and what was prepared for the shapes that came up.

#include <cstdint>
#include <memory>
#include <mutex>

#include "api/device.h"
#include "api/sessions.h"
#include "operations/gemm/batch.h"

namespace gemmlab::api {

/// `count` products; each one's matrices begin a stride further on than the last one's.
struct Product {
  Shape shape;
  GemmForm form;
  const void* a = nullptr;
  const void* b = nullptr;
  void* c = nullptr;
  std::int64_t stride_a = 0;  ///< in elements
  std::int64_t stride_b = 0;
  std::int64_t stride_c = 0;
  std::int64_t count = 1;
  GemmTypes types = {};
  const void* bias = nullptr;  ///< n elements, added to each row of C; of one product alone
  ElementType bias_type = ElementType::kFloat32;
};

GemmBatch batch_of(const Product& product);
/// Fewer and larger products where they are the same: see gemmlab::merged().
Product merged(const Product& product);
/// `stream`: of a GPU's work.
Purpose purpose_of(const Choice& choice, const Product& product, void* stream);

/// The last of our own of a device that takes this product on this machine. Throws Refusal where none does.
const Implementation& last_rung(const Device& device, const Product& product);

/// Every public function may be called from any thread. All throw Refusal, or what core throws.
class Handle {
 public:
  Handle();
  ~Handle();
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;

  void set_choice(const Choice& choice);
  void set_stream(void* stream);
  void* stream() const;
  void set_operands_on_host(bool on_host);
  void set_workspace(void* memory, std::size_t bytes);
  std::size_t workspace_bytes(const Shape& shape, const GemmForm& form);

  void multiply(const Product& product);
  /// By another choice than the handle's own.
  void multiply(const Choice& choice, const Product& product);
  /// Forgets all that is prepared.
  void release();

 private:
  void multiply_locked(const Choice& choice, const Product& product);
  void on_device(const Choice& choice, const Product& product);
  void from_host(const Choice& choice, const Product& product);
  void bind_to_device();

  mutable std::mutex mutex_;
  Choice choice_;
  void* stream_ = nullptr;
  bool operands_on_host_ = false;
  int device_ = -1;  ///< before the first call on a GPU
  std::shared_ptr<Workspace> workspace_;
  std::unique_ptr<HostOperands> host_operands_;
  Sessions sessions_;
};

/// The one that this thread has by itself.
Handle& default_handle();

/// Ends what libraries' products of all handles have left: waits for the device.
void release_set_aside();

}  // namespace gemmlab::api
