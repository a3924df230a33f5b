#include "core/gemm/batch.h"

namespace gemmlab {

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
