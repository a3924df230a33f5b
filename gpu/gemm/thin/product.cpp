#include "gpu/gemm/thin/product.h"

#include <algorithm>

#include "core/rounding.h"
#include "gpu/device/launch.h"
#include "gpu/device/resources.h"
#include "operations/gemm/implementation.h"

namespace gemmlab::gpu {
namespace {

constexpr std::int64_t kFloatsIn16Bytes = 4;

/// Into how many parts K is cut so that the blocks are one round of what the card holds; no part shorter than what a
/// block has in flight.
int splits_for(std::int64_t groups, std::int64_t K, const thin::Plan& plan) {
  constexpr std::int64_t kMost = 64;  // parts that one block adds up
  const std::int64_t slots =
      std::int64_t{plan.blocks_per_sm} * device_attribute(cudaDevAttrMultiProcessorCount);
  return static_cast<int>(std::clamp<std::int64_t>(std::min(slots / groups, K / plan.batch), 1, kMost));
}

class ThinSession : public GemmSession {
 public:
  ThinSession(const Shape& shape, const GemmForm& form) : product_(shape, form) {}
  void multiply(const float* a, const float* b, float* c) override { product_.multiply(a, b, c); }
  Facts chosen() const override { return product_.chosen(); }
  Facts resources() const override { return product_.resources(); }

 private:
  ThinProduct product_;
};

}  // namespace

bool row_fills_card(const Shape& shape) {
  constexpr std::int64_t kNarrow = 32;  // columns of a block
  const std::int64_t sms = device_attribute(cudaDevAttrMultiProcessorCount);
  const std::int64_t blocks = ceil_div(shape.n, kNarrow);
  return shape.m == 1 && shape.n % kFloatsIn16Bytes == 0 && blocks <= sms && 4 * blocks >= 3 * sms;
}

bool is_thin(const Shape& shape) {
  return std::min(shape.m, shape.n) <= thin::kMostVectors;
}

ThinProduct::ThinProduct(const Shape& shape, const GemmForm& form, std::int64_t readable)
    : by_rows_(shape.m <= shape.n), down_(by_rows_ ? !form.transpose_b : form.transpose_a) {
  arguments_.length = static_cast<int>(by_rows_ ? shape.n : shape.m);
  arguments_.count = static_cast<int>(by_rows_ ? shape.m : shape.n);
  arguments_.K = static_cast<int>(shape.k);
  arguments_.stride = by_rows_ ? form.ldb : form.lda;
  arguments_.readable =
      down_ ? static_cast<int>(std::max<std::int64_t>(readable, arguments_.length)) : arguments_.K;
  const bool vectors_are_rows = by_rows_ ? !form.transpose_a : form.transpose_b;
  const std::int64_t of_vectors = by_rows_ ? form.lda : form.ldb;
  arguments_.vector_step = vectors_are_rows ? 1 : of_vectors;
  arguments_.vectors_apart = vectors_are_rows ? of_vectors : 1;
  arguments_.result_step = by_rows_ ? 1 : form.ldc;
  arguments_.results_apart = by_rows_ ? form.ldc : 1;
  arguments_.alpha = form.alpha;
  arguments_.beta = form.beta;
  aligned_ = rows_aligned();
  const thin::Plan like = plan();
  arguments_.groups = static_cast<int>(ceil_div(arguments_.length, like.results));
  arguments_.splits = splits_for(arguments_.groups, shape.k, like);
  if (arguments_.splits == 1) return;
  const std::size_t sums =
      static_cast<std::size_t>(arguments_.groups) * arguments_.splits * like.results * like.vectors;
  partials_ = std::make_unique<DeviceMemory>(sizeof(float) * sums);
  arrived_ = std::make_unique<DeviceMemory>(sizeof(unsigned) * arguments_.groups);
  arguments_.partials = partials_->floats();
  arguments_.arrived = static_cast<unsigned*>(arrived_->data());
  GEMMLAB_CUDA_CHECK(cudaMemsetAsync(arrived_->data(), 0, arrived_->bytes(), current_stream()));
}

bool ThinProduct::rows_aligned() const {
  return arguments_.stride % kFloatsIn16Bytes == 0 && arguments_.readable % kFloatsIn16Bytes == 0;
}

thin::Plan ThinProduct::plan() const {
  // from a few vectors on, and where narrow blocks would not all be there at once, wide ones: see k_down_rows.cu
  constexpr int kNarrow = 32;
  constexpr int kShort = 2048;
  const bool many = arguments_.count > 2 && arguments_.length >= kShort;
  const bool wide =
      many || ceil_div(arguments_.length, kNarrow) > device_attribute(cudaDevAttrMultiProcessorCount);
  if (down_ && aligned_ && arguments_.count == 1 && !wide) return thin::plan_row();
  return down_ ? thin::plan_down(arguments_.count, aligned_, wide)
               : thin::plan_along(arguments_.count, aligned_);
}

void ThinProduct::multiply(const float* a, const float* b, float* c) {
  arguments_.large = by_rows_ ? b : a;
  arguments_.vectors = by_rows_ ? a : b;
  arguments_.C = c;
  aligned_ = rows_aligned() && at_16_bytes(arguments_.large);
  launch(plan().kernel, std::int64_t{arguments_.groups} * arguments_.splits, dim3(plan().threads), 0,
         arguments_);
}

std::int64_t ThinProduct::workspace_bytes() const {
  return partials_ ? static_cast<std::int64_t>(partials_->bytes() + arrived_->bytes()) : 0;
}

Facts ThinProduct::chosen() const {
  return {{"path", std::string(down_ ? "thin, down columns" : "thin, along rows")},
          {"blocks", std::int64_t{arguments_.groups} * arguments_.splits},
          {"split_k", std::int64_t{arguments_.splits}},
          {"threads_per_block", std::int64_t{plan().threads}},
          {"load_bytes", std::int64_t{aligned_ ? 16 : 4}},
          {"workspace_bytes", workspace_bytes()}};
}

Facts ThinProduct::resources() const {
  return kernel_resources(reinterpret_cast<const void*>(plan().kernel), plan().threads, 0);
}

std::unique_ptr<Session> make_thin_session(const Shape& shape, const GemmForm& form) {
  return std::make_unique<ThinSession>(shape, form);
}

}  // namespace gemmlab::gpu
