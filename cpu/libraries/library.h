#pragma once

// Reference libraries, opened with dlopen: OpenBLAS, BLIS and MKL all export cblas_sgemm, and linked together
// one of them would silently answer for all.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/implementation.h"

namespace gemmlab::cpu {

/// Where a library may lie and what to install where it is missing.
struct LibrarySearch {
  std::string name;         ///< "OpenBLAS"
  std::string environment;  ///< a variable with the path of the file to use instead, "GEMMLAB_OPENBLAS"
  std::vector<std::string> files;  ///< names below a library folder, the best first
  std::string advice;              ///< "apt install libopenblas0-pthread"
  /// Its name among those that `gemmlab peers` installs, which are looked for first; empty: it is none of them.
  std::string peer = {};
};

/// One shared library. Found cheaply, opened at the first need, never closed: its threads may still live.
/// Libraries read the kernel that they shall run from the environment once, at their first use. So each
/// kernel has a load of its own, private to it, under the kernel's name.
class Library {
 public:
  explicit Library(LibrarySearch search) : search_(std::move(search)) {}

  /// The canonical path of the file; empty where there is none.
  const std::string& path() const;
  /// Why it cannot be used, and what to do; empty when a file was found.
  std::string missing() const;

  /// A function of the load that serves `kernel`, opened now if it was not. Throws std::runtime_error where
  /// library or symbol cannot be had, and where another reference already uses the same file.
  template <typename Function>
  Function* symbol(const char* symbol_name, const std::string& kernel = {}) {
    return reinterpret_cast<Function*>(address(symbol_name, kernel, true));
  }
  /// The same, nullptr where the library has no such symbol.
  template <typename Function>
  Function* symbol_if_any(const char* symbol_name, const std::string& kernel = {}) {
    return reinterpret_cast<Function*>(address(symbol_name, kernel, false));
  }

 private:
  void* address(const char* symbol_name, const std::string& kernel, bool required);
  void* open(const std::string& kernel);
  void* open_copy() const;

  LibrarySearch search_;
  std::string find() const;

  mutable bool searched_ = false;
  mutable std::string path_;
  std::map<std::string, void*> handles_;  ///< by kernel
};

/// Where `gemmlab peers` puts libraries: $GEMMLAB_PEERS, or build/peers of the suite that the launcher names in
/// $GEMMLAB_ROOT; empty outside it.
std::string peers_folder();

/// An environment variable set (or, without a value, unset) for the life of the object, and then as it was.
/// For the moment in which a library reads it; no other thread may read the environment meanwhile.
class Setting {
 public:
  Setting(const char* name, const std::optional<std::string>& value);
  ~Setting();
  Setting(const Setting&) = delete;
  Setting& operator=(const Setting&) = delete;

 private:
  const char* name_;
  std::optional<std::string> before_;
};

/// The canonical path of the file that an address was loaded from.
std::string file_of(const void* address);

/// Of the C interface to BLAS.
inline constexpr int kCblasRowMajor = 101;
inline constexpr int kCblasNoTranspose = 111;
inline constexpr int kCblasTranspose = 112;

/// The value of a parameter `kernel` that leaves the choice to the library.
inline constexpr const char* kAutomaticKernel = "auto";
/// The parameter `kernel`: auto, and the library's own names of its AVX2 and AVX-512 kernels where this
/// machine can run them; the widest is the default, because libraries fall back to old kernels on processors
/// newer than themselves.
ParameterSpec kernel_parameter(const char* avx2_name, const char* avx512_name);

}  // namespace gemmlab::cpu
