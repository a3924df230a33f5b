#include <algorithm>
#include <array>
#include <limits>
#include <memory>
#include <stdexcept>

#include "core/backend.h"
#include "gpu/check.h"
#include "gpu/cublas_library.h"
#include "gpu/describe.h"
#include "gpu/device.h"
#include "gpu/gemm/session.h"
#include "gpu/stream.h"
#include "gpu/table.h"

#if __has_include(<cublasLt.h>)
#include <cublasLt.h>
#define GEMMLAB_HAS_CUBLASLT 1
#else
#define GEMMLAB_HAS_CUBLASLT 0
#endif

namespace gemmlab::gpu {
namespace {

#if GEMMLAB_HAS_CUBLASLT

constexpr std::size_t kWorkspaceBytes = std::size_t{64} << 20;
constexpr int kMostCandidates = 32;

void check(cublasStatus_t status, const char* call) {
  if (status == CUBLAS_STATUS_SUCCESS) return;
  throw std::runtime_error(std::string(call) + " answered cublasStatus " + std::to_string(status));
}

template <typename Function>
Function* function(const char* name) {
  return cublaslt_library().function<Function>(name);
}
// The function of the library under its own name; the header's prototype gives its type.
#define GEMMLAB_LT(name) function<decltype(::name)>(#name)

/// Something, the same each time, for candidates to be timed on; zeros would draw less power than real
/// matrices.
__global__ void fill_scratch(float* values, std::int64_t count) {
  const std::int64_t stride = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  for (std::int64_t i = blockIdx.x * static_cast<std::int64_t>(blockDim.x) + threadIdx.x; i < count;
       i += stride) {
    const unsigned hash = static_cast<unsigned>(i * 2654435761u) >> 8;
    values[i] = static_cast<float>(hash) * (2.0f / (1 << 24)) - 1.0f;
  }
}

/// What cublasLtMatmul is told of a product. Row-major C is column-major Cᵀ = op(B)ᵀ·op(A)ᵀ: the operands
/// change places.
class Problem {
 public:
  Problem(const Shape& shape, const GemmForm& form) : alpha_(form.alpha), beta_(form.beta) {
    check(GEMMLAB_LT(cublasLtCreate)(&handle_), "cublasLtCreate");
    check(GEMMLAB_LT(cublasLtMatmulDescCreate)(&product_, CUBLAS_COMPUTE_32F, CUDA_R_32F),
          "cublasLtMatmulDescCreate");
    const auto transpose = [&](cublasLtMatmulDescAttributes_t of, bool transposed) {
      const cublasOperation_t how = transposed ? CUBLAS_OP_T : CUBLAS_OP_N;
      check(GEMMLAB_LT(cublasLtMatmulDescSetAttribute)(product_, of, &how, sizeof(how)),
            "cublasLtMatmulDescSetAttribute");
    };
    transpose(CUBLASLT_MATMUL_DESC_TRANSA, form.transpose_b);
    transpose(CUBLASLT_MATMUL_DESC_TRANSB, form.transpose_a);
    // columns there are rows here
    const auto layout = [](cublasLtMatrixLayout_t* to, const StoredMatrix& matrix) {
      check(GEMMLAB_LT(cublasLtMatrixLayoutCreate)(to, CUDA_R_32F, matrix.cols, matrix.rows, matrix.stride),
            "cublasLtMatrixLayoutCreate");
    };
    layout(&b_, stored_b(shape, form));
    layout(&a_, stored_a(shape, form));
    layout(&c_, stored_c(shape, form));
  }
  ~Problem() {
    for (auto layout : {a_, b_, c_}) {
      if (layout) GEMMLAB_LT(cublasLtMatrixLayoutDestroy)(layout);
    }
    if (product_) GEMMLAB_LT(cublasLtMatmulDescDestroy)(product_);
    if (handle_) GEMMLAB_LT(cublasLtDestroy)(handle_);
  }
  Problem(const Problem&) = delete;
  Problem& operator=(const Problem&) = delete;

  /// Algorithms in the order of the library's own estimate, for pointers at multiples of `alignment` bytes.
  std::vector<cublasLtMatmulHeuristicResult_t> candidates(std::uint32_t alignment, int most) const {
    cublasLtMatmulPreference_t preference = nullptr;
    check(GEMMLAB_LT(cublasLtMatmulPreferenceCreate)(&preference), "cublasLtMatmulPreferenceCreate");
    const auto set = [&](cublasLtMatmulPreferenceAttributes_t attribute, auto value) {
      check(GEMMLAB_LT(cublasLtMatmulPreferenceSetAttribute)(preference, attribute, &value, sizeof(value)),
            "cublasLtMatmulPreferenceSetAttribute");
    };
    set(CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, std::uint64_t{kWorkspaceBytes});
    for (auto operand :
         {CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES,
          CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES}) {
      set(operand, alignment);
    }
    std::vector<cublasLtMatmulHeuristicResult_t> results(most);
    int count = 0;
    const cublasStatus_t status = GEMMLAB_LT(cublasLtMatmulAlgoGetHeuristic)(
        handle_, product_, b_, a_, c_, c_, preference, most, results.data(), &count);
    GEMMLAB_LT(cublasLtMatmulPreferenceDestroy)(preference);
    check(status, "cublasLtMatmulAlgoGetHeuristic");
    results.resize(count);
    const auto failed = [](const auto& result) { return result.state != CUBLAS_STATUS_SUCCESS; };
    results.erase(std::remove_if(results.begin(), results.end(), failed), results.end());
    if (results.empty())
      throw std::runtime_error("cublasLtMatmulAlgoGetHeuristic: no algorithm for this shape");
    return results;
  }

  cublasStatus_t multiply(const float* a, const float* b, float* c, const cublasLtMatmulAlgo_t& algorithm,
                          const DeviceMemory& workspace) const {
    return matmul_(handle_, product_, &alpha_, b, b_, a, a_, &beta_, c, c_, c, c_, &algorithm,
                   workspace.data(), workspace.bytes(), current_stream());
  }

 private:
  float alpha_;
  float beta_;
  cublasLtHandle_t handle_ = nullptr;
  cublasLtMatmulDesc_t product_ = nullptr;
  cublasLtMatrixLayout_t a_ = nullptr;
  cublasLtMatrixLayout_t b_ = nullptr;
  cublasLtMatrixLayout_t c_ = nullptr;
  decltype(cublasLtMatmul)* matmul_ = GEMMLAB_LT(cublasLtMatmul);
};

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

/// A tile's shape by its number in cublasLtMatmulTile_t, for those that FP32 kernels use; else the number.
std::string tile_name(std::uint32_t id) {
  switch (id) {
#define GEMMLAB_TILE(size)          \
  case CUBLASLT_MATMUL_TILE_##size: \
    return #size;
    GEMMLAB_TILE(16x16)
    GEMMLAB_TILE(16x32)
    GEMMLAB_TILE(32x16)
    GEMMLAB_TILE(32x32)
    GEMMLAB_TILE(32x64)
    GEMMLAB_TILE(64x32)
    GEMMLAB_TILE(32x128)
    GEMMLAB_TILE(64x64)
    GEMMLAB_TILE(128x32)
    GEMMLAB_TILE(64x128)
    GEMMLAB_TILE(128x64)
    GEMMLAB_TILE(64x256)
    GEMMLAB_TILE(128x128)
    GEMMLAB_TILE(256x64)
    GEMMLAB_TILE(128x256)
    GEMMLAB_TILE(256x128)
#undef GEMMLAB_TILE
    default:
      return "tile " + std::to_string(id);
  }
}

/// C = A·B by the cublasLt algorithm that was fastest at this shape when the session was prepared.
class CublasLtSession : public GemmSession {
 public:
  CublasLtSession(const Shape& shape, const GemmForm& form)
      : problem_(shape, form), workspace_(kWorkspaceBytes) {
    unaligned_ = problem_.candidates(sizeof(float), 1).front();
    candidates_ = problem_.candidates(kAlignment, kMostCandidates);
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
    check(problem_.multiply(a, b, c, aligned ? best_.algo : unaligned_.algo, workspace_), "cublasLtMatmul");
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
    check(GEMMLAB_LT(cublasLtMatmulAlgoConfigGetAttribute)(&result.algo, attribute, &value, sizeof(value),
                                                           &written),
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
        status = problem_.multiply(scratch.a.floats(), scratch.b.floats(), scratch.c.floats(), algorithm,
                                   workspace_);
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

  Problem problem_;
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
  Description description = describe(
      "gpu.cublaslt", "cublasLt in plain FP32, the fastest of up to 32 of its algorithms at each shape",
      "NVIDIA cublasLt, opened at run time", "cpu.onednn");
  description.reference = true;
  return description;
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
