#include "operations/gemm/batch.h"

#include <utility>

#include "operations/gemm/implementation.h"

namespace gemmlab {
namespace {

class BatchSession : public GemmSession {
 public:
  BatchSession(std::unique_ptr<Session> one, const BatchStrides& strides, std::int64_t count)
      : one_(std::move(one)), strides_(strides), count_(count) {}
  void multiply(const float* a, const float* b, float* c) override {
    multiply_batch(*one_, strides_, count_, a, b, c);
  }
  Facts chosen() const override { return one_->chosen(); }
  Facts resources() const override { return one_->resources(); }

 private:
  std::unique_ptr<Session> one_;
  BatchStrides strides_;
  std::int64_t count_;
};

}  // namespace

void multiply_batch(Session& one, const BatchStrides& strides, std::int64_t count, const float* a,
                    const float* b, float* c) {
  if (auto* const batches = dynamic_cast<MultipliesBatches*>(&one); batches != nullptr && count > 1)
    return batches->multiply_batch(strides, count, a, b, c);
  for (std::int64_t i = 0; i < count; ++i)
    multiply(one, a + i * strides.a, b + i * strides.b, c + i * strides.c);
}

std::unique_ptr<Session> batch_session(std::unique_ptr<Session> one, const BatchStrides& strides,
                                       std::int64_t count) {
  return std::make_unique<BatchSession>(std::move(one), strides, count);
}

GemmBatch merged(const GemmBatch& batch) {
  const std::int64_t m = batch.shape.m;
  const std::int64_t n = batch.shape.n;
  const GemmForm& form = batch.form;
  GemmBatch one = batch;
  one.count = 1;
  const bool rows_run_on = !form.transpose_a && batch.stride_a == m * form.lda;
  // stored columns of A or B run on inside their rows, which then are long enough for all products
  const bool columns_of_a_run_on = form.transpose_a && batch.stride_a == m && form.lda >= batch.count * m;
  const bool columns_run_on = !form.transpose_b && batch.stride_b == n && form.ldb >= batch.count * n;
  const bool rows_of_b_run_on = form.transpose_b && batch.stride_b == n * form.ldb;
  if (batch.stride_b == 0 && (rows_run_on || columns_of_a_run_on) && batch.stride_c == m * form.ldc) {
    one.shape.m = m * batch.count;
    return one;
  }
  if (batch.stride_a == 0 && (columns_run_on || rows_of_b_run_on) && batch.stride_c == n &&
      form.ldc >= batch.count * n) {
    one.shape.n = n * batch.count;
    return one;
  }
  return batch;
}

}  // namespace gemmlab
