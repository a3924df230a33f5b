// The kernels of gpu.tensor one after another, for one product or a batch; tensor.cu says how and why.

#include <cuda_runtime.h>

#include <limits>
#include <optional>
#include <stdexcept>

#include "core/rounding.h"
#include "gpu/device/check.h"
#include "gpu/device/device.h"
#include "gpu/device/stream.h"
#include "gpu/gemm/pipelined/card.h"
#include "gpu/gemm/session.h"
#include "gpu/gemm/tensor/choose.h"
#include "gpu/gemm/tensor/instructions/wgmma_here.h"
#include "gpu/gemm/tensor/session.h"
#include "gpu/gemm/tensor/stages.h"
#include "operations/gemm/implementation.h"

namespace gemmlab::gpu::parts {
namespace {

std::size_t parts_bytes(std::int64_t rows, std::int64_t pitch) {
  return sizeof(std::uint16_t) * kMostParts * static_cast<std::size_t>(rows) *
         static_cast<std::size_t>(pitch);
}

class TensorSession : public GemmSession {
 public:
  TensorSession(const GemmBatch& batch, bool half_allowed, bool wgmma, const SessionsBefore& before,
                const std::optional<WgmmaChoice>& choice)
      : by_wgmma_(wgmma && wgmma_here()),
        splits_once_(splits_once(batch, half_allowed, wgmma)),
        work_(described(batch, choice)),
        first_(sharing(before.first)),
        same_a_(first_ ? sharing(before.same_a) : nullptr),
        same_b_(first_ ? sharing(before.same_b) : nullptr),
        state_(sizeof(Findings) + sizeof(unsigned) * rows_and_columns()),
        scales_(sizeof(int) * rows_and_columns()),
        parts_a_(same_a_ ? 0 : parts_bytes(work_.rows_of_a(), work_.pitch)),
        parts_b_(same_b_ ? 0 : parts_bytes(work_.cols_of_b(), work_.pitch)) {
    work_.half_allowed = half_allowed;
    work_.findings = static_cast<Findings*>(state_.data());
    work_.largest_a = reinterpret_cast<unsigned*>(work_.findings + 1);
    work_.largest_b = work_.largest_a + work_.rows_of_a();
    work_.scales_a = static_cast<int*>(scales_.data());
    work_.scales_b = work_.scales_a + work_.rows_of_a();
    work_.parts_a = static_cast<std::uint16_t*>(parts_a_.data());
    work_.parts_b = static_cast<std::uint16_t*>(parts_b_.data());
    share(work_, work_of(first_), work_of(same_a_), work_of(same_b_));
    if (batch.count > 1 && !by_wgmma_)
      throw std::runtime_error("several products take wgmma, which this card lacks");
    if (splits_once_) {
      prepare_whole();
    } else if (by_wgmma_) {
      products_ = make_wgmma_products(work_);
    } else {
      products_ = make_mma_products();
    }
  }

  void multiply(const float* a, const float* b, float* c) override {
    work_.a = a;
    work_.b = b;
    work_.c = c;
    has_run_ = true;
    if (whole_) return whole_->launch(work_);
    const bool plain = work_.K < kLeastForParts;  // where findings with all bits set lead to
    GEMMLAB_CUDA_CHECK(cudaMemsetAsync(state_.data(), plain ? 0xff : 0, state_.bytes(), current_stream()));
    if (plain) return launch_plain(work_);
    launch_scan(work_);
    launch_split(work_, Arithmetic::kHalf);
    if (work_.half_allowed) products_->launch(work_, Arithmetic::kHalf);
    launch_split(work_, Arithmetic::kBfloat);
    products_->launch(work_, Arithmetic::kBfloat);
    launch_plain(work_);
  }

  Facts chosen() const override {
    Facts facts = whole_ ? whole_->chosen(arithmetic()) : products_->chosen(arithmetic());
    facts["workspace_bytes"] =
        static_cast<std::int64_t>(state_.bytes() + scales_.bytes() + parts_a_.bytes() + parts_b_.bytes() +
                                  (for_whole_ ? for_whole_->bytes() : 0));
    facts["arithmetic"] =
        std::string(arithmetic() == Arithmetic::kDigits   ? "6 products of scaled INT8 triples"
                    : arithmetic() == Arithmetic::kHalf   ? "3 products of scaled FP16 pairs"
                    : arithmetic() == Arithmetic::kBfloat ? "8 products of scaled BF16 triples"
                                                          : "plain FP32");
    return facts;
  }

  Facts resources() const override {
    const Arithmetic ran = arithmetic();
    if (ran == Arithmetic::kPlain) return plain_resources();
    return whole_ ? whole_->resources() : products_->resources(ran);
  }

 private:
  /// A session whose split operands can serve here: none where either splits anew for other data, or they begin
  /// otherwise.
  const TensorSession* sharing(const Session* session) const {
    const auto* other = dynamic_cast<const TensorSession*>(session);
    const bool serves = splits_once_ && other != nullptr && other->splits_once_ &&
                        other->work_.first_split() == work_.first_split();
    return serves ? other : nullptr;
  }
  static const Work* work_of(const TensorSession* session) { return session ? &session->work_ : nullptr; }

  static Work described(const GemmBatch& batch, const std::optional<WgmmaChoice>& asked) {
    const Shape& shape = batch.shape;
    const GemmForm& form = batch.form;
    Work work;
    work.M = static_cast<int>(shape.m);
    work.N = static_cast<int>(shape.n);
    work.K = static_cast<int>(shape.k);
    work.transpose_a = form.transpose_a;
    work.transpose_b = form.transpose_b;
    work.lda = static_cast<int>(form.lda);
    work.ldb = static_cast<int>(form.ldb);
    work.ldc = static_cast<int>(form.ldc);
    work.alpha = form.alpha;
    work.beta = form.beta;
    work.batch = static_cast<int>(batch.count);
    work.stride_a = batch.stride_a;
    work.stride_b = batch.stride_b;
    work.stride_c = batch.stride_c;
    work.pitch = static_cast<int>(pitch_of(shape.k));
    GEMMLAB_CUDA_CHECK(cudaDeviceGetAttribute(&work.multiprocessors, cudaDevAttrMultiProcessorCount, 0));
    work.choice = asked ? *asked : choose_wgmma(shape, work.multiprocessors, batch.count);
    return work;
  }

  /// Of all products.
  std::size_t rows_and_columns() const {
    return static_cast<std::size_t>(work_.rows_of_a()) + static_cast<std::size_t>(work_.cols_of_b());
  }

  void prepare_whole() {
    for_whole_.emplace(sizeof(Findings) + sizeof(float) * static_cast<std::size_t>(sizes_of_first_split(
                                                              work_.rows_of_a(), work_.cols_of_b())));
    work_.found = static_cast<Findings*>(for_whole_->data());
    work_.sizes = reinterpret_cast<float*>(work_.found + 1);
    whole_ = make_whole_product(work_);
    GEMMLAB_CUDA_CHECK(cudaMemsetAsync(work_.found, 0, sizeof(Findings), current_stream()));
    GEMMLAB_CUDA_CHECK(cudaStreamSynchronize(current_stream()));  // multiply() may come by another stream
  }

  /// What the last multiply came to; before any, what ordinary data come to.
  Arithmetic arithmetic() const {
    if (!has_run_) {
      if (work_.K < kLeastForParts) return Arithmetic::kPlain;
      if (whole_) return work_.first_split();
      return work_.half_allowed ? Arithmetic::kHalf : Arithmetic::kBfloat;
    }
    Findings found;
    GEMMLAB_CUDA_CHECK(
        cudaMemcpyAsync(&found, work_.findings, sizeof(found), cudaMemcpyDeviceToHost, current_stream()));
    GEMMLAB_CUDA_CHECK(cudaStreamSynchronize(current_stream()));
    return whole_ ? arithmetic_after(found, work_.first_split(), work_.K)
                  : arithmetic_for(found, work_.half_allowed, work_.K);
  }

  bool by_wgmma_;
  bool splits_once_;
  Work work_;
  // Whose findings and split operands serve, too; nullptr where its own do.
  const TensorSession* first_;
  const TensorSession* same_a_;
  const TensorSession* same_b_;
  DeviceMemory state_;
  DeviceMemory scales_;
  DeviceMemory parts_a_;
  DeviceMemory parts_b_;
  std::optional<DeviceMemory> for_whole_;
  std::unique_ptr<Products> products_;   ///< nullptr where whole_ does it all
  std::unique_ptr<WholeProduct> whole_;  ///< nullptr without splits_once()
  bool has_run_ = false;
};

}  // namespace

std::string why_no_batch(const GemmBatch& batch) {
  constexpr std::int64_t kMostProducts = 65535;  // a grid's y
  constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
  const Shape& shape = batch.shape;
  if (shape.k < kLeastForParts || shape.k > kMostForDigits)
    return "K is " + std::to_string(shape.k) + ", and split operands take one from " +
           std::to_string(kLeastForParts) + " to " + std::to_string(kMostForDigits);
  if (batch.count > kMostProducts)
    return "there are " + std::to_string(batch.count) + " products, over " + std::to_string(kMostProducts);
  // tiles of C, too, are fewer
  if (batch.count * shape.m > kMost || batch.count * shape.n > kMost ||
      batch.count * ceil_div(shape.m, 128) * ceil_div(shape.n, 128) > kMost)
    return "all products together have " + std::to_string(batch.count * shape.m) + " rows and " +
           std::to_string(batch.count * shape.n) + " columns, or tiles, over " + std::to_string(kMost);
  return {};
}

bool better_as_batch(const GemmBatch& batch) {
  return why_no_batch(batch).empty() && !better_in_fp32(batch, this_card()) && wgmma_here();
}

bool splits_once(const GemmBatch& batch, bool half_allowed, bool wgmma) {
  return half_allowed && wgmma && wgmma_here() && batch.shape.k >= kLeastForParts;
}

std::unique_ptr<Session> make_tensor_session(const GemmBatch& batch, bool half_allowed, bool wgmma,
                                             const SessionsBefore& before,
                                             const std::optional<WgmmaChoice>& choice) {
  return std::make_unique<TensorSession>(batch, half_allowed, wgmma, before, choice);
}

}  // namespace gemmlab::gpu::parts
