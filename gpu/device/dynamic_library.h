#pragma once

// Libraries that may be missing: a program that needs none of them starts without.

#include <stdexcept>
#include <string>
#include <vector>

namespace gemmlab::gpu {

/// A shared library opened by name at run time, so that the program starts without it. Kept open to the end.
class DynamicLibrary {
 public:
  /// Opens the first of `names` that is there, on the loader's path or else in `folder`
  /// (empty: nowhere else).
  explicit DynamicLibrary(const std::vector<std::string>& names, const std::string& folder = {});

  bool found() const { return handle_ != nullptr; }
  const std::string& path() const { return path_; }  ///< the file that was opened
  const std::string& why() const { return why_; }    ///< why there is none

  /// A function by its exported name, as the type of the header's declaration. Throws where it is missing.
  template <typename Function>
  Function* function(const char* name) const {
    return reinterpret_cast<Function*>(symbol(name));
  }
  /// Likewise, and nullptr where it is missing.
  template <typename Function>
  Function* function_if_there(const char* name) const {
    return reinterpret_cast<Function*>(symbol_if_there(name));
  }
  /// Likewise, into `function`; where it is missing and `why_not` is still empty, that says so: "PATH is no `what`: it has no NAME".
  template <typename Function>
  void take(Function*& function, const char* name, const char* what, std::string& why_not) const {
    function = function_if_there<Function>(name);
    if (function == nullptr && why_not.empty()) why_not = path_ + " is no " + what + ": it has no " + name;
  }

 private:
  void* symbol(const char* name) const;
  void* symbol_if_there(const char* name) const;

  void* handle_ = nullptr;
  std::string path_;
  std::string why_;
};

/// "13.1.0" of 130100, as the GPU's maker numbers its libraries' versions.
std::string library_version(int number);

}  // namespace gemmlab::gpu
