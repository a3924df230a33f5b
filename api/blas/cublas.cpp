// cuBLAS' single-precision products. Its handle tells stream and modes; the library itself answers all other calls.

#include "api/blas/next.h"
#include "api/blas/serve.h"

#define GEMMLAB_BLAS_API extern "C" __attribute__((visibility("default")))

namespace {

using namespace gemmlab;
using namespace gemmlab::blas;

// cublas_api.h's, which a program without CUDA's headers need not have
using Handle = void*;
constexpr int kNotInitialized = 1;
constexpr int kPointersOnHost = 0;
constexpr int kTf32 = 3;  // CUBLAS_TF32_TENSOR_OP_MATH
constexpr int kConjugateTranspose = 2;

using GetStream = int(Handle handle, void** stream);
using GetMode = int(Handle handle, int* mode);
using Sgemm = int(Handle handle, int transpose_a, int transpose_b, int m, int n, int k, const float* alpha,
                  const float* a, int lda, const float* b, int ldb, const float* beta, float* c, int ldc);
using Strided = int(Handle handle, int transpose_a, int transpose_b, int m, int n, int k, const float* alpha,
                    const float* a, int lda, long long stride_a, const float* b, int ldb, long long stride_b,
                    const float* beta, float* c, int ldc, long long stride_c, int count);

/// Can the handle's calls be answered here? Factors on the device cannot be read, and who allows TF32 wants its speed.
bool is_plain(Handle handle, void** stream) {
  static GetStream* const get_stream = next<GetStream>("cublasGetStream_v2");
  static GetMode* const get_pointer_mode = next<GetMode>("cublasGetPointerMode_v2");
  static GetMode* const get_math_mode = next<GetMode>("cublasGetMathMode");
  if (handle == nullptr || !get_stream || !get_pointer_mode || !get_math_mode) return false;
  int pointers = -1;
  int math = -1;
  const bool told = get_stream(handle, stream) == 0 && get_pointer_mode(handle, &pointers) == 0 &&
                    get_math_mode(handle, &math) == 0;
  return told && pointers == kPointersOnHost && (math & 0xF) != kTf32;
}

/// Batched products of all functions here. What `on` answers is the function's answer.
template <typename PassOn>
int served(const char* function, Handle handle, int transpose_a, int transpose_b, const Shape& shape,
           const float* alpha, const float* a, int lda, long long stride_a, const float* b, int ldb,
           long long stride_b, const float* beta, float* c, int ldc, long long stride_c, int count,
           const PassOn& on) {
  void* stream = nullptr;
  const bool codes = transpose_a >= 0 && transpose_a <= kConjugateTranspose && transpose_b >= 0 &&
                     transpose_b <= kConjugateTranspose;
  if (!codes || alpha == nullptr || beta == nullptr || !is_plain(handle, &stream)) return on();
  api::Product product =
      row_major({transpose_a != 0, transpose_b != 0, shape, *alpha, a, lda, b, ldb, *beta, c, ldc});
  product.stride_a = stride_b;  // the operands have changed places
  product.stride_b = stride_a;
  product.stride_c = stride_c;
  product.count = count;
  int answer = 0;
  serve({function, Side::kDevice, product, stream}, [&] { answer = on(); });
  return answer;
}

}  // namespace

GEMMLAB_BLAS_API int cublasSgemm_v2(Handle handle, int transpose_a, int transpose_b, int m, int n, int k,
                                    const float* alpha, const float* a, int lda, const float* b, int ldb,
                                    const float* beta, float* c, int ldc) {
  return served("cublasSgemm", handle, transpose_a, transpose_b, {m, n, k}, alpha, a, lda, 0, b, ldb, 0, beta,
                c, ldc, 0, 1, [&] {
                  static Sgemm* const on = next<Sgemm>("cublasSgemm_v2");
                  if (on == nullptr) return kNotInitialized;
                  return on(handle, transpose_a, transpose_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
                });
}

GEMMLAB_BLAS_API int cublasSgemmStridedBatched(Handle handle, int transpose_a, int transpose_b, int m, int n,
                                               int k, const float* alpha, const float* a, int lda,
                                               long long stride_a, const float* b, int ldb,
                                               long long stride_b, const float* beta, float* c, int ldc,
                                               long long stride_c, int count) {
  return served("cublasSgemmStridedBatched", handle, transpose_a, transpose_b, {m, n, k}, alpha, a, lda,
                stride_a, b, ldb, stride_b, beta, c, ldc, stride_c, count, [&] {
                  static Strided* const on = next<Strided>("cublasSgemmStridedBatched");
                  if (on == nullptr) return kNotInitialized;
                  return on(handle, transpose_a, transpose_b, m, n, k, alpha, a, lda, stride_a, b, ldb,
                            stride_b, beta, c, ldc, stride_c, count);
                });
}
