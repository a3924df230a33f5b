#include "gpu/gemm/wgmma/row.h"

#include <algorithm>
#include <cstdint>
#include <optional>

#include "core/rounding.h"
#include "gpu/device/check.h"
#include "gpu/device/device.h"
#include "gpu/device/resources.h"
#include "gpu/device/stream.h"
#include "gpu/gemm/session.h"
#include "gpu/gemm/tensor/instructions/launch_after.h"
#include "gpu/gemm/tensor/instructions/tensor_map.h"
#include "gpu/gemm/tensor/instructions/wgmma_here.h"
#include "gpu/gemm/wgmma/add_parts.h"
#include "gpu/gemm/wgmma/arguments.h"
#include "gpu/gemm/wgmma/copies.h"
#include "gpu/gemm/wmma/typed_row.h"
#include "gpu/table.h"

namespace gemmlab::gpu {
namespace {

using tensor_core::kBytesOfSum;
using tensor_core::kLine;
using tensor_core::kPieceRowsOfD;
using tensor_core::kRowBytes;

constexpr int kAlignment = 16;

/// A matrix in memory, row-major without gaps, and its copy where TMA cannot read it.
class Operand {
 public:
  /// `turned`: it is read transposed, which elements of one byte alone are. `along_rows`: blocks read it from row to row.
  Operand(std::int64_t rows, std::int64_t cols, std::size_t element_bytes, bool turned, bool along_rows)
      : rows_(rows), cols_(cols), bytes_(static_cast<int>(element_bytes)), turned_(turned) {
    const std::int64_t copied_rows = turned ? cols : rows;
    copied_row_ = tensor_core::copied_row_bytes(turned ? rows : cols * bytes_);
    // all blocks would wait for the same few lines, in which many rows lie
    crowded_ = along_rows && cols * bytes_ < kLine;
    if (turned || crowded_ || cols * bytes_ % kAlignment != 0)
      copy_.emplace(static_cast<std::size_t>(copied_rows * copied_row_));
  }

  /// Where it is read from.
  const void* place(const void* at) {
    if (!copy_ && !at_16_bytes(at)) copy_.emplace(static_cast<std::size_t>(rows_ * copied_row_));
    return copies(at) ? copy_->data() : at;
  }
  bool copies(const void* at) const {
    return turned_ || crowded_ || cols_ * bytes_ % kAlignment != 0 || !at_16_bytes(at);
  }

  /// What is to be copied row by row; brings over what is turned.
  tensor_core::CopiedRows bring(const void* at) const {
    if (!copies(at)) return {};
    if (!turned_) return {copy_->data(), at, rows_, cols_ * bytes_, copied_row_};
    tensor_core::launch_transpose_bytes(copy_->data(), at, rows_, cols_);
    return {};
  }

  CUtensorMap map(const void* at, int box_rows, int row_bytes = kRowBytes) {
    const std::int64_t row = copies(at) ? copied_row_ / bytes_ : cols_;
    return parts::tensor_map(place(at), bytes_, static_cast<int>(turned_ ? cols_ : rows_),
                             static_cast<int>(row), box_rows, row_bytes / bytes_);
  }

 private:
  std::int64_t rows_;
  std::int64_t cols_;
  int bytes_;
  bool turned_;
  bool crowded_ = false;
  std::int64_t copied_row_ = 0;
  std::optional<DeviceMemory> copy_;
};

class WgmmaSession : public Session {
 public:
  WgmmaSession(const WgmmaChoice& choice, const WgmmaAsked& asked)
      : plan_(choice.plan),
        shape_(asked.shape),
        types_(asked.types),
        a_(shape_.m, shape_.k, bytes_of(types_.type), false, false),
        b_(asked.transpose_b ? shape_.n : shape_.k, asked.transpose_b ? shape_.k : shape_.n,
           bytes_of(types_.type), !asked.transpose_b && !plan_.columns_of_b, plan_.columns_of_b) {
    work_.C.M = static_cast<int>(shape_.m);
    work_.C.N = static_cast<int>(shape_.n);
    work_.C.type = types_.result;
    work_.down = static_cast<int>(ceil_div(shape_.m, plan_.BM * plan_.cluster));
    work_.across = static_cast<int>(ceil_div(shape_.n, plan_.BN));
    work_.group = plan_.group;
    work_.steps = static_cast<int>(ceil_div(shape_.k, kRowBytes / static_cast<int>(bytes_of(types_.type))));
    // of few rows no more than there are: what else lies in shared memory makes sums that nobody stores
    box_rows_of_a_ =
        static_cast<int>(std::min<std::int64_t>(plan_.BM, ceil_div(shape_.m, std::int64_t{8}) * 8));
    work_.stage_bytes = (box_rows_of_a_ + plan_.BN) * kRowBytes;
    const int at_once = clusters_at_once(plan_, asked.multiprocessors);
    work_.whole = work_.tiles();
    if (choice.splits > 1) {
      work_.whole -= work_.tiles() % at_once;
      work_.splits = choice.splits;
      const std::int64_t parts = std::int64_t{work_.units() - work_.whole} * plan_.cluster;
      if (parts > 0) parts_.emplace(static_cast<std::size_t>(parts * plan_.BM * plan_.BN * kBytesOfSum));
    }
    clusters_ = plan_.persistent ? std::min(work_.units(), at_once) : work_.units();
    GEMMLAB_CUDA_CHECK(
        cudaFuncSetAttribute(plan_.kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, plan_.shared_bytes));
    tensor_core::prepare_copy_rows();
  }

  void run(const Operands& operands) override {
    Maps& maps = maps_for(operands);
    tensor_core::launch_copy_rows(a_.bring(operands.at(0)), b_.bring(operands.at(1)));
    copied_ = a_.copies(operands.at(0)) || b_.copies(operands.at(1));
    work_.C.at = operands.at(2);
    work_.C.how = maps.how;
    if (parts_) work_.parts = parts_->data();
    void* parameters[] = {&maps.a, &maps.b, &maps.c, &work_};
    cudaLaunchAttribute attributes[2] = {parts::launched_early(), {}};
    attributes[1].id = cudaLaunchAttributeClusterDimension;
    attributes[1].val.clusterDim = {static_cast<unsigned>(plan_.cluster), 1, 1};
    cudaLaunchConfig_t launch = {};
    launch.gridDim = dim3(static_cast<unsigned>(clusters_ * plan_.cluster));
    launch.blockDim = dim3(static_cast<unsigned>(plan_.threads));
    launch.dynamicSmemBytes = static_cast<std::size_t>(plan_.shared_bytes);
    launch.stream = current_stream();
    launch.attrs = plan_.early ? attributes : attributes + 1;
    launch.numAttrs = (plan_.early ? 1 : 0) + (plan_.cluster > 1 ? 1 : 0);
    GEMMLAB_CUDA_CHECK(cudaLaunchKernelExC(&launch, plan_.kernel, parameters));
    if (parts_) tensor_core::launch_add_parts(work_, plan_.BM, plan_.BN, plan_.cluster);
  }

  Facts chosen() const override {
    return {{"kernel", plan_.name},
            {"tile", std::to_string(plan_.BM) + "x" + std::to_string(plan_.BN)},
            {"stages", std::int64_t{plan_.stages}},
            {"cluster", std::int64_t{plan_.cluster}},
            {"split_k", std::int64_t{work_.splits}},
            {"split_tiles", std::int64_t{work_.tiles() - work_.whole} * plan_.cluster},
            {"threads_per_block", std::int64_t{plan_.threads}},
            {"operands", std::string(copied_ ? "copied" : "read as they lie")}};
  }
  Facts resources() const override {
    return kernel_resources(plan_.kernel, plan_.threads, static_cast<std::size_t>(plan_.shared_bytes));
  }

 private:
  struct Maps {
    const void* of[3];
    CUtensorMap a;
    CUtensorMap b;
    CUtensorMap c;
    tensor_core::Storing how;
  };
  static constexpr std::size_t kMostMaps = 64;  // sets of operands that inputs rotate through

  Maps& maps_for(const Operands& operands) {
    const void* const of[] = {operands.at(0), operands.at(1), operands.at(2)};
    for (Maps& known : known_) {
      if (std::equal(of, of + 3, known.of)) return known;
    }
    if (known_.size() == kMostMaps) known_.clear();
    const int element = static_cast<int>(bytes_of(types_.result));
    Maps made = {};
    std::copy(of, of + 3, made.of);
    made.a = a_.map(of[0], box_rows_of_a_);
    made.b = b_.map(of[1], plan_.box_rows_of_b, plan_.row_bytes_of_b);
    using tensor_core::Storing;
    const bool whole_rows = at_16_bytes(of[2]) && shape_.n * element % kAlignment == 0;
    made.how = plan_.through_shared && whole_rows ? Storing::kByTma : Storing::kByRows;
    if (made.how == Storing::kByTma)
      made.c = parts::tensor_map(of[2], element, static_cast<int>(shape_.m), static_cast<int>(shape_.n),
                                 kPieceRowsOfD, kRowBytes / element);
    known_.push_back(made);
    return known_.back();
  }

  WgmmaPlan plan_;
  Shape shape_;
  GemmTypes types_;
  Operand a_;
  Operand b_;
  tensor_core::Arguments work_;
  int box_rows_of_a_ = 0;
  int clusters_ = 0;
  bool copied_ = false;
  std::optional<DeviceMemory> parts_;
  std::vector<Maps> known_;
};

}  // namespace

int clusters_at_once(const WgmmaPlan& plan, int multiprocessors) {
  return std::max(1, multiprocessors * plan.blocks_at_once / plan.cluster);
}

std::string WgmmaImplementation::unavailable() const {
  return gpu::unavailable();
}

Precision WgmmaImplementation::precision(const Instance& instance) const {
  return is_float8(types_of(instance).type) ? Precision::kFp8 : description_.precision;
}

bool WgmmaImplementation::takes(const GemmTypes& types) const {
  return planner_({types}, complete(description_, {})).plan.kernel != nullptr;
}

bool WgmmaImplementation::meant_for(const Instance& instance) const {
  return takes(types_of(instance));
}

std::string WgmmaImplementation::why_not(const Instance& instance, const Parameters& parameters) const {
  if (std::string reason = gemm().why_not(instance); !reason.empty()) return reason;
  const Shape shape = shape_of(instance);
  const GemmForm form = form_of(instance);
  const GemmTypes types = types_of(instance);
  if (!takes(types))
    return "multiplies " + types_taken([&](const GemmTypes& of) { return takes(of); }) + ", and this is " +
           describe(types);
  const WgmmaAsked asked{types, shape, form.transpose_b};
  if (planner_(asked, parameters).plan.kernel == nullptr)
    return "has no kernel '" + text(parameters, "kernel") + "' for " + describe(types) +
           " and split_k = " + to_string(parameters.at("split_k"));
  const GemmForm plain = form_of(shape, false, form.transpose_b);
  if (form.alpha != 1 || form.beta != 0 || form.transpose_a || form.lda != plain.lda ||
      form.ldb != plain.ldb || form.ldc != plain.ldc)
    return "computes C = A·B and A·Bᵀ alone, and this is " + describe(shape, form);
  if (std::string reason = too_long(shape, form); !reason.empty()) return reason;
  if (gpu::unavailable().empty() && !parts::wgmma_here())
    return "takes wgmma, which code for sm_90a on cards of compute capability 9.0 has";
  return {};
}

double WgmmaImplementation::moved_bytes(const Instance& instance, const Parameters& parameters) const {
  const WgmmaAsked asked{types_of(instance), shape_of(instance), form_of(instance).transpose_b,
                         gpu::unavailable().empty() ? device_attribute(cudaDevAttrMultiProcessorCount) : 1};
  const WgmmaPlan plan = planner_(asked, parameters).plan;
  if (plan.kernel == nullptr) return 0;
  return tiled_bytes(asked.shape, std::int64_t{plan.BM} * plan.cluster, plan.BN, asked.types);
}

std::unique_ptr<Session> WgmmaImplementation::prepare(const Instance& instance,
                                                      const Parameters& parameters) const {
  const WgmmaAsked asked{types_of(instance), shape_of(instance), form_of(instance).transpose_b,
                         device_attribute(cudaDevAttrMultiProcessorCount)};
  return std::make_unique<WgmmaSession>(planner_(asked, parameters), asked);
}

}  // namespace gemmlab::gpu
