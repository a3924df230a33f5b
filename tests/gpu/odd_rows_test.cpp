// gpu.pipelined where B's rows start between multiples of 16 bytes, and the same bits in a hundred calls.

#include <string>

#include "gpu/gemm/pipelined/candidates.h"
#include "gpu/gemm/pipelined/pad_rows.h"
#include "operations/gemm/implementation.h"
#include "tests/gpu/on_gpu.h"

namespace gemmlab {
namespace {

class OddRows : public OnGpu {};

TEST_F(OddRows, are_copied_to_multiples_of_32_bytes_with_zeros_between) {
  for (std::int64_t rows : {1, 2, 7, 300}) {
    for (std::int64_t length : {1, 2, 7, 8, 9, 130, 1023}) {
      SCOPED_TRACE(std::to_string(rows) + " rows of " + std::to_string(length));
      const std::int64_t row = gpu::padded_row(length);
      ASSERT_EQ(row % 8, 0);
      ASSERT_GE(row, length);
      ASSERT_LT(row, length + 8);
      const std::vector<float> values = uniform_matrix(rows, length, Operand::kB);
      for (std::int64_t offset : {0, 1, 3}) {
        Guarded from(*backend_, rows * length, offset);
        Guarded to(*backend_, rows * row);
        from.write(values);
        to.poison();
        gpu::launch_pad_rows(to.data(), from.data(), rows, length, length);
        backend_->synchronize();
        std::vector<float> expected(rows * row, 0);
        for (std::int64_t i = 0; i < rows; ++i) {
          for (std::int64_t j = 0; j < length; ++j) expected[i * row + j] = values[i * length + j];
        }
        EXPECT_EQ(different(to.read(), expected), 0);
        EXPECT_EQ(to.changed_outside(), 0);
        EXPECT_EQ(different(from.read(), values), 0);
      }
    }
  }
}

TEST_F(OddRows, give_exact_products_with_every_tile_from_a_copy) {
  const Shape shape{140, 1029, 800};
  const auto host_a = integer_matrix(shape.m, shape.k, Operand::kA, 1, shape.k);
  const auto host_b = integer_matrix(shape.k, shape.n, Operand::kB, 1, shape.k);
  const auto expected = plain_product(host_a, host_b, shape);
  int padded = 0;
  for (const gpu::PipelinedCandidate& candidate : gpu::pipelined_candidates()) {
    SCOPED_TRACE(candidate.name);
    const Parameters tile = {{"tile", ParameterValue(candidate.name)}};
    if (!row_of("gpu.pipelined").why_not(gemm_at(shape), tile).empty()) continue;
    for (std::int64_t offset : {0, 1}) {
      Guarded a(*backend_, shape.a_count(), offset);
      Guarded b(*backend_, shape.b_count(), offset);
      Guarded c(*backend_, shape.c_count(), offset);
      a.write(host_a);
      b.write(host_b);
      c.poison();
      const auto session = row_of("gpu.pipelined").prepare(gemm_at(shape), tile);
      multiply(*session, a.data(), b.data(), c.data());
      backend_->synchronize();
      EXPECT_EQ(different(c.read(), expected), 0);
      EXPECT_EQ(c.changed_outside(), 0);
      EXPECT_EQ(different(b.read(), host_b), 0);
      const Facts chosen = session->chosen();
      const bool copied = std::get<std::int64_t>(chosen.at("padded_bytes")) > 0;
      EXPECT_EQ(std::get<std::int64_t>(chosen.at("load_bytes")), copied ? 16 : 4);
      padded += copied;
    }
  }
  EXPECT_GT(padded, 0);
}

TEST_F(OddRows, and_all_others_give_the_same_bits_in_a_hundred_calls) {
  for (const std::string id : {"gpu.pipelined", "gpu.tensor"}) {
    for (const Shape& shape : {Shape{1000, 1000, 1000}, Shape{1023, 1023, 1023}, Shape{2049, 2047, 2051},
                               Shape{128, 128, 65536}, Shape{16, 4096, 4096}, Shape{4096, 4096, 512}}) {
      SCOPED_TRACE(id + " m=" + std::to_string(shape.m) + " n=" + std::to_string(shape.n) +
                   " k=" + std::to_string(shape.k));
      const auto session = row_of(id).prepare(gemm_at(shape), complete(row_of(id).description(), {}));
      expect_same_bits(*backend_, *session, shape, 100);
    }
  }
}

}  // namespace
}  // namespace gemmlab
