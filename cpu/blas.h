#pragma once

// A BLAS library as any of its functions is called: cblas_sdot, cblas_saxpy, cblas_sgemv.

#include <functional>
#include <string>

#include "core/implementation.h"
#include "cpu/library.h"

namespace gemmlab::cpu {

/// One load of a library, which runs one kernel.
struct LoadedBlas {
  Library* library;
  std::string load;  ///< the kernel that it was opened for
  std::function<void(int)> set_threads;
  std::function<int()> get_threads;
  std::string version;
  std::string kernel;  ///< what the library says that it runs
};

struct Blas {
  std::string id;      ///< "openblas"
  std::string name;    ///< "OpenBLAS"
  std::string source;  ///< "OpenBLAS, www.openblas.net"
  Library& (*library)();
  /// The load that runs a kernel; `kernel` is "" where the library has no such parameter.
  LoadedBlas (*load)(const std::string& kernel);
  std::vector<ParameterSpec> parameters;  ///< `kernel`, where it has one
};
const Blas& openblas_blas();
const Blas& blis_blas();
const Blas& mkl_blas();

/// How an operation calls a function of the C interface to BLAS.
struct BlasCall {
  const char* operation;  ///< "dot"
  const char* function;   ///< "cblas_sdot"
  const char* counterpart;
  void (*run)(void* function, const Instance& instance, const Operands& operands);
};

/// cpu.LIBRARY_OPERATION, a reference. Parameters: `threads`, an upper limit, and the library's own.
class BlasImplementation : public Implementation {
 public:
  BlasImplementation(const Blas& blas, const BlasCall& call);

  const Description& description() const override { return description_; }
  std::string unavailable() const override { return blas_.library().missing(); }
  std::string why_not(const Instance& instance, const Parameters& parameters) const override;
  std::unique_ptr<Session> prepare(const Instance& instance, const Parameters& parameters) const override;

 private:
  const Blas& blas_;
  BlasCall call_;
  Description description_;
};

}  // namespace gemmlab::cpu
