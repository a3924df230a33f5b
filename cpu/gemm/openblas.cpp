#include <strings.h>

#include <stdexcept>

#include "cpu/blas.h"
#include "cpu/library.h"

namespace gemmlab::cpu {

Library& openblas_library() {
  // Debian's own file before the general name, which the alternatives system may point at another BLAS
  static Library library(
      {"OpenBLAS",
       "GEMMLAB_OPENBLAS",
       {"openblas-pthread/libopenblas.so.0", "openblas-openmp/libopenblas.so.0", "libopenblas.so.0"},
       "apt install libopenblas0-pthread"});
  return library;
}

namespace {

LoadedOpenBlas load(const std::string& kernel) {
  Library& library = openblas_library();
  const bool automatic = kernel == kAutomaticKernel;
  // both are read while the library is opened
  const Setting core("OPENBLAS_CORETYPE", automatic ? std::nullopt : std::optional(kernel));
  // Idle workers spin for 2^26 cycles by default, about 25 ms, in which they take cores from whatever is
  // measured next; 2^18 is 0.1 ms, and bridges calls in a row as well as 2^20 (12.9 µs at 128 on two threads
  // either way).
  const Setting patience("OPENBLAS_THREAD_TIMEOUT", "18");
  LoadedOpenBlas loaded{
      library.symbol<CblasSgemm>("cblas_sgemm", kernel),
      library.symbol<CblasDgemm>("cblas_dgemm", kernel),
      library.symbol<void(int)>("openblas_set_num_threads", kernel),
      library.symbol<int()>("openblas_get_num_threads", kernel),
      library.symbol<const char*()>("openblas_get_config", kernel)(),
      library.symbol<const char*()>("openblas_get_corename", kernel)(),
  };
  if (!automatic && strcasecmp(loaded.kernel.c_str(), kernel.c_str()) != 0) {
    throw std::runtime_error("OpenBLAS was asked for its " + kernel + " kernel and took " + loaded.kernel +
                             "; kernel = auto takes what it has");
  }
  return loaded;
}

class OpenBlasSession : public GemmSession {
 public:
  OpenBlasSession(const Shape& shape, const GemmForm& form, int threads, const std::string& kernel)
      : shape_(shape), form_(form), threads_(threads), blas_(openblas_with(kernel)) {}

  void multiply(const float* a, const float* b, float* c) override {
    // one pool serves every session, and setting it takes a lock and may start threads
    if (blas_.get_threads() != threads_) blas_.set_threads(threads_);
    multiply_with(blas_.sgemm, shape_, form_, a, b, c);
    threads_actual_ = blas_.get_threads();
  }
  /// What the pool was held to; OpenBLAS uses one thread below about 262,144 multiply-adds and does not say
  /// so.
  int threads_actual() const override { return threads_actual_; }
  Facts chosen() const override {
    return {{"library", openblas_library().path()},
            {"loaded_from", file_of(reinterpret_cast<const void*>(blas_.sgemm))},
            {"version", blas_.version},
            {"kernel", blas_.kernel}};
  }

 private:
  Shape shape_;
  GemmForm form_;
  int threads_;
  const LoadedOpenBlas& blas_;
  int threads_actual_ = 0;
};

/// OpenBLAS through cblas_sgemm. OpenBLAS 0.3.21 does not know Xeons from 2023 on and falls back to its SSE3
/// kernel there (34 against 150 GFLOP/s at 1000 on one thread), so the kernel is chosen here by what the
/// processor can do.
class OpenBlas : public LibraryImplementation {
 public:
  OpenBlas()
      : LibraryImplementation("cpu.openblas", "OpenBLAS, cblas_sgemm", "OpenBLAS, www.openblas.net",
                              Dimensions::k32Bits) {
    description_.counterpart = "gpu.cublas";
    description_.parameters.push_back(kernel_parameter("Haswell", "SkylakeX"));
  }
  std::string why_not_form(const Shape& shape, const GemmForm& form,
                           const Parameters& parameters) const override {
    if (form.alpha == 0) return "its kernels for small matrices read A and B where alpha is 0";
    return LibraryImplementation::why_not_form(shape, form, parameters);
  }
  std::unique_ptr<Session> prepare_form(const Shape& shape, const GemmForm& form,
                                        const Parameters& parameters) const override {
    return std::make_unique<OpenBlasSession>(shape, form, static_cast<int>(integer(parameters, "threads")),
                                             text(parameters, "kernel"));
  }

 protected:
  Library& library() const override { return openblas_library(); }
};

}  // namespace

const LoadedOpenBlas& openblas_with(const std::string& kernel) {
  static std::map<std::string, LoadedOpenBlas> loaded;
  auto found = loaded.find(kernel);
  if (found == loaded.end()) found = loaded.emplace(kernel, load(kernel)).first;
  return found->second;
}

const Implementation& openblas() {
  static const OpenBlas implementation;
  return implementation;
}

const Blas& openblas_blas() {
  static const Blas blas = {"openblas",
                            "OpenBLAS",
                            "OpenBLAS, www.openblas.net",
                            openblas_library,
                            [](const std::string& kernel) {
                              const LoadedOpenBlas& loaded = openblas_with(kernel);
                              return LoadedBlas{&openblas_library(), kernel,         loaded.set_threads,
                                                loaded.get_threads,  loaded.version, loaded.kernel};
                            },
                            {kernel_parameter("Haswell", "SkylakeX")}};
  return blas;
}

std::string openblas_default_kernel() {
  return to_string(openblas().description().find("kernel")->default_value);
}

}  // namespace gemmlab::cpu
