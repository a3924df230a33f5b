#pragma once

// A BLAS library, and any of its functions as a row of the table: cblas_sdot, cblas_saxpy, cblas_sgemv.

#include <functional>
#include <string>
#include <vector>

#include "core/implementation.h"
#include "cpu/libraries/library.h"

namespace gemmlab::cpu {

/// One load of a library, which runs one kernel.
struct LoadedBlas {
  Library* library = nullptr;
  std::string load = {};  ///< the kernel that it was opened for
  std::function<void(int)> set_threads = {};
  std::function<int()> get_threads = {};
  std::string version = {};
  std::string kernel = {};  ///< what the library says that it runs
  std::string prefix = {};  ///< of its functions' names: "scipy_"

  template <typename Function>
  Function* symbol(const char* name) const {
    return library->symbol<Function>((prefix + name).c_str(), load);
  }
};

struct Blas {
  const char* id;      ///< "openblas"
  const char* name;    ///< "OpenBLAS"
  const char* source;  ///< "OpenBLAS, www.openblas.net"
  Library& (*library)();
  /// Opens the library for a kernel, "" where it has no such parameter.
  LoadedBlas (*open)(const std::string& kernel);
  std::vector<ParameterSpec> parameters = {};  ///< `kernel`, where it has one
};
const Blas& openblas_blas();
const Blas& openblas_pypi_blas();
const Blas& blis_blas();
const Blas& mkl_blas();

/// The load that runs a kernel; opened at the first need, kept for the life of the process.
const LoadedBlas& loaded(const Blas& blas, const std::string& kernel);
/// The one that runs the library's default kernel.
const LoadedBlas& loaded(const Blas& blas);
/// The kernel that parameters name, "" where the library has no such parameter.
std::string kernel_of(const Blas& blas, const Parameters& parameters);

/// A function of a load, called on as many threads as a session may take.
class BlasFunction {
 public:
  BlasFunction(const LoadedBlas& blas, const char* name, int threads)
      : blas_(blas), address_(reinterpret_cast<void*>(blas.symbol<void()>(name))), threads_(threads) {}

  /// Calls call(the function).
  template <typename Function, typename Call>
  void run(Call call) {
    // one pool serves every session, and setting it takes a lock and may start threads
    threads_actual_ = blas_.get_threads();
    if (threads_actual_ != threads_) {
      blas_.set_threads(threads_);
      threads_actual_ = blas_.get_threads();
    }
    call(reinterpret_cast<Function*>(address_));
  }
  /// What the pool was held to; a library takes fewer where it sees fit (OpenBLAS: one below about 262,144
  /// multiply-adds) and does not say so.
  int threads_actual() const { return threads_actual_; }
  Facts chosen() const;

 private:
  const LoadedBlas& blas_;
  void* address_;
  int threads_;
  int threads_actual_ = 0;
};

/// How an operation calls a function of the C interface to BLAS.
struct BlasCall {
  const char* operation;  ///< "dot"
  const char* function;   ///< "cblas_sdot"
  const char* counterpart = "";
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
