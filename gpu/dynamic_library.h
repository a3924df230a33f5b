#pragma once

#include <stdexcept>
#include <string>
#include <vector>

namespace gemmlab::gpu {

/// A shared library opened by name at run time, so that the program starts without it. Kept open to the end.
class DynamicLibrary {
 public:
  /// Opens the first of `names` that is there, on the loader's path or else in `folder`.
  DynamicLibrary(const std::vector<std::string>& names, const std::string& folder);

  bool found() const { return handle_ != nullptr; }
  const std::string& path() const { return path_; }  ///< the file that was opened
  const std::string& why() const { return why_; }    ///< why there is none

  /// A function by its exported name, as the type of the header's declaration. Throws where it is missing.
  template <typename Function>
  Function* function(const char* name) const {
    return reinterpret_cast<Function*>(symbol(name));
  }

 private:
  void* symbol(const char* name) const;

  void* handle_ = nullptr;
  std::string path_;
  std::string why_;
};

/// cuBLAS' two libraries: "libcublas" or "libcublasLt" of the CUDA that this was built with, else of a
/// neighbour.
const DynamicLibrary& cublas_library();
const DynamicLibrary& cublaslt_library();

/// "13.1.0" of 130100, as both number their versions.
std::string library_version(int number);

}  // namespace gemmlab::gpu
