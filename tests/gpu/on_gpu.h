#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "core/backend.h"
#include "core/inputs/input_sets.h"
#include "core/inputs/inputs.h"
#include "gpu/table.h"
#include "operations/gemm/shape.h"

namespace gemmlab {

/// Throws std::out_of_range where the table has none of this id.
const Implementation& row_of(const std::string& id);

/// A test that needs a GPU, and is skipped where there is none.
class OnGpu : public ::testing::Test {
 protected:
  void SetUp() override;
  std::unique_ptr<Backend> backend_;
};

/// `count` floats of device memory, or of page-locked memory of the host, with bands before and behind them that nobody may write, and whose
/// contents nobody may use.
class Guarded {
 public:
  /// The floats start `offset` floats behind a boundary of 256 bytes.
  Guarded(Backend& backend, std::int64_t count, std::int64_t offset = 0, Room room = Room::kDevice);
  ~Guarded();
  Guarded(const Guarded&) = delete;
  Guarded& operator=(const Guarded&) = delete;

  float* data() { return memory_ + front_; }
  void write(const std::vector<float>& values) { backend_.upload(data(), values.data(), count_); }
  void poison() { backend_.poison(data(), count_); }
  std::vector<float> read() const;
  /// How many floats of the bands are no longer what they were.
  std::int64_t changed_outside() const;

 private:
  static constexpr std::int64_t kBand = 1024;
  Backend& backend_;
  std::int64_t count_;
  std::int64_t front_;
  Room room_;
  float* memory_;
};

/// The same integer matrices everywhere; sums of their products are exact in float in any order.
std::vector<float> integer_matrix(std::int64_t rows, std::int64_t cols, Operand operand, std::uint64_t seed,
                                  std::int64_t k);

/// Uniform elements, the same everywhere.
std::vector<float> uniform_matrix(std::int64_t rows, std::int64_t cols, Operand operand);

/// `calls` products of the same uniform matrices have the same bits.
void expect_same_bits(Backend& backend, Session& session, const Shape& shape, int calls);

/// A·B by a plain loop on the host.
std::vector<float> plain_product(const std::vector<float>& a, const std::vector<float>& b,
                                 const Shape& shape);

/// Elements that differ, NaN included.
std::int64_t different(const std::vector<float>& left, const std::vector<float>& right);

}  // namespace gemmlab
