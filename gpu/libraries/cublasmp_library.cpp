#include "gpu/libraries/cublasmp_library.h"

#include <cstdlib>

#include "gpu/libraries/cublas_library.h"
#include "gpu/libraries/nccl_library.h"
#include "gpu/libraries/python_files.h"

namespace gemmlab::gpu {
namespace {

std::vector<std::string> places() {
  const char* const chosen = std::getenv("GEMMLAB_CUBLASMP");
  if (chosen != nullptr && *chosen != '\0') return {chosen};
  // those that were installed on purpose come first: what the loader says of the first is told where none can be opened
  std::vector<std::string> names;
  for (const char* cuda : {"cu13", "cu12"}) {
    const std::string file = std::string("nvidia/cublasmp/") + cuda + "/lib/libcublasmp.so.0";
    for (const std::string& found : python_files(file)) names.push_back(found);
  }
  names.emplace_back("libcublasmp.so.0");
  return names;
}

}  // namespace

const DynamicLibrary& cublasmp_library() {
  static const DynamicLibrary library = [] {
    nccl_library();  // the loader gives what is loaded under the name that it looks for
    cublas_library();
    return DynamicLibrary(places());
  }();
  return library;
}

}  // namespace gemmlab::gpu
