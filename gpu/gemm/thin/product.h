#pragma once

// C = alpha·op(A)·op(B) + beta·C where op(A) has few rows or op(B) few columns, at the speed of memory.

#include <cstdint>
#include <memory>

#include "core/implementation.h"
#include "gpu/device/device.h"
#include "gpu/gemm/thin/plan.h"
#include "operations/gemm/form.h"

namespace gemmlab::gpu {

/// Has op(A) at most eight rows, or op(B) at most eight columns?
bool is_thin(const Shape& shape);

/// Is C one row, of about as many narrow blocks of columns as the card has SMs, so that no two need share a sum? That is the
/// fastest way for such a row.
bool row_fills_card(const Shape& shape);

/// One shape and form, with the memory that it needs between calls.
class ThinProduct {
 public:
  /// `readable`: floats of each stored row of the larger matrix that may be read, if there are more than it has.
  ThinProduct(const Shape& shape, const GemmForm& form, std::int64_t readable = 0);

  /// Into the current stream. The matrices lie at any float.
  void multiply(const float* a, const float* b, float* c);
  Facts chosen() const;
  Facts resources() const;
  std::int64_t workspace_bytes() const;

 private:
  thin::Plan plan() const;
  /// Do the stored rows of the large matrix start at multiples of 16 bytes, if it does itself?
  bool rows_aligned() const;

  bool by_rows_;  ///< of C: B is the large matrix
  bool down_;     ///< K runs down the stored rows of the large matrix
  thin::Arguments arguments_;
  bool aligned_;
  std::unique_ptr<DeviceMemory> partials_;
  std::unique_ptr<DeviceMemory> arrived_;
};

/// A session of gemm that does this. Its form is_thin and does not scale only.
std::unique_ptr<Session> make_thin_session(const Shape& shape, const GemmForm& form);

}  // namespace gemmlab::gpu
