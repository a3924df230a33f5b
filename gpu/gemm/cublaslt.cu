#include <algorithm>
#include <limits>
#include <memory>
#include <stdexcept>

#include "core/backend.h"
#include "gpu/describe.h"
#include "gpu/device/check.h"
#include "gpu/gemm/cublaslt/product.h"
#include "gpu/gemm/session.h"
#include "gpu/table.h"

namespace gemmlab::gpu {
namespace {

#if GEMMLAB_HAS_CUBLASLT

constexpr int kMostCandidates = 32;

/// Something, the same each time, for candidates to be timed on; zeros would draw less power
/// than real matrices.
__global__ void fill_scratch(float* values, std::int64_t count) {
  const std::int64_t stride = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  for (std::int64_t i = blockIdx.x * static_cast<std::int64_t>(blockDim.x) + threadIdx.x; i < count;
       i += stride) {
    const unsigned hash = static_cast<unsigned>(i * 2654435761u) >> 8;
    values[i] = static_cast<float>(hash) * (2.0f / (1 << 24)) - 1.0f;
  }
}

/// Scratch matrices of a shape, filled.
struct Scratch {
  Scratch(const Shape& shape, const GemmForm& form)
      : a(span(stored_a(shape, form)) * sizeof(float)),
        b(span(stored_b(shape, form)) * sizeof(float)),
        c(span(stored_c(shape, form)) * sizeof(float)) {
    for (const DeviceMemory* memory : {&a, &b, &c}) {
      fill_scratch<<<1024, 256, 0, current_stream()>>>(memory->floats(), memory->bytes() / sizeof(float));
      GEMMLAB_CUDA_CHECK(cudaGetLastError());
    }
  }
  DeviceMemory a;
  DeviceMemory b;
  DeviceMemory c;
};

/// C = A·B by the cublasLt algorithm that was fastest at this shape when the session was prepared.
class CublasLtSession : public GemmSession {
 public:
  CublasLtSession(const Shape& shape, const GemmForm& form)
      : lt_(shape, form), workspace_(kLtWorkspaceBytes) {
    unaligned_ = lt_.candidates(sizeof(float), 1).front();
    candidates_ = lt_.candidates(kAlignment, kMostCandidates);
    best_ = candidates_.front();
    try {
      choose(shape, form);
    } catch (const OutOfMemory&) {
      how_ = "first of the heuristics: no memory to time them";
    }
  }

  void multiply(const float* a, const float* b, float* c) override {
    const bool aligned = (address(a) | address(b) | address(c)) % kAlignment == 0;
    last_aligned_ = aligned;
    check_cublas(lt_.multiply(a, b, c, aligned ? best_.algo : unaligned_.algo, workspace_), "cublasLtMatmul");
  }

  Facts chosen() const override {
    const cublasLtMatmulHeuristicResult_t& used = last_aligned_ ? best_ : unaligned_;
    return {
        {"library", cublaslt_library().path()},
        {"version", library_version(static_cast<int>(GEMMLAB_LT(cublasLtGetVersion)()))},
        {"algorithm", configuration(used, CUBLASLT_ALGO_CONFIG_ID)},
        {"tile", tile_name(static_cast<std::uint32_t>(configuration(used, CUBLASLT_ALGO_CONFIG_TILE_ID)))},
        {"stages_id", configuration(used, CUBLASLT_ALGO_CONFIG_STAGES_ID)},
        {"split_k", configuration(used, CUBLASLT_ALGO_CONFIG_SPLITK_NUM)},
        {"workspace_bytes", static_cast<std::int64_t>(used.workspaceSize)},
        {"source", last_aligned_ ? how_ : "first of the heuristics: the pointers are not aligned"}};
  }

 private:
  static constexpr std::uint32_t kAlignment = 16;
  static constexpr double kSearchLimit_s = 2;

  static std::uintptr_t address(const void* pointer) { return reinterpret_cast<std::uintptr_t>(pointer); }

  static std::int64_t configuration(const cublasLtMatmulHeuristicResult_t& result,
                                    cublasLtMatmulAlgoConfigAttributes_t attribute) {
    std::int32_t value = 0;
    std::size_t written = 0;
    check_cublas(GEMMLAB_LT(cublasLtMatmulAlgoConfigGetAttribute)(&result.algo, attribute, &value,
                                                                  sizeof(value), &written),
                 "cublasLtMatmulAlgoConfigGetAttribute");
    return value;
  }

  /// Times the candidates in the heuristics' order until all are done or the limit is reached.
  void choose(const Shape& shape, const GemmForm& form) {
    const Scratch scratch(shape, form);
    double best_s = std::numeric_limits<double>::infinity();
    double spent_s = 0;
    std::size_t timed = 0;
    for (; timed < candidates_.size() && spent_s < kSearchLimit_s; ++timed) {
      const double time_s = time_of(candidates_[timed].algo, scratch, spent_s);
      if (time_s < best_s) {
        best_s = time_s;
        best_ = candidates_[timed];
      }
    }
    how_ =
        "fastest of " + std::to_string(timed) + " of " + std::to_string(candidates_.size()) + " candidates";
  }

  /// Seconds of one call, infinite where the algorithm is refused; adds what the timing took to `spent_s`.
  double time_of(const cublasLtMatmulAlgo_t& algorithm, const Scratch& scratch, double& spent_s) {
    const auto run_s = [&](int calls) {
      timer_.start(current_stream());
      cublasStatus_t status = CUBLAS_STATUS_SUCCESS;
      for (int i = 0; i < calls && status == CUBLAS_STATUS_SUCCESS; ++i) {
        status =
            lt_.multiply(scratch.a.floats(), scratch.b.floats(), scratch.c.floats(), algorithm, workspace_);
      }
      const double time_s = timer_.stop_s(current_stream());
      spent_s += time_s;
      return status == CUBLAS_STATUS_SUCCESS ? time_s / calls : std::numeric_limits<double>::infinity();
    };
    constexpr double kEnough_s = 0.5e-3;
    constexpr double kLong_s = 50e-3;
    const double first_s = run_s(1);  // loads the kernel as well
    if (!(first_s < std::numeric_limits<double>::infinity())) return first_s;
    double least_s = run_s(1);
    if (least_s >= kLong_s) return least_s;
    const int calls = std::clamp(static_cast<int>(kEnough_s / std::max(least_s, 1e-6)), 1, 50);
    for (int round = 0; round < 3; ++round) least_s = std::min(least_s, run_s(calls));
    return least_s;
  }

  LtProduct lt_;
  DeviceMemory workspace_;
  EventTimer timer_;
  std::vector<cublasLtMatmulHeuristicResult_t> candidates_;
  cublasLtMatmulHeuristicResult_t best_;
  cublasLtMatmulHeuristicResult_t unaligned_;
  std::string how_;
  bool last_aligned_ = true;
};

std::string missing() {
  return cublaslt_library().why();
}
std::unique_ptr<Session> make_session(const Shape& shape, const GemmForm& form) {
  return std::make_unique<CublasLtSession>(shape, form);
}

#else

std::string missing() {
  return "built without cublasLt.h";
}
std::unique_ptr<Session> make_session(const Shape&, const GemmForm&) {
  throw std::runtime_error(missing());
}

#endif

Description cublaslt_description() {
  return describe(
      {.id = "gpu.cublaslt",
       .name = "cublasLt",
       .summary = "cublasLt in plain FP32, the fastest of up to 32 of its algorithms at each shape",
       .source = "NVIDIA cublasLt, opened at run time",
       .counterpart = "cpu.onednn",
       .reference = true});
}

class CublasLt : public GemmImplementation {
 public:
  const Description& description() const override { return description_; }
  std::string unavailable() const override {
    if (std::string reason = gpu::unavailable(); !reason.empty()) return reason;
    return GEMMLAB_HAS_CUBLASLT && cublaslt_library().found() ? std::string() : missing();
  }
  std::string why_not(const Shape& shape, const Parameters&) const override { return too_long(shape); }
  std::string why_not_form(const Shape& shape, const GemmForm& form, const Parameters&) const override {
    if (std::string reason = wrong_form(shape, form); !reason.empty()) return reason;
    if (scales_only(shape, form)) return "cublasLtMatmul has no algorithm where alpha or a dimension is 0";
    return too_long(shape, form);
  }
  std::unique_ptr<Session> prepare(const Shape& shape, const Parameters& parameters) const override {
    return prepare_form(shape, form_of(shape), parameters);
  }
  std::unique_ptr<Session> prepare_form(const Shape& shape, const GemmForm& form,
                                        const Parameters&) const override {
    return make_session(shape, form);
  }

 private:
  Description description_ = cublaslt_description();
};

}  // namespace

const Implementation& cublaslt() {
  static const CublasLt implementation;
  return implementation;
}

}  // namespace gemmlab::gpu
