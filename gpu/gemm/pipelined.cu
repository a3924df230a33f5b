#include <algorithm>
#include <memory>
#include <stdexcept>

#include "core/session_row.h"
#include "core/tuned.h"
#include "gpu/describe.h"
#include "gpu/device.h"
#include "gpu/gemm/pipelined/add_partials.h"
#include "gpu/gemm/pipelined/choose.h"
#include "gpu/gemm/pipelined/kernel.h"
#include "gpu/gemm/pipelined/pad_rows.h"
#include "gpu/gemm/pipelined/transpose.h"
#include "gpu/gemm/scale.h"
#include "gpu/gemm/session.h"
#include "gpu/gemm/vector_product.h"
#include "gpu/launch.h"
#include "gpu/table.h"

namespace gemmlab::gpu {
namespace {

constexpr const char* kAutomatic = "auto";

PipelinedCard ask_card() {
  int device = 0;
  GEMMLAB_CUDA_CHECK(cudaGetDevice(&device));
  const auto attribute = [&](cudaDeviceAttr which) {
    int value = 0;
    GEMMLAB_CUDA_CHECK(cudaDeviceGetAttribute(&value, which, device));
    return value;
  };
  PipelinedCard card;
  card.compute_capability =
      10 * attribute(cudaDevAttrComputeCapabilityMajor) + attribute(cudaDevAttrComputeCapabilityMinor);
  cudaDeviceProp properties;
  GEMMLAB_CUDA_CHECK(cudaGetDeviceProperties(&properties, device));
  card.name = properties.name;
  card.sms = attribute(cudaDevAttrMultiProcessorCount);
  card.shared_bytes_per_sm = attribute(cudaDevAttrMaxSharedMemoryPerMultiprocessor);
  card.shared_bytes_per_block = attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin);
  card.memory_bytes = static_cast<std::int64_t>(properties.totalGlobalMem);
  return card;
}

/// Asked for once: why_not() is to cost no more than a comparison.
const PipelinedCard& this_card() {
  static const PipelinedCard card = ask_card();
  return card;
}

/// The card that is here; without one, the H200 that the committed results come from.
PipelinedCard card_or_reference() {
  return gpu::unavailable().empty() ? this_card() : PipelinedCard();
}

/// The tile that "auto" stands for: what `gemmlab tune` found on this card near this shape, else "auto"
/// itself, the estimate. `source` says which.
std::string tile_for(const Shape& shape, const PipelinedCard& card, std::string& source) {
  source = "estimate for compute capability " + std::to_string(card.compute_capability / 10) + "." +
           std::to_string(card.compute_capability % 10);
  if (card.name.empty()) return kAutomatic;
  try {
    const std::vector<Tuned> known = read_tuned(tuned_file(), card.name, "gpu.pipelined");
    const Tuned* found = nearest(known, shape);
    if (found != nullptr && choose_pipelined(shape, found->choice, card).candidate) {
      source = "tuned on this card at " + std::to_string(found->shape.m) + "x" +
               std::to_string(found->shape.k) + "x" + std::to_string(found->shape.n);
      return found->choice;
    }
  } catch (const std::runtime_error& error) {
    source += "; " + std::string(error.what());
  }
  return kAutomatic;
}

class PipelinedSession : public GemmSession {
 public:
  PipelinedSession(const PipelinedChoice& choice, const Shape& shape, const GemmForm& form,
                   std::string source)
      : candidate_(*choice.candidate),
        shape_(shape),
        form_(form),
        source_(std::move(source)),
        slots_(partial_bytes(choice)),
        padded_(sizeof(float) * padded_floats(choice, shape)),
        turned_(form.transpose_a ? sizeof(float) * shape.m * padded_row(shape.k) : 0),
        apart_(form.beta != 0 || form.ldc != shape.n),
        product_(apart_ ? sizeof(float) * shape.c_count() : 0),
        pads_b_(choice.pads_b),
        aligned_(pads_b_ || layout_of_b(shape, form) == LayoutOfB::kAligned) {
    for (PipelinedKernel kernel : {candidate_.kernel, candidate_.aligned_kernel}) {
      const auto set = [&](cudaFuncAttribute attribute, int value) {
        GEMMLAB_CUDA_CHECK(cudaFuncSetAttribute(reinterpret_cast<const void*>(kernel), attribute, value));
      };
      set(cudaFuncAttributeMaxDynamicSharedMemorySize, candidate_.shared_bytes);
      set(cudaFuncAttributePreferredSharedMemoryCarveout, cudaSharedmemCarveoutMaxShared);
    }
    arguments_.partials = slots_.floats();
    arguments_.M = static_cast<int>(shape.m);
    arguments_.N = static_cast<int>(shape.n);
    arguments_.K = static_cast<int>(shape.k);
    arguments_.row_of_a = static_cast<int>(form.transpose_a ? padded_row(shape.k) : form.lda);
    arguments_.row_of_b = static_cast<int>(pads_b_ ? padded_row(shape.n) : form.ldb);
    arguments_.cols_of_b = static_cast<int>(pads_b_ ? padded_row(shape.n) : shape.n);
    arguments_.schedule = choice.schedule;
    arguments_.alpha = form.alpha;
  }

  void multiply(const float* a, const float* b, float* c) override {
    aligned_ = pads_b_ || (layout_of_b(shape_, form_) == LayoutOfB::kAligned && at_16_bytes(b));
    arguments_.A = a;
    arguments_.B = b;
    arguments_.C = apart_ ? product_.floats() : c;
    arguments_.c_aligned = shape_.n % kVector == 0 && at_16_bytes(arguments_.C);
    if (form_.transpose_a) {
      launch_transpose(turned_.floats(), arguments_.row_of_a, a, form_.lda, shape_.k, shape_.m);
      arguments_.A = turned_.floats();
    }
    if (pads_b_) {
      if (form_.transpose_b) {
        launch_transpose(padded_.floats(), arguments_.row_of_b, b, form_.ldb, shape_.n, shape_.k);
      } else {
        launch_pad_rows(padded_.floats(), b, shape_.k, shape_.n, form_.ldb);
      }
      arguments_.B = padded_.floats();
    }
    launch(kernel(), arguments_.schedule.blocks(), dim3(candidate_.threads), candidate_.shared_bytes,
           arguments_);
    if (arguments_.schedule.split_blocks > 0) launch_add_partials(arguments_, candidate_);
    if (apart_) launch_add_to(c, stored_c(shape_, form_), form_.beta, product_.floats());
  }

  Facts chosen() const override {
    const Schedule& schedule = arguments_.schedule;
    return {{"tile", candidate_.name},
            {"step", std::int64_t{candidate_.BK}},
            {"stages", std::int64_t{candidate_.stages}},
            {"threads_per_block", std::int64_t{candidate_.threads}},
            {"blocks", std::int64_t{schedule.blocks()}},
            {"split_blocks", std::int64_t{schedule.split_blocks}},
            {"split_k", std::int64_t{split_k(schedule)}},
            {"load_bytes", std::int64_t{aligned_ ? 16 : 4}},
            {"padded_bytes", static_cast<std::int64_t>(padded_.bytes())},
            {"workspace_bytes", workspace_bytes()},
            {"source", source_}};
  }

  Facts resources() const override {
    return kernel_resources(reinterpret_cast<const void*>(kernel()), candidate_.threads,
                            candidate_.shared_bytes);
  }

 private:
  static std::size_t partial_bytes(const PipelinedChoice& choice) {
    return sizeof(float) * 2 * choice.schedule.split_blocks * choice.candidate->BM * choice.candidate->BN;
  }
  std::int64_t workspace_bytes() const {
    return static_cast<std::int64_t>(slots_.bytes() + padded_.bytes() + turned_.bytes() + product_.bytes());
  }
  PipelinedKernel kernel() const { return aligned_ ? candidate_.aligned_kernel : candidate_.kernel; }

  const PipelinedCandidate& candidate_;
  Shape shape_;
  GemmForm form_;
  std::string source_;
  DeviceMemory slots_;
  DeviceMemory padded_;
  DeviceMemory turned_;   ///< A, where it is transposed
  bool apart_;            ///< is the product made beside C?
  DeviceMemory product_;  ///< there
  bool pads_b_;
  PipelinedArguments arguments_ = {};
  bool aligned_;  ///< B's rows: in the last call, or what they will be if the pointers are at 16 bytes
};

class Pipelined : public GemmImplementation {
 public:
  explicit Pipelined(Description description) : description_(std::move(description)) {}
  const Description& description() const override { return description_; }
  std::string unavailable() const override { return gpu::unavailable(); }

  std::string why_not(const Shape& shape, const Parameters& parameters) const override {
    if (std::string reason = too_long(shape); !reason.empty()) return reason;
    const std::string tile = text(parameters, "tile");
    if (choose_pipelined(shape, tile, card_or_reference()).candidate) return {};
    return "tile " + tile + ": C has too many tiles for a grid, or the card too little shared memory";
  }

  /// A once for each column of tiles, B once for each row of tiles, C once; a copy of B, and shared sums,
  /// to and fro.
  double moved_bytes(const Shape& shape, const Parameters& parameters) const override {
    const PipelinedCard card = card_or_reference();
    std::string tile = text(parameters, "tile");
    std::string source;
    if (tile == kAutomatic && is_vector_product(shape, form_of(shape))) return shape.least_bytes();
    if (tile == kAutomatic) tile = tile_for(shape, card, source);
    const PipelinedChoice choice = choose_pipelined(shape, tile, card);
    if (!choice.candidate) return 0;
    const Schedule& schedule = choice.schedule;
    const double sums = 2.0 * schedule.split_blocks * choice.candidate->BM * choice.candidate->BN;
    return sizeof(float) * (static_cast<double>(shape.a_count()) * schedule.tiles_across +
                            static_cast<double>(shape.b_count()) * schedule.tiles_down +
                            static_cast<double>(shape.c_count()) +
                            2.0 * static_cast<double>(padded_floats(choice, shape)) + sums);
  }

  std::string why_not_form(const Shape& shape, const GemmForm& form,
                           const Parameters& parameters) const override {
    if (std::string reason = wrong_form(shape, form); !reason.empty()) return reason;
    if (std::string reason = too_long(shape, form); !reason.empty()) return reason;
    return scales_only(shape, form) ? std::string() : why_not(shape, parameters);
  }

  std::unique_ptr<Session> prepare(const Shape& shape, const Parameters& parameters) const override {
    return prepare_form(shape, form_of(shape), parameters);
  }

  /// A transposed operand is brought into rows first: 8 bytes of traffic per element, 134 MB of each at 4096,
  /// which take 32 µs at an H200's 4.26 TB/s where the product takes 2.6 ms. Where C's rows do not follow one
  /// another, or beta·C is added, the product goes through memory once more: 8 or 12 bytes per element, 32 or
  /// 48 µs at 4096. In the kernel a stride of C's own, or reads of C, changed the registers of the loop: up
  /// to 48 and 168 bytes were spilled.
  std::unique_ptr<Session> prepare_form(const Shape& shape, const GemmForm& form,
                                        const Parameters& parameters) const override {
    if (scales_only(shape, form)) return make_scale_session(shape, form);
    std::string tile = text(parameters, "tile");
    if (tile == kAutomatic && is_vector_product(shape, form)) return make_vector_product(shape);
    const PipelinedCard& card = this_card();
    std::string source = "parameter tile";
    if (tile == kAutomatic) tile = tile_for(shape, card, source);
    const PipelinedChoice choice = choose_pipelined(shape, tile, card, layout_of_b(shape, form));
    if (!choice.candidate) throw std::runtime_error(why_not(shape, parameters));
    return std::make_unique<PipelinedSession>(choice, shape, form, source);
  }

 private:
  Description description_;
};

ParameterSpec tile_parameter() {
  std::vector<ParameterValue> tiles;
  for (const PipelinedCandidate& candidate : pipelined_candidates()) tiles.push_back(candidate.name);
  tiles.push_back(std::string(kAutomatic));
  return choice("tile",
                "rows×columns of C that a block computes (and k of a step); auto chooses by shape and card",
                tiles, tiles.back());
}

}  // namespace

const Implementation& pipelined() {
  static const Pipelined implementation(describe(
      {.id = "gpu.pipelined",
       .summary = "16×8 of C per thread, three stages of copies, fragments read ahead, stream-K; tile "
                  "by shape and card",
       .source = "CUTLASS, efficient GEMM; M. Osama et al., Stream-K (2023)",
       .parameters = {tile_parameter()}}));
  return implementation;
}

}  // namespace gemmlab::gpu
