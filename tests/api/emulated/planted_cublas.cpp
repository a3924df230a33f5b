#include "tests/api/emulated/planted_cublas.h"

namespace {

int calls = 0;

int counted() {
  ++calls;
  return planted::kAnswer;
}

int read(void* descriptor, int which, void* to, std::size_t bytes) {
  constexpr int kInvalid = 7;
  return static_cast<planted::Attributes*>(descriptor)->read(which, to, bytes) ? 0 : kInvalid;
}

}  // namespace

namespace planted {

int passed_on() {
  const int since = calls;
  calls = 0;
  return since;
}

}  // namespace planted

extern "C" {

int cublasGetStream_v2(planted::Handle* handle, void** stream) {
  *stream = handle->stream;
  return 0;
}
int cublasGetPointerMode_v2(planted::Handle* handle, int* mode) {
  *mode = handle->pointer_mode;
  return 0;
}
int cublasGetMathMode(planted::Handle* handle, int* mode) {
  *mode = handle->math_mode;
  return 0;
}
int cublasLtMatmulDescGetAttribute(void* descriptor, int which, void* to, std::size_t bytes, std::size_t*) {
  return read(descriptor, which, to, bytes);
}
int cublasLtMatrixLayoutGetAttribute(void* descriptor, int which, void* to, std::size_t bytes, std::size_t*) {
  return read(descriptor, which, to, bytes);
}

// their arguments do not matter
int cublasSgemm_v2() {
  return counted();
}
int cublasGemmEx() {
  return counted();
}
int cublasGemmStridedBatchedEx() {
  return counted();
}
int cublasLtMatmul() {
  return counted();
}
}
