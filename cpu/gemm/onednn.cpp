#include <cstdint>
#include <cstdio>
#include <stdexcept>
#include <utility>

#include "cpu/gemm/library_row.h"

namespace gemmlab::cpu {
namespace {

Library& onednn_library() {
  static Library library({.name = "oneDNN",
                          .environment = "GEMMLAB_ONEDNN",
                          .files = {"libdnnl.so.3", "libdnnl.so.2"},
                          .advice = "apt install libdnnl3 (Debian 12: libdnnl2)"});
  return library;
}

// From oneDNN's C interface, dnnl_types.h: its 64-bit dimensions, its version and its threading runtimes.
using Sgemm = int(char transpose_a, char transpose_b, std::int64_t m, std::int64_t n, std::int64_t k,
                  float alpha, const float* a, std::int64_t lda, const float* b, std::int64_t ldb, float beta,
                  float* c, std::int64_t ldc);
struct Version {
  int major;
  int minor;
  int patch;
  const char* hash;
  unsigned cpu_runtime;
  unsigned gpu_runtime;
};
constexpr unsigned kSequentialRuntime = 1;
constexpr unsigned kOpenMpRuntime = 2;

std::string isa_name(unsigned isa) {
  const std::pair<unsigned, const char*> known[] = {
      {0x1, "sse41"},
      {0x3, "avx"},
      {0x7, "avx2"},
      {0xf, "avx2_vnni"},
      {0x27, "avx512_core"},
      {0x67, "avx512_core_vnni"},
      {0xe7, "avx512_core_bf16"},
      {0x1e7, "avx512_core_fp16"},
      {0x3e7, "avx512_core_amx"},
      {0xfe7, "avx512_core_amx"},
  };
  for (const auto& [value, name] : known) {
    if (value == isa) return name;
  }
  char text[16];
  std::snprintf(text, sizeof text, "0x%x", isa);
  return text;
}

class OneDnnSession : public GemmSession {
 public:
  OneDnnSession(const Shape& shape, const GemmForm& form, int threads)
      : shape_(shape), form_(form), threads_(threads) {
    Library& library = onednn_library();
    sgemm_ = library.symbol<Sgemm>("dnnl_sgemm");
    version_ = library.symbol<const Version*()>("dnnl_version")();
    // looked up from the library, so that it is the OpenMP runtime that the library itself uses
    set_threads_ = library.symbol_if_any<void(int)>("omp_set_num_threads");
    get_threads_ = library.symbol_if_any<int()>("omp_get_max_threads");
    if (version_->cpu_runtime == kSequentialRuntime) {
      set_threads_ = nullptr;
    } else if (version_->cpu_runtime != kOpenMpRuntime || set_threads_ == nullptr ||
               get_threads_ == nullptr) {
      throw std::runtime_error(library.path() + " was not built with OpenMP, so its threads cannot be set");
    }
  }

  void multiply(const float* a, const float* b, float* c) override {
    const int before = set_threads_ == nullptr ? 1 : get_threads_();
    if (set_threads_ != nullptr) set_threads_(threads_);
    const int status =
        sgemm_(form_.transpose_a ? 'T' : 'N', form_.transpose_b ? 'T' : 'N', shape_.m, shape_.n, shape_.k,
               form_.alpha, a, form_.lda, b, form_.ldb, form_.beta, c, form_.ldc);
    threads_actual_ = set_threads_ == nullptr ? 1 : get_threads_();
    // the setting is the calling thread's, and other code of this process goes by it
    if (set_threads_ != nullptr) set_threads_(before);
    if (status != 0) throw std::runtime_error("dnnl_sgemm failed with status " + std::to_string(status));
  }
  /// What OpenMP was held to; oneDNN takes fewer for small shapes and does not say so.
  int threads_actual() const override { return threads_actual_; }
  Facts chosen() const override {
    Library& library = onednn_library();
    Facts facts{{"library", library.path()},
                {"loaded_from", file_of(reinterpret_cast<const void*>(sgemm_))},
                {"version", std::to_string(version_->major) + "." + std::to_string(version_->minor) + "." +
                                std::to_string(version_->patch)}};
    if (auto* isa = library.symbol_if_any<unsigned()>("dnnl_get_effective_cpu_isa"))
      facts["kernel"] = isa_name(isa());
    return facts;
  }

 private:
  Shape shape_;
  GemmForm form_;
  int threads_;
  Sgemm* sgemm_ = nullptr;
  const Version* version_ = nullptr;
  void (*set_threads_)(int) = nullptr;
  int (*get_threads_)() = nullptr;
  int threads_actual_ = 0;
};

/// oneDNN through dnnl_sgemm, which is row-major.
class OneDnn : public LibraryImplementation {
 public:
  OneDnn()
      : LibraryImplementation({.id = "cpu.onednn",
                               .name = "oneDNN",
                               .summary = "oneDNN, dnnl_sgemm",
                               .source = "oneDNN, github.com/oneapi-src/oneDNN"},
                              onednn_library, Dimensions::k64Bits) {}
  std::string why_not_form(const Shape& shape, const GemmForm& form,
                           const Parameters& parameters) const override {
    if (scales_only(shape, form)) return "dnnl_sgemm does not follow BLAS where alpha or a dimension is 0";
    return LibraryImplementation::why_not_form(shape, form, parameters);
  }
  std::unique_ptr<Session> prepare_form(const Shape& shape, const GemmForm& form,
                                        const Parameters& parameters) const override {
    return std::make_unique<OneDnnSession>(shape, form, static_cast<int>(integer(parameters, "threads")));
  }
};

}  // namespace

const Implementation& onednn() {
  static const OneDnn implementation;
  return implementation;
}

}  // namespace gemmlab::cpu
