#pragma once

// The three ways to hold a reference: whole, projected, sampled. Used by the verify files alone.

#include <cmath>
#include <cstdint>
#include <vector>

#include "core/inputs/matrix.h"
#include "core/verification/verify_element.h"
#include "operations/gemm/reference.h"

namespace gemmlab {

/// The product in question: alpha·A·B + beta·C. Transposes are no matter here: A and B are op(A) and op(B).
struct ProductSpec {
  Shape shape;
  Distribution distribution = Distribution::kUniform;
  std::uint64_t seed = 0;
  std::int32_t limit = 0;
  GemmForm form = {};
  GemmTypes types = {};

  /// Is every element of C one number alone: the sum, or what the result's type rounds it to?
  bool exact() const {
    const auto whole = [](float value) {
      return static_cast<float>(static_cast<std::int32_t>(value)) == value;
    };
    const bool whole_inputs = distribution == Distribution::kInteger || types.type == ElementType::kInt8;
    return whole_inputs && whole(form.alpha) && whole(form.beta);
  }
  /// And is it the sum itself, so that sums over C are exact, too?
  bool exact_sums() const { return exact() && !types.narrow_result(); }
  /// What an exact element has to be.
  double expected(double sum) const {
    return types.narrow_result() ? rounded(types.result, static_cast<float>(sum)) : sum;
  }
  Bounds bounds() const { return Bounds::of(distribution, shape.k, types.result); }
  ElementType type_of(Operand operand) const { return operand == Operand::kC ? types.result : types.type; }
  void draw(Operand operand, std::int64_t first, std::int64_t count, float* values) const {
    gemmlab::draw(values, first, count, type_of(operand), distribution, seed, operand, limit);
  }
  float drawn(Operand operand, std::int64_t index) const {
    return gemmlab::drawn(type_of(operand), distribution, seed, operand, index, limit);
  }
  /// Is C more than the product?
  bool scales() const { return form.alpha != 1 || form.beta != 0; }
  std::int64_t rows(Operand operand) const { return operand == Operand::kB ? shape.k : shape.m; }
  std::int64_t cols(Operand operand) const { return operand == Operand::kA ? shape.k : shape.n; }
  /// Row of the base that row `row` of C belongs to, and back.
  std::int64_t base_row(std::int64_t row, std::int64_t rotate) const { return (row + rotate) % shape.m; }
  std::int64_t row_of(std::int64_t base_row, std::int64_t rotate) const {
    return (base_row - rotate % shape.m + shape.m) % shape.m;
  }
};

/// alpha·product + beta·c, or of magnitudes, which have no sign.
inline double of_form(const GemmForm& form, double product, double c) {
  return double{form.alpha} * product + (form.beta == 0 ? 0 : double{form.beta} * c);
}
inline double size_of_form(const GemmForm& form, double product, double c) {
  return std::abs(double{form.alpha}) * product + (form.beta == 0 ? 0 : std::abs(double{form.beta} * c));
}

/// The check of a matrix of `cols` columns whose worst element is known.
Check check_of(const Worst& worst, const Bounds& bounds, const char* method, std::int64_t cols);

/// R and, unless the inputs are integers, |A||B|: every element.
class FullReference {
 public:
  FullReference(const ProductSpec& spec, const DoubleProduct& product);
  template <typename T>
  Check check(const T* c, std::int64_t rotate) const;  ///< "exact" or "bound"

 private:
  ProductSpec spec_;
  Matrix<double> r_;
  Matrix<double> s_;
};

/// Some rows by some columns of R and |A||B|, chosen over corners, edges and tile borders.
class SampledReference {
 public:
  SampledReference(const ProductSpec& spec, const DoubleProduct& product);
  template <typename T>
  Check check(const T* c, std::int64_t rotate) const;  ///< "exact" or "sampled"

 private:
  template <typename Combine>
  void combine_with_c(Matrix<double>& product, Combine&& combine) const;

  ProductSpec spec_;
  std::vector<std::int64_t> rows_;  ///< of the base
  std::vector<std::int64_t> cols_;
  Matrix<double> r_;
  Matrix<double> s_;
};

/// A·(B·x) and (w·A)·B for vectors x and w: a wrong element anywhere in C shows in its row and in its column.
class ProjectedReference {
 public:
  /// C·x or w·C, and the sums of C's squares along the same rows or columns: what the rounding of a narrow
  /// result, each element's by itself, can come to. No squares where C is as wide as its sums.
  struct Projected {
    std::vector<double> sums;
    std::vector<double> squares;
  };

  explicit ProjectedReference(const ProductSpec& spec);
  template <typename T>
  Check check(const T* c, std::int64_t rotate) const;  ///< "exact-projection" or "projection"

 private:
  struct Side {
    std::vector<double> vector;    ///< x or w
    std::vector<double> expected;  ///< what C·x or w·C has to be
    std::vector<double> scale;     ///< (|A|·(|B|·1)) / √n and likewise; empty for integers
  };
  void add_c(Side& row, Side& col) const;
  Worst compare(const Side& side, const Projected& projected, double summed) const;

  ProductSpec spec_;
  std::vector<Side> by_row_;
  std::vector<Side> by_col_;
};

/// `most` positions out of 0..extent-1 in rising order: both ends, borders of tiles, and one in each of equal
/// stretches between them. All positions where there are no more.
std::vector<std::int64_t> sampled_positions(std::int64_t extent, std::int64_t most, std::uint64_t seed);

}  // namespace gemmlab
