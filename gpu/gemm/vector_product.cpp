#include "gpu/gemm/vector_product.h"

#include "gpu/gemv/tuned.h"
#include "operations/gemm/implementation.h"

namespace gemmlab::gpu {
namespace {

/// A row C = a·B is y = Bᵀ·a, a column C = A·b is y = A·b.
class VectorProduct : public GemmSession {
 public:
  explicit VectorProduct(const Shape& shape)
      : one_column_(shape.n == 1),
        gemv_(one_column_ ? shape.m : shape.k, one_column_ ? shape.k : shape.n, !one_column_) {}

  void multiply(const float* a, const float* b, float* c) override {
    one_column_ ? gemv_.run(a, b, c) : gemv_.run(b, a, c);
  }
  Facts chosen() const override {
    Facts facts = gemv_.chosen();
    facts["path"] = "gemv, " + std::get<std::string>(facts.at("path"));
    return facts;
  }
  Facts resources() const override { return gemv_.resources(); }

 private:
  bool one_column_;
  Gemv gemv_;
};

}  // namespace

bool is_vector_product(const Shape& shape, const GemmForm& form) {
  return (shape.m == 1 || shape.n == 1) && is_plain(shape, form);
}

std::unique_ptr<Session> make_vector_product(const Shape& shape) {
  return std::make_unique<VectorProduct>(shape);
}

}  // namespace gemmlab::gpu
