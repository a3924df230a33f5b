#include "gpu/libraries/cublas_context.h"

#include "gpu/device/stream.h"
#include "gpu/table.h"

namespace gemmlab::gpu {

std::string why_no_cublas() {
  if (std::string reason = gpu::unavailable(); !reason.empty()) return reason;
  if (!GEMMLAB_HAS_CUBLAS) return "built without cublas_v2.h";
  return cublas_library().found() ? std::string() : cublas_library().why();
}

#if GEMMLAB_HAS_CUBLAS

CublasContext::CublasContext() : workspace_(kWorkspaceBytes) {
  check_cublas(cublas_function<decltype(cublasCreate_v2)>("cublasCreate_v2")(&handle_), "cublasCreate");
  try {
    check_cublas(
        cublas_function<decltype(cublasSetStream_v2)>("cublasSetStream_v2")(handle_, current_stream()),
        "cublasSetStream");
    // setting the stream gives a workspace up, so this comes after
    check_cublas(cublas_function<decltype(cublasSetWorkspace_v2)>("cublasSetWorkspace_v2")(
                     handle_, workspace_.data(), workspace_.bytes()),
                 "cublasSetWorkspace");
  } catch (...) {
    destroy();
    throw;
  }
}

CublasContext::~CublasContext() {
  destroy();
}

void CublasContext::destroy() {
  cublas_function<decltype(cublasDestroy_v2)>("cublasDestroy_v2")(handle_);
}

Facts CublasContext::facts() const {
  int version = 0;
  check_cublas(cublas_function<decltype(cublasGetVersion_v2)>("cublasGetVersion_v2")(handle_, &version),
               "cublasGetVersion");
  return {{"library", cublas_library().path()}, {"version", library_version(version)}};
}

#endif

}  // namespace gemmlab::gpu
