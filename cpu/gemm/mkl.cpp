#include "cpu/blas.h"
#include "cpu/library.h"

namespace gemmlab::cpu {
namespace {

// From mkl_service.h.
constexpr int kThreadingGnu = 3;
constexpr int kInterfaceLp64 = 0;
struct Version {
  int major;
  int minor;
  int update;
  char* product_status;
  char* build;
  char* processor;
  char* platform;
};

Library& mkl_library() {
  static Library library({"MKL",
                          "GEMMLAB_MKL",
                          {"libmkl_rt.so.3", "libmkl_rt.so.2", "libmkl_rt.so"},
                          "apt install libmkl-rt (Debian: non-free, Ubuntu: multiverse)"});
  return library;
}

/// Before any other call: 32-bit integers, and the OpenMP runtime that this process already has.
LoadedBlas load(const std::string&) {
  Library& library = mkl_library();
  library.symbol<int(int)>("MKL_Set_Interface_Layer")(kInterfaceLp64);
  library.symbol<int(int)>("MKL_Set_Threading_Layer")(kThreadingGnu);
  Version version{};
  library.symbol<void(Version*)>("MKL_Get_Version")(&version);
  return {&library,
          {},
          library.symbol<void(int)>("MKL_Set_Num_Threads"),
          library.symbol<int()>("MKL_Get_Max_Threads"),
          std::to_string(version.major) + "." + std::to_string(version.minor) + "." +
              std::to_string(version.update) + " build " + version.build,
          version.processor};
}

class MklSession : public GemmSession {
 public:
  MklSession(const Shape& shape, const GemmForm& form, int threads)
      : shape_(shape),
        form_(form),
        threads_(threads),
        mkl_(load({})),
        sgemm_(mkl_.library->symbol<CblasSgemm>("cblas_sgemm")) {}

  void multiply(const float* a, const float* b, float* c) override {
    if (mkl_.get_threads() != threads_) mkl_.set_threads(threads_);
    multiply_with(sgemm_, shape_, form_, a, b, c);
    threads_actual_ = mkl_.get_threads();
  }
  /// What the library was held to; it takes fewer where it sees fit and does not say so.
  int threads_actual() const override { return threads_actual_; }
  Facts chosen() const override {
    return {{"library", mkl_.library->path()},
            {"loaded_from", file_of(reinterpret_cast<const void*>(sgemm_))},
            {"version", mkl_.version},
            {"kernel", mkl_.kernel}};
  }

 private:
  Shape shape_;
  GemmForm form_;
  int threads_;
  LoadedBlas mkl_;
  CblasSgemm* sgemm_;
  int threads_actual_ = 0;
};

/// MKL through cblas_sgemm of its single dynamic library, which loads the rest.
class Mkl : public LibraryImplementation {
 public:
  Mkl()
      : LibraryImplementation("cpu.mkl", "Intel oneMKL, cblas_sgemm", "Intel oneAPI Math Kernel Library",
                              Dimensions::k32Bits) {}
  std::unique_ptr<Session> prepare_form(const Shape& shape, const GemmForm& form,
                                        const Parameters& parameters) const override {
    return std::make_unique<MklSession>(shape, form, static_cast<int>(integer(parameters, "threads")));
  }

 protected:
  Library& library() const override { return mkl_library(); }
};

}  // namespace

const Implementation& mkl() {
  static const Mkl implementation;
  return implementation;
}

const Blas& mkl_blas() {
  static const Blas blas = {"mkl", "Intel oneMKL", "Intel oneAPI Math Kernel Library", mkl_library, load, {}};
  return blas;
}

}  // namespace gemmlab::cpu
