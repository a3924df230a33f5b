// C = A·B on several cards by cuBLASXt, which cuts the matrices into blocks, sends them to the cards and fetches what they
// make, and returns when all of it is done: the host's calls count, and a graph cannot hold them.

#include <algorithm>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/session_row.h"
#include "gpu/describe.h"
#include "gpu/device/cards_at_work.h"
#include "gpu/device/check.h"
#include "gpu/device/stream.h"
#include "gpu/gemm/multi/on_card.h"
#include "gpu/gemm/multi/parameters.h"
#include "gpu/gemm/session.h"
#include "gpu/libraries/cublas_context.h"

#if GEMMLAB_HAS_CUBLAS
#include <cublasXt.h>
#endif

namespace gemmlab::gpu {
namespace {

/// What takes a card over 1 ms, so that it is launched, not replayed from a graph.
constexpr double kLeastPerCard = 1e11;

#if GEMMLAB_HAS_CUBLAS

class CublasXtSession : public GemmSession {
 public:
  CublasXtSession(const Shape& shape, const Parameters& parameters)
      : shape_(shape), cards_(static_cast<std::size_t>(integer(parameters, "gpus"))) {
    check_cublas(cublas_function<decltype(cublasXtCreate)>("cublasXtCreate")(&handle_), "cublasXtCreate");
    try {
      choose(static_cast<int>(integer(parameters, "block")));
    } catch (...) {
      destroy();
      throw;
    }
  }
  ~CublasXtSession() override { destroy(); }
  CublasXtSession(const CublasXtSession&) = delete;
  CublasXtSession& operator=(const CublasXtSession&) = delete;

  void multiply(const float* a, const float* b, float* c) override {
    GEMMLAB_CUDA_CHECK(cudaStreamSynchronize(current_stream()));  // its own streams know nothing of this one
    const OnCard back(0);
    const float one = 1;
    const float zero = 0;
    const auto m = static_cast<std::size_t>(shape_.m);
    const auto n = static_cast<std::size_t>(shape_.n);
    const auto k = static_cast<std::size_t>(shape_.k);
    // row-major C is column-major Cᵀ = Bᵀ·Aᵀ, and so the operands change places
    check_cublas(sgemm_(handle_, CUBLAS_OP_N, CUBLAS_OP_N, n, m, k, &one, b, n, a, k, &zero, c, n),
                 "cublasXtSgemm");
    cards_at_work() = static_cast<int>(cards_);
  }

  Facts chosen() const override {
    return {{"library", cublas_library().path()}, {"block_dim", std::int64_t{block_}}};
  }

 private:
  void choose(int block) {
    std::vector<int> devices(cards_);
    std::iota(devices.begin(), devices.end(), 0);
    check_cublas(cublas_function<decltype(cublasXtDeviceSelect)>("cublasXtDeviceSelect")(
                     handle_, static_cast<int>(cards_), devices.data()),
                 "cublasXtDeviceSelect");
    check_cublas(cublas_function<decltype(cublasXtSetBlockDim)>("cublasXtSetBlockDim")(handle_, block),
                 "cublasXtSetBlockDim");
    block_ = block;
  }
  void destroy() { cublas_function<decltype(cublasXtDestroy)>("cublasXtDestroy")(handle_); }

  Shape shape_;
  std::size_t cards_;
  int block_ = 0;
  cublasXtHandle_t handle_ = nullptr;
  decltype(cublasXtSgemm)* sgemm_ = cublas_function<decltype(cublasXtSgemm)>("cublasXtSgemm");
};

std::unique_ptr<Session> make_session(const Shape& shape, const Parameters& parameters) {
  return std::make_unique<CublasXtSession>(shape, parameters);
}

#else

std::unique_ptr<Session> make_session(const Shape&, const Parameters&) {
  throw std::runtime_error(why_no_cublas());
}

#endif

Description xt_description() {
  ParameterSpec block =
      choice("block", "rows and columns of the blocks that it cuts the matrices into",
             {std::int64_t{1024}, std::int64_t{2048}, std::int64_t{4096}, std::int64_t{8192}},
             std::int64_t{4096}, ", blocks of {block}");
  return describe(
      {.id = "gpu.cublasxt",
       .name = "cuBLASXt",
       .summary = "cuBLASXt's cublasXtSgemm on several cards",
       .source = "NVIDIA cuBLAS, opened at run time",
       .reference = true,
       .parameters = {
           gpus_parameter(),
           choice("operands",
                  "first: A, B and C lie on the first card; host: in page-locked memory of the host",
                  {std::string("first"), std::string("host")}, std::string("first"), ", {operands}"),
           block}});
}

class CublasXt : public GemmImplementation {
 public:
  const Description& description() const override { return description_; }
  std::string unavailable() const override { return why_no_cublas(); }
  std::string why_not(const Shape& shape, const Parameters& parameters) const override {
    if (std::string reason = too_long(shape); !reason.empty()) return reason;
    if (std::string reason = too_few_cards(parameters); !reason.empty()) return reason;
    if (shape.flop() >= kLeastPerCard * static_cast<double>(integer(parameters, "gpus"))) return {};
    return "under 1e11 operations per card, whose calls would be replayed from a graph, which cannot hold "
           "cuBLASXt's";
  }
  std::unique_ptr<Session> prepare(const Shape& shape, const Parameters& parameters) const override {
    return make_session(shape, parameters);
  }

 private:
  Description description_ = xt_description();
};

}  // namespace

const Implementation& cublasxt() {
  static const CublasXt implementation;
  return implementation;
}

}  // namespace gemmlab::gpu
