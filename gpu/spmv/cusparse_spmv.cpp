#include <memory>
#include <stdexcept>

#include "core/session_row.h"
#include "gpu/describe.h"
#include "gpu/device/device.h"
#include "gpu/device/dynamic_library.h"
#include "gpu/device/stream.h"
#include "gpu/spmv/session.h"
#include "gpu/table.h"
#include "operations/spmv/structure.h"

#if __has_include(<cusparse.h>)
#include <cusparse.h>
#define GEMMLAB_HAS_CUSPARSE 1
#else
#define GEMMLAB_HAS_CUSPARSE 0
#endif

namespace gemmlab::gpu {
namespace {

/// CUDA 12 and 13 both have version 12 of it.
const DynamicLibrary& cusparse_library() {
  static const DynamicLibrary library({"libcusparse.so.12", "libcusparse.so.13", "libcusparse.so.11"},
                                      GEMMLAB_CUDA_LIBRARY_DIR);
  return library;
}

#if GEMMLAB_HAS_CUSPARSE

#define GEMMLAB_SPARSE(name) cusparse_library().function<decltype(name)>(#name)
#define GEMMLAB_SPARSE_CHECK(name, ...) check(GEMMLAB_SPARSE(name)(__VA_ARGS__), #name)

void check(cusparseStatus_t status, const char* call) {
  if (status == CUSPARSE_STATUS_SUCCESS) return;
  throw std::runtime_error(std::string(call) + " answered cusparseStatus " + std::to_string(status));
}

/// The library's own words for a matrix and two vectors.
class Descriptors {
 public:
  explicit Descriptors(const SpmvProblem& p) {
    GEMMLAB_SPARSE_CHECK(cusparseCreateCsr, &a_, p.m, p.n, p.nnz, const_cast<int*>(p.offsets),
                         const_cast<int*>(p.columns), const_cast<float*>(p.values), CUSPARSE_INDEX_32I,
                         CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F);
    GEMMLAB_SPARSE_CHECK(cusparseCreateDnVec, &x_, p.n, const_cast<float*>(p.x), CUDA_R_32F);
    GEMMLAB_SPARSE_CHECK(cusparseCreateDnVec, &y_, p.m, p.y, CUDA_R_32F);
  }
  ~Descriptors() {
    if (a_ != nullptr) GEMMLAB_SPARSE(cusparseDestroySpMat)(a_);
    if (x_ != nullptr) GEMMLAB_SPARSE(cusparseDestroyDnVec)(x_);
    if (y_ != nullptr) GEMMLAB_SPARSE(cusparseDestroyDnVec)(y_);
  }
  Descriptors(const Descriptors&) = delete;
  Descriptors& operator=(const Descriptors&) = delete;

  void point_at(const SpmvProblem& p) {
    set_pointers_(a_, const_cast<int*>(p.offsets), const_cast<int*>(p.columns), const_cast<float*>(p.values));
    set_vectors(p);
  }
  void set_vectors(const SpmvProblem& p) {
    set_values_(x_, const_cast<float*>(p.x));
    set_values_(y_, p.y);
  }
  cusparseSpMatDescr_t a() const { return a_; }
  cusparseDnVecDescr_t x() const { return x_; }
  cusparseDnVecDescr_t y() const { return y_; }

 private:
  cusparseSpMatDescr_t a_ = nullptr;
  cusparseDnVecDescr_t x_ = nullptr;
  cusparseDnVecDescr_t y_ = nullptr;
  decltype(cusparseCsrSetPointers)* set_pointers_ = GEMMLAB_SPARSE(cusparseCsrSetPointers);
  decltype(cusparseDnVecSetValues)* set_values_ = GEMMLAB_SPARSE(cusparseDnVecSetValues);
};

/// A matrix that cusparseSpMV_preprocess has looked at, with the buffer that holds what it found.
struct Preprocessed {
  const float* values;
  std::unique_ptr<Descriptors> descriptors;
  std::unique_ptr<DeviceMemory> buffer;
};

/// y = A·x by cusparseSpMV on CSR with 32-bit offsets and columns.
class CusparseSession : public SpmvSession {
 public:
  CusparseSession(const Instance& instance, cusparseSpMVAlg_t algorithm, bool preprocess)
      : SpmvSession(instance), algorithm_(algorithm), preprocess_(preprocess), anywhere_(256) {
    GEMMLAB_SPARSE_CHECK(cusparseCreate, &handle_);
    try {
      GEMMLAB_SPARSE_CHECK(cusparseSetStream, handle_, current_stream());
      // the buffer's size depends on dimensions alone; the addresses only may not be null
      SpmvProblem placeholder = shape();
      placeholder.values = placeholder.x = placeholder.y = anywhere_.floats();
      placeholder.columns = placeholder.offsets = static_cast<int*>(anywhere_.data());
      descriptors_ = std::make_unique<Descriptors>(placeholder);
      buffer_ = std::make_unique<DeviceMemory>(buffer_bytes(*descriptors_));
    } catch (...) {
      GEMMLAB_SPARSE(cusparseDestroy)(handle_);
      throw;
    }
  }
  ~CusparseSession() override {
    descriptors_.reset();
    staged_.clear();
    GEMMLAB_SPARSE(cusparseDestroy)(handle_);
  }
  CusparseSession(const CusparseSession&) = delete;
  CusparseSession& operator=(const CusparseSession&) = delete;

  void stage(const std::vector<Operands>& sets) override {
    if (!preprocess_) return;
    staged_.clear();
    for (const Operands& set : sets) {
      const SpmvProblem problem = problem_of(set);
      auto descriptors = std::make_unique<Descriptors>(problem);
      auto buffer = std::make_unique<DeviceMemory>(buffer_bytes(*descriptors));
      GEMMLAB_SPARSE_CHECK(cusparseSpMV_preprocess, handle_, CUSPARSE_OPERATION_NON_TRANSPOSE, &one_,
                           descriptors->a(), descriptors->x(), &zero_, descriptors->y(), CUDA_R_32F,
                           algorithm_, buffer->data());
      staged_.push_back({problem.values, std::move(descriptors), std::move(buffer)});
    }
  }

  Facts chosen() const override {
    int version = 0;
    GEMMLAB_SPARSE_CHECK(cusparseGetVersion, handle_, &version);
    return {{"library", cusparse_library().path()},
            {"version", std::to_string(version / 1000) + "." + std::to_string(version / 100 % 10) + "." +
                            std::to_string(version % 100)},
            {"preprocessing", std::string(preprocess_ ? "before the clock, not counted" : "none")},
            {"buffer_bytes", static_cast<std::int64_t>(buffer_->bytes())}};
  }

 protected:
  void multiply(const SpmvProblem& problem) override {
    if (!preprocess_) {
      descriptors_->point_at(problem);
      return multiply(*descriptors_, *buffer_);
    }
    for (Preprocessed& staged : staged_) {
      if (staged.values != problem.values) continue;
      staged.descriptors->set_vectors(problem);
      return multiply(*staged.descriptors, *staged.buffer);
    }
    throw std::logic_error("preprocess = before, and these operands were not staged");
  }

 private:
  void multiply(const Descriptors& descriptors, const DeviceMemory& buffer) {
    check(spmv_(handle_, CUSPARSE_OPERATION_NON_TRANSPOSE, &one_, descriptors.a(), descriptors.x(), &zero_,
                descriptors.y(), CUDA_R_32F, algorithm_, buffer.data()),
          "cusparseSpMV");
  }
  std::size_t buffer_bytes(const Descriptors& descriptors) const {
    std::size_t bytes = 0;
    GEMMLAB_SPARSE_CHECK(cusparseSpMV_bufferSize, handle_, CUSPARSE_OPERATION_NON_TRANSPOSE, &one_,
                         descriptors.a(), descriptors.x(), &zero_, descriptors.y(), CUDA_R_32F, algorithm_,
                         &bytes);
    return std::max<std::size_t>(bytes, 1);
  }

  cusparseSpMVAlg_t algorithm_;
  bool preprocess_;
  float one_ = 1;
  float zero_ = 0;
  DeviceMemory anywhere_;
  cusparseHandle_t handle_ = nullptr;
  std::unique_ptr<Descriptors> descriptors_;
  std::unique_ptr<DeviceMemory> buffer_;
  std::vector<Preprocessed> staged_;
  decltype(cusparseSpMV)* spmv_ = GEMMLAB_SPARSE(cusparseSpMV);
};

std::string missing() {
  return cusparse_library().found() ? std::string() : cusparse_library().why();
}
std::unique_ptr<Session> make_session(const Instance& instance, const Parameters& parameters) {
  const bool deterministic = text(parameters, "algorithm") == "csr2";
  return std::make_unique<CusparseSession>(instance,
                                           deterministic ? CUSPARSE_SPMV_CSR_ALG2 : CUSPARSE_SPMV_CSR_ALG1,
                                           text(parameters, "preprocess") == "before");
}

#else

std::string missing() {
  return "built without cusparse.h";
}
std::unique_ptr<Session> make_session(const Instance&, const Parameters&) {
  throw std::runtime_error(missing());
}

#endif

Description cusparse_description() {
  return describe(
      {.id = "gpu.cusparse_spmv",
       .name = "cuSPARSE",
       .summary = "cuSPARSE's cusparseSpMV on CSR",
       .source = "NVIDIA cuSPARSE, opened at run time",
       .counterpart = "cpu.mkl_spmv",
       .reference = true,
       .parameters =
           {choice("algorithm",
                   "csr1: CUSPARSE_SPMV_CSR_ALG1; csr2: CUSPARSE_SPMV_CSR_ALG2, the same bits in every call",
                   {std::string("csr1"), std::string("csr2")}, std::string("csr1"), ", {algorithm}"),
            choice("preprocess", "before: cusparseSpMV_preprocess outside the clock, counted nowhere",
                   {std::string("none"), std::string("before")}, std::string("none"),
                   ", preprocessed {preprocess}")},
       .operation = "spmv"});
}

class Cusparse : public Implementation {
 public:
  const Description& description() const override { return description_; }
  std::string unavailable() const override {
    if (std::string reason = gpu::unavailable(); !reason.empty()) return reason;
    return missing();
  }
  std::string why_not(const Instance&, const Parameters&) const override { return {}; }
  bool operands_resident(const Parameters& parameters) const override {
    return text(parameters, "preprocess") == "before";
  }
  std::unique_ptr<Session> prepare(const Instance& instance, const Parameters& parameters) const override {
    return make_session(instance, parameters);
  }

 private:
  Description description_ = cusparse_description();
};

}  // namespace

const Implementation& cusparse_spmv() {
  static const Cusparse implementation;
  return implementation;
}

}  // namespace gemmlab::gpu
