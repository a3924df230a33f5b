// The loops i p j on elements of any type: B is widened whole to what products are summed in, float32, or int32 of int8, A element by
// element; each sum is rounded once, where it is stored. What a type costs or brings without a unit for it.

#include <omp.h>

#include <algorithm>
#include <vector>

#include "core/session_row.h"
#include "cpu/device/variants.h"
#include "cpu/gemm/plain.h"

namespace gemmlab::cpu {
namespace {

/// A matrix where it lies, read as floats.
struct Stored {
  ElementType type;
  StoredMatrix lies;

  /// `count` elements of a stored row from `col` on.
  void widen_row(const void* matrix, std::int64_t row, std::int64_t col, std::int64_t count,
                 float* to) const {
    const std::int64_t at = row * lies.stride + col;
    widen(type, static_cast<const char*>(matrix) + at * static_cast<std::int64_t>(bytes_of(type)), count, to);
  }
};

/// op(B), row-major, as `Sum`.
template <typename Sum>
void widen_b(const void* from, const Stored& b, bool transposed, const Shape& shape, int threads, Sum* to) {
  const std::int64_t stored_rows = transposed ? shape.n : shape.k;
  const std::int64_t stored_cols = transposed ? shape.k : shape.n;
#pragma omp parallel num_threads(threads)
  {
    std::vector<float> row_values(static_cast<std::size_t>(stored_cols));
#pragma omp for schedule(static)
    for (std::int64_t row = 0; row < stored_rows; ++row) {
      b.widen_row(from, row, 0, stored_cols, row_values.data());
      for (std::int64_t col = 0; col < stored_cols; ++col) {
        Sum& one = transposed ? to[col * shape.n + row] : to[row * shape.n + col];
        one = static_cast<Sum>(row_values[static_cast<std::size_t>(col)]);
      }
    }
  }
}

class WidenedSession : public Session {
 public:
  static constexpr bool kResident = false;
  WidenedSession(const Instance& instance, const Parameters& parameters)
      : shape_(shape_of(instance)),
        form_(form_of(instance)),
        types_(types_of(instance)),
        threads_(static_cast<int>(integer(parameters, "threads"))) {}

  void run(const Operands& operands) override {
    if (is_integer(types_.type)) {
      multiply(operands, whole_b_);
    } else {
      multiply(operands, b_);
    }
  }
  int threads_actual() const override { return ran_; }

 private:
  template <typename Sum>
  void multiply(const Operands& operands, std::vector<Sum>& b) {
    b.resize(static_cast<std::size_t>(shape_.b_count()));
    widen_b(operands.at(1), {types_.type, stored_b(shape_, form_)}, form_.transpose_b, shape_, threads_,
            b.data());
    const Stored a{types_.type, stored_a(shape_, form_)};
#pragma omp parallel num_threads(threads_)
    {
#pragma omp master
      ran_ = omp_get_num_threads();
      std::vector<Sum> sums(static_cast<std::size_t>(shape_.n));
#pragma omp for schedule(static) nowait
      for (std::int64_t row = 0; row < shape_.m; ++row) {
        std::fill(sums.begin(), sums.end(), Sum{0});
        for (std::int64_t inner = 0; inner < shape_.k; ++inner) {
          float value = 0;
          a.widen_row(operands.at(0), form_.transpose_a ? inner : row, form_.transpose_a ? row : inner, 1,
                      &value);
          const auto factor = static_cast<Sum>(value);
          const Sum* b_row = b.data() + inner * shape_.n;
          for (std::int64_t col = 0; col < shape_.n; ++col)
            sums[static_cast<std::size_t>(col)] += factor * b_row[col];
        }
        store(sums, row, operands.at(2));
      }
    }
  }

  char* row_of_c(void* c, std::int64_t row) const {
    return static_cast<char*>(c) + row * form_.ldc * static_cast<std::int64_t>(bytes_of(types_.result));
  }
  void store(const std::vector<std::int32_t>& sums, std::int64_t row, void* c) const {
    std::copy(sums.begin(), sums.end(), reinterpret_cast<std::int32_t*>(row_of_c(c, row)));
  }
  void store(std::vector<float>& sums, std::int64_t row, void* c) const {
    if (form_.alpha != 1 || form_.beta != 0) scale(sums, row_of_c(c, row));
    narrow(types_.result, sums.data(), shape_.n, row_of_c(c, row));
  }
  void scale(std::vector<float>& sums, const void* c) const {
    std::vector<float> before(sums.size());
    if (form_.beta != 0) widen(types_.result, c, shape_.n, before.data());
    for (std::size_t col = 0; col < sums.size(); ++col)
      sums[col] = form_.alpha * sums[col] + form_.beta * before[col];
  }

  Shape shape_;
  GemmForm form_;
  GemmTypes types_;
  int threads_;
  int ran_ = 1;
  std::vector<float> b_;
  std::vector<std::int32_t> whole_b_;
};

std::string refuse(const Instance& instance, const Parameters&) {
  return why_not_shape(shape_of(instance));
}

/// Of float32 alone other rows are the plain loops.
class Widened : public SessionRow<WidenedSession> {
 public:
  using SessionRow::SessionRow;
  bool meant_for(const Instance& instance) const override { return !types_of(instance).plain(); }
};

}  // namespace

const Implementation& widened() {
  static const Widened row(
      {.id = "cpu.widened",
       .name = "widened loops",
       .family = "plain",
       .summary =
           "the loops i p j in any type, elements widened to float32 as they are read, rows shared out",
       .source = "gemmlab",
       .counterpart = "gpu.naive",
       .parameters = {threads_parameter("threads, at most one a row")}},
      refuse);
  return row;
}

}  // namespace gemmlab::cpu
