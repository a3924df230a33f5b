#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <vector>

#include "core/backend.h"
#include "gpu/device/check.h"
#include "gpu/gemm/cublaslt/product.h"
#include "gpu/gemm/cublaslt/search.h"
#include "gpu/table.h"

namespace gemmlab::gpu {

#if GEMMLAB_HAS_CUBLASLT

namespace {

constexpr int kMostCandidates = 32;

__device__ void put(float* to, float value) {
  *to = value;
}
__device__ void put(__nv_bfloat16* to, float value) {
  *to = __float2bfloat16_rn(value);
}
__device__ void put(__half* to, float value) {
  *to = __float2half_rn(value);
}
__device__ void put(signed char* to, float value) {
  *to = static_cast<signed char>(127 * value);
}
template <typename Float8>
__device__ void put(Float8* to, float value) {
  *to = Float8(value);
}

/// Something in [-1, 1), or of int8 all of its range, the same each time, for candidates to be timed on; zeros would draw less
/// power than real matrices.
template <typename Element>
__global__ void fill_scratch(Element* values, std::int64_t count) {
  const std::int64_t stride = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  for (std::int64_t i = blockIdx.x * static_cast<std::int64_t>(blockDim.x) + threadIdx.x; i < count;
       i += stride) {
    const unsigned hash = static_cast<unsigned>(i * 2654435761u) >> 8;
    put(values + i, static_cast<float>(hash) * (2.0f / (1 << 24)) - 1.0f);
  }
}

template <typename Element>
void fill_as(const DeviceMemory& memory) {
  fill_scratch<<<1024, 256, 0, current_stream()>>>(
      static_cast<Element*>(memory.data()), static_cast<std::int64_t>(memory.bytes() / sizeof(Element)));
  GEMMLAB_CUDA_CHECK(cudaGetLastError());
}

void fill(const DeviceMemory& memory, ElementType type) {
  switch (type) {
    case ElementType::kFloat32:
      return fill_as<float>(memory);
    case ElementType::kBfloat16:
      return fill_as<__nv_bfloat16>(memory);
    case ElementType::kFloat16:
      return fill_as<__half>(memory);
    case ElementType::kFloat8E4m3:
      return fill_as<__nv_fp8_e4m3>(memory);
    case ElementType::kFloat8E5m2:
      return fill_as<__nv_fp8_e5m2>(memory);
    case ElementType::kInt8:
      return fill_as<signed char>(memory);
    default:
      throw std::invalid_argument(std::string("no operand of ") + to_string(type));
  }
}

/// Scratch matrices of a shape, filled.
struct Scratch {
  Scratch(const Shape& shape, const GemmForm& form, const GemmTypes& types)
      : a(span(stored_a(shape, form)) * bytes_of(types.type)),
        b(span(stored_b(shape, form)) * bytes_of(types.type)),
        c(span(stored_c(shape, form)) * bytes_of(types.result)) {
    for (const DeviceMemory* memory : {&a, &b}) fill(*memory, types.type);
  }
  DeviceMemory a;
  DeviceMemory b;
  DeviceMemory c;
};

/// C = A·B by the cublasLt algorithm that was fastest at this shape when the session was prepared.
class CublasLtSession : public Session {
 public:
  CublasLtSession(const Shape& shape, const GemmForm& form, const GemmTypes& types)
      : lt_(shape, form, types), workspace_(kLtWorkspaceBytes) {
    candidates_ = lt_.candidates(kAlignment, kMostCandidates);
    best_ = candidates_.front();
    const auto least = static_cast<std::uint32_t>(std::min(bytes_of(types.type), bytes_of(types.result)));
    const auto unaligned = lt_.candidates_or_none(least, 1);
    unaligned_ = unaligned.empty() ? best_ : unaligned.front();
    try {
      choose(shape, form, types);
    } catch (const OutOfMemory&) {
      how_ = "first of the heuristics: no memory to time them";
    }
  }

  void run(const Operands& operands) override {
    const void* const a = operands.at(0);
    const void* const b = operands.at(1);
    void* const c = operands.at(2);
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
  void choose(const Shape& shape, const GemmForm& form, const GemmTypes& types) {
    const Scratch scratch(shape, form, types);
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
        status = lt_.multiply(scratch.a.data(), scratch.b.data(), scratch.c.data(), algorithm, workspace_);
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

}  // namespace

std::string why_no_cublaslt() {
  if (std::string reason = gpu::unavailable(); !reason.empty()) return reason;
  return cublaslt_library().found() ? std::string() : cublaslt_library().why();
}

std::unique_ptr<Session> make_lt_session(const Shape& shape, const GemmForm& form, const GemmTypes& types) {
  return std::make_unique<CublasLtSession>(shape, form, types);
}

#else

std::string why_no_cublaslt() {
  if (std::string reason = gpu::unavailable(); !reason.empty()) return reason;
  return "built without cublasLt.h";
}

std::unique_ptr<Session> make_lt_session(const Shape&, const GemmForm&, const GemmTypes&) {
  throw std::runtime_error(why_no_cublaslt());
}

#endif

}  // namespace gemmlab::gpu
