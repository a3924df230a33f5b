#pragma once

// Products of one shape and form whose matrices lie at equal distances. Read by .cu files: C++17 only.

#include <cstdint>
#include <memory>

#include "core/implementation.h"
#include "operations/gemm/form.h"

namespace gemmlab {

/// `count` products; the next one's matrices begin so many floats further on. Strides of A and B may be 0: one matrix
/// for all. No two C overlap.
struct GemmBatch {
  Shape shape;
  GemmForm form;
  std::int64_t count = 1;
  std::int64_t stride_a = 0;
  std::int64_t stride_b = 0;
  std::int64_t stride_c = 0;
};

/// Floats from one product's matrices to the next one's.
struct BatchStrides {
  std::int64_t a = 0;
  std::int64_t b = 0;
  std::int64_t c = 0;
};
inline BatchStrides strides_of(const GemmBatch& batch) {
  return {batch.stride_a, batch.stride_b, batch.stride_c};
}

/// What a session of gemm is, too, that has a better way for many products of its shape and form than one after another.
class MultipliesBatches {
 public:
  virtual ~MultipliesBatches() = default;
  /// See GemmSession::multiply.
  virtual void multiply_batch(const BatchStrides& strides, std::int64_t count, const float* a, const float* b,
                              float* c) = 0;
};

/// What an implementation is, too, whose sessions do.
class TakesBatches {
 public:
  virtual ~TakesBatches() = default;
  /// Is this batch one launch, so that its products need not fill the device one by one?
  virtual bool one_launch(const GemmBatch& batch) const = 0;
};

/// What an implementation is, too, whose sessions may hold memory for all products of a batch.
class PreparesBatches {
 public:
  virtual ~PreparesBatches() = default;
  /// A session that takes the first product's A, B and C and computes all; nullptr where product by product is as good.
  virtual std::unique_ptr<Session> prepare_batch(const GemmBatch& batch,
                                                 const Parameters& parameters) const = 0;
};

/// All of the batch by a session that is prepared for one of its products: at once where it MultipliesBatches, else product by
/// product.
void multiply_batch(Session& one, const BatchStrides& strides, std::int64_t count, const float* a,
                    const float* b, float* c);
/// The same as a session for the batch.
std::unique_ptr<Session> batch_session(std::unique_ptr<Session> one, const BatchStrides& strides,
                                       std::int64_t count);

/// The same elements of C by fewer and larger products where there are such: with one B for all, and rows of A and C
/// that run on from product to product, all are one product of count·m rows; likewise columns, with one A.
GemmBatch merged(const GemmBatch& batch);

}  // namespace gemmlab
