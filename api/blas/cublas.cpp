// cuBLAS' products. Its handle tells stream and modes; the library itself answers all other calls.

#include "api/blas/cuda_types.h"
#include "api/blas/next.h"
#include "api/blas/serve.h"

#define GEMMLAB_BLAS_API extern "C" __attribute__((visibility("default")))

namespace {

using namespace gemmlab;
using namespace gemmlab::blas;

// cublas_api.h's
using Handle = void*;
constexpr int kNotInitialized = 1;
constexpr int kTf32 = 3;  // CUBLAS_TF32_TENSOR_OP_MATH

using GetStream = int(Handle handle, void** stream);
using GetMode = int(Handle handle, int* mode);
using Sgemm = int(Handle handle, int transpose_a, int transpose_b, int m, int n, int k, const float* alpha,
                  const float* a, int lda, const float* b, int ldb, const float* beta, float* c, int ldc);
using Strided = int(Handle handle, int transpose_a, int transpose_b, int m, int n, int k, const float* alpha,
                    const float* a, int lda, long long stride_a, const float* b, int ldb, long long stride_b,
                    const float* beta, float* c, int ldc, long long stride_c, int count);
using Typed = int(Handle handle, int transpose_a, int transpose_b, int m, int n, int k, const void* alpha,
                  const void* a, int type_a, int lda, const void* b, int type_b, int ldb, const void* beta,
                  void* c, int type_c, int ldc, int compute, int algorithm);
using TypedStrided = int(Handle handle, int transpose_a, int transpose_b, int m, int n, int k,
                         const void* alpha, const void* a, int type_a, int lda, long long stride_a,
                         const void* b, int type_b, int ldb, long long stride_b, const void* beta, void* c,
                         int type_c, int ldc, long long stride_c, int count, int compute, int algorithm);

/// What all these functions are called with, column-major.
struct Arguments {
  int transpose_a;
  int transpose_b;
  Shape shape;
  const void* alpha;
  const void* a;
  int lda;
  const void* b;
  int ldb;
  const void* beta;
  void* c;
  int ldc;
  int type_a = kReal32F;
  int type_b = kReal32F;
  int type_c = kReal32F;
  int compute = kComputeFloat;
  long long stride_a = 0;
  long long stride_b = 0;
  long long stride_c = 0;
  int count = 1;
};

Arguments typed(Arguments call, int type_a, int type_b, int type_c, int compute) {
  call.type_a = type_a;
  call.type_b = type_b;
  call.type_c = type_c;
  call.compute = compute;
  return call;
}

Arguments batched(Arguments call, long long stride_a, long long stride_b, long long stride_c, int count) {
  call.stride_a = stride_a;
  call.stride_b = stride_b;
  call.stride_c = stride_c;
  call.count = count;
  return call;
}

/// Can the handle's calls be answered here? Factors on the device cannot be read, and who allows TF32 for products of
/// float32 wants its speed.
bool is_plain(Handle handle, bool of_float32, void** stream) {
  static GetStream* const get_stream = next<GetStream>("cublasGetStream_v2");
  static GetMode* const get_pointer_mode = next<GetMode>("cublasGetPointerMode_v2");
  static GetMode* const get_math_mode = next<GetMode>("cublasGetMathMode");
  if (handle == nullptr || !get_stream || !get_pointer_mode || !get_math_mode) return false;
  int pointers = -1;
  int math = -1;
  const bool told = get_stream(handle, stream) == 0 && get_pointer_mode(handle, &pointers) == 0 &&
                    get_math_mode(handle, &math) == 0;
  return told && pointers == kPointersOnHost && !(of_float32 && (math & 0xF) == kTf32);
}

/// In this project's words; none for what it has none for.
std::optional<api::Product> product_of(const Arguments& call) {
  const std::optional<ElementType> type = element_type(call.type_a);
  const std::optional<ElementType> result = element_type(call.type_c);
  const bool codes = call.transpose_a >= 0 && call.transpose_a <= kLastTranspose && call.transpose_b >= 0 &&
                     call.transpose_b <= kLastTranspose;
  if (!codes || !type || !result || call.type_b != call.type_a || call.alpha == nullptr ||
      call.beta == nullptr || call.compute != (is_integer(*type) ? kComputeInt : kComputeFloat))
    return std::nullopt;
  const bool whole = call.compute == kComputeInt;
  return row_major({call.shape,
                    {call.transpose_a != 0, call.transpose_b != 0, factor(call.alpha, whole),
                     factor(call.beta, whole), call.lda, call.ldb, call.ldc},
                    call.a,
                    call.b,
                    call.c,
                    call.stride_a,
                    call.stride_b,
                    call.stride_c,
                    call.count,
                    {*type, *result}});
}

/// What `on` answers is the function's answer.
template <typename PassOn>
int served(const char* function, Handle handle, const Arguments& call, const PassOn& on) {
  void* stream = nullptr;
  if (!is_plain(handle, call.type_a == kReal32F, &stream)) return on();
  const std::optional<api::Product> product = product_of(call);
  if (!product) return on();
  int answer = 0;
  serve({function, Side::kDevice, *product, stream}, [&] { answer = on(); });
  return answer;
}

}  // namespace

GEMMLAB_BLAS_API int cublasSgemm_v2(Handle handle, int transpose_a, int transpose_b, int m, int n, int k,
                                    const float* alpha, const float* a, int lda, const float* b, int ldb,
                                    const float* beta, float* c, int ldc) {
  return served("cublasSgemm", handle,
                {transpose_a, transpose_b, {m, n, k}, alpha, a, lda, b, ldb, beta, c, ldc}, [&] {
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
  const Arguments call = batched({transpose_a, transpose_b, {m, n, k}, alpha, a, lda, b, ldb, beta, c, ldc},
                                 stride_a, stride_b, stride_c, count);
  return served("cublasSgemmStridedBatched", handle, call, [&] {
    static Strided* const on = next<Strided>("cublasSgemmStridedBatched");
    if (on == nullptr) return kNotInitialized;
    return on(handle, transpose_a, transpose_b, m, n, k, alpha, a, lda, stride_a, b, ldb, stride_b, beta, c,
              ldc, stride_c, count);
  });
}

GEMMLAB_BLAS_API int cublasGemmEx(Handle handle, int transpose_a, int transpose_b, int m, int n, int k,
                                  const void* alpha, const void* a, int type_a, int lda, const void* b,
                                  int type_b, int ldb, const void* beta, void* c, int type_c, int ldc,
                                  int compute, int algorithm) {
  const Arguments call = typed({transpose_a, transpose_b, {m, n, k}, alpha, a, lda, b, ldb, beta, c, ldc},
                               type_a, type_b, type_c, compute);
  return served("cublasGemmEx", handle, call, [&] {
    static Typed* const on = next<Typed>("cublasGemmEx");
    if (on == nullptr) return kNotInitialized;
    return on(handle, transpose_a, transpose_b, m, n, k, alpha, a, type_a, lda, b, type_b, ldb, beta, c,
              type_c, ldc, compute, algorithm);
  });
}

GEMMLAB_BLAS_API int cublasGemmStridedBatchedEx(Handle handle, int transpose_a, int transpose_b, int m, int n,
                                                int k, const void* alpha, const void* a, int type_a, int lda,
                                                long long stride_a, const void* b, int type_b, int ldb,
                                                long long stride_b, const void* beta, void* c, int type_c,
                                                int ldc, long long stride_c, int count, int compute,
                                                int algorithm) {
  const Arguments call =
      batched(typed({transpose_a, transpose_b, {m, n, k}, alpha, a, lda, b, ldb, beta, c, ldc}, type_a,
                    type_b, type_c, compute),
              stride_a, stride_b, stride_c, count);
  return served("cublasGemmStridedBatchedEx", handle, call, [&] {
    static TypedStrided* const on = next<TypedStrided>("cublasGemmStridedBatchedEx");
    if (on == nullptr) return kNotInitialized;
    return on(handle, transpose_a, transpose_b, m, n, k, alpha, a, type_a, lda, stride_a, b, type_b, ldb,
              stride_b, beta, c, type_c, ldc, stride_c, count, compute, algorithm);
  });
}
