#include "cpu/gemm/scale.h"

#include <algorithm>

namespace gemmlab::cpu {
namespace {

class ScaleSession : public GemmSession {
 public:
  ScaleSession(const Shape& shape, const GemmForm& form) : c_(stored_c(shape, form)), beta_(form.beta) {}

  void multiply(const float*, const float*, float* c) override {
    if (beta_ == 1) return;
    for (std::int64_t row = 0; row < c_.rows; ++row) {
      float* of_row = c + row * c_.stride;
      if (beta_ == 0) {
        std::fill(of_row, of_row + c_.cols, 0.0F);
      } else {
        for (std::int64_t col = 0; col < c_.cols; ++col) of_row[col] *= beta_;
      }
    }
  }
  int threads_actual() const override { return 1; }

 private:
  StoredMatrix c_;
  float beta_;
};

}  // namespace

std::unique_ptr<Session> make_scale_session(const Shape& shape, const GemmForm& form) {
  return std::make_unique<ScaleSession>(shape, form);
}

}  // namespace gemmlab::cpu
