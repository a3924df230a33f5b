#include <cstdint>
#include <stdexcept>

#include "cpu/blas.h"
#include "cpu/library.h"

namespace gemmlab::cpu {
namespace {

Library& blis_library() {
  static Library library(
      {"BLIS",
       "GEMMLAB_BLIS",
       // the OpenMP build first: the pthread one makes its threads anew each call, and two that spin on one
       // core cost it 13 ms at 512 on two cores (17 against 231 GFLOP/s)
       {"blis-openmp/libblis.so.4", "blis-pthread/libblis.so.4", "libblis.so.4", "libblis.so.5"},
       "apt install libblis4-openmp"});
  return library;
}

/// One load of the library, held to one kernel.
struct LoadedBlis {
  CblasSgemm* sgemm;
  void (*set_threads)(std::int64_t);
  std::int64_t (*get_threads)();
  std::string version;
  std::string kernel;  ///< what BLIS says that it runs
};

using ArchitectureName = const char*(int);

/// BLIS' own number for an architecture's name; they change between versions.
int architecture_id(ArchitectureName* name_of, const std::string& wanted) {
  for (int id = 0; id < 64; ++id) {
    const std::string name = name_of(id);
    if (name == wanted) return id;
    if (name == "generic") break;  // the last of the list
  }
  throw std::runtime_error("this BLIS knows no kernel for " + wanted);
}

/// BLIS reads BLIS_ARCH_TYPE at its first use, which is therefore made here.
LoadedBlis load(const std::string& kernel) {
  Library& library = blis_library();
  auto* name_of = library.symbol<ArchitectureName>("bli_arch_string", kernel);
  std::optional<std::string> id;
  if (kernel != kAutomaticKernel) id = std::to_string(architecture_id(name_of, kernel));
  const Setting setting("BLIS_ARCH_TYPE", id);
  library.symbol<void()>("bli_init", kernel)();
  LoadedBlis blis{
      library.symbol<CblasSgemm>("cblas_sgemm", kernel),
      library.symbol<void(std::int64_t)>("bli_thread_set_num_threads", kernel),
      library.symbol<std::int64_t()>("bli_thread_get_num_threads", kernel),
      library.symbol<const char*()>("bli_info_get_version_str", kernel)(),
      name_of(library.symbol<int()>("bli_arch_query_id", kernel)()),
  };
  if (id && blis.kernel != kernel) {
    throw std::runtime_error("BLIS was asked for its " + kernel + " kernel and took " + blis.kernel);
  }
  return blis;
}

/// The load that runs this kernel; kept for the life of the process.
const LoadedBlis& blis_with(const std::string& kernel) {
  static std::map<std::string, LoadedBlis> loaded;
  auto found = loaded.find(kernel);
  if (found == loaded.end()) found = loaded.emplace(kernel, load(kernel)).first;
  return found->second;
}

class BlisSession : public GemmSession {
 public:
  BlisSession(const Shape& shape, const GemmForm& form, int threads, const std::string& kernel)
      : shape_(shape), form_(form), threads_(threads), blis_(blis_with(kernel)) {}

  void multiply(const float* a, const float* b, float* c) override {
    if (blis_.get_threads() != threads_) blis_.set_threads(threads_);
    multiply_with(blis_.sgemm, shape_, form_, a, b, c);
    threads_actual_ = static_cast<int>(blis_.get_threads());
  }
  /// What the library was held to; it does not say how many it started.
  int threads_actual() const override { return threads_actual_; }
  Facts chosen() const override {
    return {{"library", blis_library().path()},
            {"loaded_from", file_of(reinterpret_cast<const void*>(blis_.sgemm))},
            {"version", blis_.version},
            {"kernel", blis_.kernel}};
  }

 private:
  Shape shape_;
  GemmForm form_;
  int threads_;
  const LoadedBlis& blis_;
  int threads_actual_ = 0;
};

/// BLIS 0.9 does not know newer Xeons and falls back to AVX2 there (105 against 161 GFLOP/s at 1023 on one
/// thread), so the kernel is chosen here by what the processor can do; `auto` leaves it to BLIS.
class Blis : public LibraryImplementation {
 public:
  Blis()
      : LibraryImplementation("cpu.blis", "BLIS, cblas_sgemm", "BLIS, github.com/flame/blis",
                              Dimensions::k32Bits) {
    description_.parameters.push_back(kernel_parameter("haswell", "skx"));
  }
  std::unique_ptr<Session> prepare_form(const Shape& shape, const GemmForm& form,
                                        const Parameters& parameters) const override {
    return std::make_unique<BlisSession>(shape, form, static_cast<int>(integer(parameters, "threads")),
                                         text(parameters, "kernel"));
  }

 protected:
  Library& library() const override { return blis_library(); }
};

}  // namespace

const Implementation& blis() {
  static const Blis implementation;
  return implementation;
}

const Blas& blis_blas() {
  static const Blas blas = {"blis",
                            "BLIS",
                            "BLIS, github.com/flame/blis",
                            blis_library,
                            [](const std::string& kernel) {
                              const LoadedBlis& loaded = blis_with(kernel);
                              return LoadedBlas{&blis_library(),
                                                kernel,
                                                [&loaded](int threads) { loaded.set_threads(threads); },
                                                [&loaded] { return static_cast<int>(loaded.get_threads()); },
                                                loaded.version,
                                                loaded.kernel};
                            },
                            {kernel_parameter("haswell", "skx")}};
  return blas;
}

}  // namespace gemmlab::cpu
