#include "gpu/gemm/batched/product.h"

#include <utility>

#include "core/rounding.h"
#include "gpu/device/device.h"
#include "gpu/device/launch.h"
#include "gpu/device/resources.h"
#include "gpu/gemm/pipelined/card.h"
#include "gpu/gemm/pipelined/shared_memory.h"
#include "operations/gemm/implementation.h"

namespace gemmlab::gpu {
namespace {

BatchedKernel kernel_of(const BatchChoice& choice) {
  return choice.candidate->kernel[static_cast<int>(choice.layout)];
}

BatchedArguments arguments_of(const BatchChoice& choice, const GemmBatch& batch, const float* a,
                              const float* b, float* c) {
  const GemmForm& form = batch.form;
  BatchedArguments arguments = {};
  arguments.A = a;
  arguments.B = b;
  arguments.C = c;
  arguments.stride_a = batch.stride_a;
  arguments.stride_b = batch.stride_b;
  arguments.stride_c = batch.stride_c;
  arguments.M = static_cast<int>(batch.shape.m);
  arguments.N = static_cast<int>(batch.shape.n);
  arguments.K = static_cast<int>(batch.shape.k);
  arguments.lda = static_cast<int>(form.lda);
  arguments.ldb = static_cast<int>(form.ldb);
  arguments.ldc = static_cast<int>(form.ldc);
  arguments.alpha = form.alpha;
  arguments.beta = form.beta;
  constexpr std::int64_t kFour = 4;  // floats in 16 bytes
  arguments.c_aligned =
      batch.shape.n % kFour == 0 && form.ldc % kFour == 0 && batch.stride_c % kFour == 0 && at_16_bytes(c);
  const PipelinedCandidate& tile = choice.candidate->tile;
  arguments.across = static_cast<unsigned>(ceil_div(batch.shape.n, tile.BN));
  arguments.tiles = static_cast<unsigned>(pipelined_tiles(tile, batch.shape));
  return arguments;
}

class WithBatches : public GemmSession, public MultipliesBatches {
 public:
  WithBatches(std::unique_ptr<Session> one, const Shape& shape, const GemmForm& form)
      : one_(std::move(one)), shape_(shape), form_(form) {}

  void multiply(const float* a, const float* b, float* c) override {
    if (is_plain(shape_, form_)) {
      choice_ = {};
      gemmlab::multiply(*one_, a, b, c);
    } else {
      multiply_batch({}, 1, a, b, c);
    }
  }

  void multiply_batch(const BatchStrides& strides, std::int64_t count, const float* a, const float* b,
                      float* c) override {
    choose({shape_, form_, count, strides.a, strides.b, strides.c}, at_16_bytes(a) && at_16_bytes(b));
    if (choice_.candidate) return launch_batched(choice_, batch_, a, b, c);
    for (std::int64_t i = 0; i < count; ++i)
      gemmlab::multiply(*one_, a + i * strides.a, b + i * strides.b, c + i * strides.c);
  }

  Facts chosen() const override { return choice_.candidate ? facts_of(choice_, batch_) : one_->chosen(); }
  Facts resources() const override { return choice_.candidate ? resources_of(choice_) : one_->resources(); }

 private:
  /// To choose takes longer than a launch, and the next batch is likely to be like the last.
  void choose(const GemmBatch& batch, bool aligned) {
    if (known_ && aligned == aligned_ && batch.count == batch_.count && batch.stride_a == batch_.stride_a &&
        batch.stride_b == batch_.stride_b && batch.stride_c == batch_.stride_c) {
      choice_ = last_;
      return;
    }
    const PipelinedCard& card = this_card();
    last_ = choose_batched(batch, "auto", aligned, card);
    if (!batch_is_better(last_, batch, card)) last_ = {};
    choice_ = last_;
    batch_ = batch;
    aligned_ = aligned;
    known_ = true;
  }

  std::unique_ptr<Session> one_;
  Shape shape_;
  GemmForm form_;
  bool known_ = false;  ///< are the next three?
  bool aligned_ = false;
  GemmBatch batch_;
  BatchChoice last_;    ///< no candidate: by `one_`
  BatchChoice choice_;  ///< what the last call went by
};

}  // namespace

void launch_batched(const BatchChoice& choice, const GemmBatch& batch, const float* a, const float* b,
                    float* c) {
  const PipelinedCandidate& tile = choice.candidate->tile;
  const BatchedKernel kernel = kernel_of(choice);
  const std::int64_t blocks = pipelined_tiles(tile, batch.shape) * batch.count;
  const auto* const function = reinterpret_cast<const void*>(kernel);
  allow_shared(function, tile.shared_bytes);  // once for each kernel and card would do
  set_shared_aside(function, shared_percent(tile, blocks, this_card()));
  launch(kernel, blocks, dim3(tile.threads), tile.shared_bytes, arguments_of(choice, batch, a, b, c));
}

Facts facts_of(const BatchChoice& choice, const GemmBatch& batch) {
  const PipelinedCandidate& tile = choice.candidate->tile;
  return {{"path", std::string("one launch")},
          {"tile", tile.name},
          {"step", std::int64_t{tile.BK}},
          {"stages", std::int64_t{tile.stages}},
          {"threads_per_block", std::int64_t{tile.threads}},
          {"blocks", pipelined_tiles(tile, batch.shape) * batch.count},
          {"load_bytes",
           std::int64_t{
               choice.layout == BatchLayout::kRowsBy16 || choice.layout == BatchLayout::kTurnedA ? 16 : 4}}};
}

Facts resources_of(const BatchChoice& choice) {
  const PipelinedCandidate& tile = choice.candidate->tile;
  return kernel_resources(reinterpret_cast<const void*>(kernel_of(choice)), tile.threads, tile.shared_bytes);
}

std::unique_ptr<Session> with_batches(std::unique_ptr<Session> one, const Shape& shape,
                                      const GemmForm& form) {
  return std::make_unique<WithBatches>(std::move(one), shape, form);
}

}  // namespace gemmlab::gpu
