#include <utility>

#include "gpu/device/cluster.h"
#include "gpu/device/device.h"
#include "gpu/device/launch.h"
#include "gpu/device/resources.h"
#include "gpu/gemm/pipelined/add_partials.h"
#include "gpu/gemm/pipelined/card.h"
#include "gpu/gemm/pipelined/kernel.h"
#include "gpu/gemm/pipelined/pad_rows.h"
#include "gpu/gemm/pipelined/session.h"
#include "gpu/gemm/pipelined/shared_memory.h"
#include "gpu/gemm/pipelined/transpose.h"
#include "gpu/gemm/scale.h"
#include "gpu/gemm/thin/product.h"
#include "operations/gemm/implementation.h"

namespace gemmlab::gpu {
namespace {

/// Percent of an SM's shared memory for the launches of a session. A cluster's blocks look for room on few SMs, of which
/// less leaves fewer: 72×165×1275 in clusters of 7 took 12.3 us instead of 9.8 on an H200.
int percent_of(const PipelinedChoice& choice, const PipelinedCard& card) {
  const std::int64_t blocks = choice.schedule.blocks();
  const bool at_once = blocks <= std::int64_t{card.sms} * blocks_per_sm(*choice.candidate, card);
  return choice.cluster == 0 && at_once ? shared_percent(*choice.candidate, blocks, card) : kAllShared;
}

/// Rows and columns of C beyond the last whole tile, by the kernels for thin products: as many as `edges` says.
class Edges {
 public:
  /// The form of the product with all its copies made: rows of A, B and C as the tiles' kernel has them.
  Edges(const PipelinedChoice& choice, const Shape& shape, const PipelinedArguments& arguments)
      : shape_(shape) {
    row_ = shape.m - choice.edge_rows;
    col_ = shape.n - choice.edge_cols;
    GemmForm form;
    form.alpha = arguments.alpha;
    form.lda = arguments.row_of_a;
    form.ldb = arguments.row_of_b;
    form.ldc = shape.n;
    if (choice.edge_rows > 0)
      rows_ =
          std::make_unique<ThinProduct>(Shape{choice.edge_rows, shape.n, shape.k}, form, arguments.cols_of_b);
    if (choice.edge_cols > 0)
      cols_ = std::make_unique<ThinProduct>(Shape{row_, choice.edge_cols, shape.k}, form);
  }

  void multiply(const PipelinedArguments& arguments) {
    if (rows_)
      rows_->multiply(arguments.A + row_ * arguments.row_of_a, arguments.B, arguments.C + row_ * shape_.n);
    if (cols_) cols_->multiply(arguments.A, arguments.B + col_, arguments.C + col_);
  }

  std::int64_t workspace_bytes() const {
    return (rows_ ? rows_->workspace_bytes() : 0) + (cols_ ? cols_->workspace_bytes() : 0);
  }

 private:
  Shape shape_;
  std::int64_t row_ = 0;  ///< the first of the rows
  std::int64_t col_ = 0;
  std::unique_ptr<ThinProduct> rows_;
  std::unique_ptr<ThinProduct> cols_;
};

class PipelinedSession : public GemmSession {
 public:
  PipelinedSession(const PipelinedChoice& choice, const Shape& shape, const GemmForm& form,
                   std::string source)
      : candidate_(*choice.candidate),
        shape_(shape),
        form_(form),
        source_(std::move(source)),
        cluster_(choice.cluster),
        shared_percent_(percent_of(choice, this_card())),
        slots_(partial_bytes(choice)),
        padded_(sizeof(float) * padded_floats(choice, shape)),
        turned_(form.transpose_a ? sizeof(float) * shape.m * padded_row(shape.k) : 0),
        apart_(form.beta != 0 || form.ldc != shape.n),
        product_(apart_ ? sizeof(float) * shape.c_count() : 0),
        pads_b_(choice.pads_b),
        aligned_(pads_b_ || layout_of_b(shape, form) == LayoutOfB::kAligned),
        arguments_(arguments_of(choice)),
        edges_(choice, shape, arguments_) {
    for (const bool aligned : {false, true}) allow_shared(kernel(aligned), shared_bytes());
  }

  void multiply(const float* a, const float* b, float* c) override {
    aligned_ = pads_b_ || (layout_of_b(shape_, form_) == LayoutOfB::kAligned && at_16_bytes(b));
    arguments_.A = a;
    arguments_.B = b;
    arguments_.C = apart_ ? product_.floats() : c;
    arguments_.c_aligned = shape_.n % kVector == 0 && at_16_bytes(arguments_.C);
    copy_operands(a, b);
    set_shared_aside(kernel(aligned_), shared_percent_);
    if (cluster_ > 0) {
      launch_clusters(aligned_ ? candidate_.aligned_clustered : candidate_.clustered,
                      std::int64_t{arguments_.schedule.tiles()} * cluster_, static_cast<unsigned>(cluster_),
                      dim3(candidate_.threads), shared_bytes(), arguments_, cluster_);
    } else {
      launch(aligned_ ? candidate_.aligned_kernel : candidate_.kernel, arguments_.schedule.blocks(),
             dim3(candidate_.threads), shared_bytes(), arguments_);
      if (arguments_.schedule.split_blocks > 0) launch_add_partials(arguments_, candidate_);
    }
    edges_.multiply(arguments_);
    if (apart_) launch_add_to(c, stored_c(shape_, form_), form_.beta, product_.floats());
  }

  Facts chosen() const override {
    const Schedule& schedule = arguments_.schedule;
    return {{"tile", candidate_.name},
            {"step", std::int64_t{candidate_.BK}},
            {"stages", std::int64_t{candidate_.stages}},
            {"threads_per_block", std::int64_t{candidate_.threads}},
            {"blocks", std::int64_t{schedule.blocks()} * (cluster_ > 0 ? cluster_ : 1)},
            {"split_blocks", std::int64_t{schedule.split_blocks}},
            {"split_k", std::int64_t{cluster_ > 0 ? cluster_ : split_k(schedule)}},
            {"cluster", std::int64_t{cluster_ > 0 ? cluster_ : 1}},
            {"load_bytes", std::int64_t{aligned_ ? 16 : 4}},
            {"padded_bytes", static_cast<std::int64_t>(padded_.bytes())},
            {"workspace_bytes", workspace_bytes()},
            {"source", source_}};
  }

  Facts resources() const override {
    return kernel_resources(kernel(aligned_), candidate_.threads, shared_bytes());
  }

 private:
  static std::size_t partial_bytes(const PipelinedChoice& choice) {
    return sizeof(float) * 2 * choice.schedule.split_blocks * choice.candidate->BM * choice.candidate->BN;
  }
  std::int64_t workspace_bytes() const {
    return static_cast<std::int64_t>(slots_.bytes() + padded_.bytes() + turned_.bytes() + product_.bytes()) +
           edges_.workspace_bytes();
  }
  int shared_bytes() const { return cluster_ > 0 ? candidate_.clustered_bytes : candidate_.shared_bytes; }
  const void* kernel(bool aligned) const {
    if (cluster_ > 0)
      return reinterpret_cast<const void*>(aligned ? candidate_.aligned_clustered : candidate_.clustered);
    return reinterpret_cast<const void*>(aligned ? candidate_.aligned_kernel : candidate_.kernel);
  }

  PipelinedArguments arguments_of(const PipelinedChoice& choice) const {
    PipelinedArguments arguments = {};
    arguments.partials = slots_.floats();
    arguments.M = static_cast<int>(shape_.m);
    arguments.N = static_cast<int>(shape_.n);
    arguments.K = static_cast<int>(shape_.k);
    arguments.row_of_a = static_cast<int>(form_.transpose_a ? padded_row(shape_.k) : form_.lda);
    arguments.row_of_b = static_cast<int>(pads_b_ ? padded_row(shape_.n) : form_.ldb);
    arguments.cols_of_b = static_cast<int>(pads_b_ ? padded_row(shape_.n) : shape_.n);
    arguments.schedule = choice.schedule;
    arguments.alpha = form_.alpha;
    return arguments;
  }

  void copy_operands(const float* a, const float* b) {
    if (form_.transpose_a) {
      launch_transpose(turned_.floats(), arguments_.row_of_a, a, form_.lda, shape_.k, shape_.m);
      arguments_.A = turned_.floats();
    }
    if (!pads_b_) return;
    if (form_.transpose_b) {
      launch_transpose(padded_.floats(), arguments_.row_of_b, b, form_.ldb, shape_.n, shape_.k);
    } else {
      launch_pad_rows(padded_.floats(), b, shape_.k, shape_.n, form_.ldb);
    }
    arguments_.B = padded_.floats();
  }

  const PipelinedCandidate& candidate_;
  Shape shape_;
  GemmForm form_;
  std::string source_;
  int cluster_;  ///< blocks that share a tile; 0: they are no cluster
  int shared_percent_;
  DeviceMemory slots_;
  DeviceMemory padded_;
  DeviceMemory turned_;   ///< A, where it is transposed
  bool apart_;            ///< is the product made beside C?
  DeviceMemory product_;  ///< there
  bool pads_b_;
  bool aligned_;  ///< B's rows: in the last call, or what they will be if the pointers are at 16 bytes
  PipelinedArguments arguments_;
  Edges edges_;
};

}  // namespace

std::unique_ptr<Session> make_pipelined_session(const PipelinedChoice& choice, const Shape& shape,
                                                const GemmForm& form, std::string source) {
  return std::make_unique<PipelinedSession>(choice, shape, form, std::move(source));
}

}  // namespace gemmlab::gpu
