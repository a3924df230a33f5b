// The C and the Fortran interface of BLAS.

#include <cstddef>
#include <cstdint>

#include "api/blas/next.h"
#include "api/blas/serve.h"

#define GEMMLAB_BLAS_API extern "C" __attribute__((visibility("default")))

namespace {

using namespace gemmlab;
using namespace gemmlab::blas;

constexpr int kRowMajor = 101;
constexpr int kColumnMajor = 102;

/// What no BLAS takes has negative sides here, which no handle takes, either: the next library says what is wrong with it.
constexpr Shape kWrong = {-1, -1, -1};

template <typename In>
using Cblas = void(int order, int transpose_a, int transpose_b, int m, int n, int k, float alpha, const In* a,
                   int lda, const In* b, int ldb, float beta, float* c, int ldc);
using Fortran = void(const char* transpose_a, const char* transpose_b, const int* m, const int* n,
                     const int* k, const float* alpha, const float* a, const int* lda, const float* b,
                     const int* ldb, const float* beta, float* c, const int* ldc, std::size_t length_a,
                     std::size_t length_b);

template <typename Function>
Function& passing_on_to(const char* name) {
  if (Function* const function = next<Function>(name)) return *function;
  nobody_has(name);
}

bool is_transpose(int code) {
  return code == 111 || code == 112 || code == 113;
}
bool is_transpose(char letter) {
  return letter == 'N' || letter == 'n' || letter == 'T' || letter == 't' || letter == 'C' || letter == 'c';
}
bool transposes(int code) {
  return code != 111;
}
bool transposes(char letter) {
  return letter != 'N' && letter != 'n';
}

using Bfloat16 = std::uint16_t;  // its bits

constexpr char kSgemm[] = "cblas_sgemm";
constexpr char kOfMkl[] = "cblas_gemm_bf16bf16f32";
constexpr char kOfOpenblas[] = "cblas_sbgemm";

template <const char* kFunction, typename In>
void cblas(int order, int transpose_a, int transpose_b, int m, int n, int k, float alpha, const In* a,
           int lda, const In* b, int ldb, float beta, float* c, int ldc) {
  const bool wrong = (order != kRowMajor && order != kColumnMajor) || !is_transpose(transpose_a) ||
                     !is_transpose(transpose_b);
  const Shape shape = wrong ? kWrong : Shape{m, n, k};
  const bool ta = transposes(transpose_a);
  const bool tb = transposes(transpose_b);
  api::Product product = {shape, {ta, tb, alpha, beta, lda, ldb, ldc}, a, b, c};
  product.types.type = std::is_same_v<In, Bfloat16> ? ElementType::kBfloat16 : ElementType::kFloat32;
  if (order == kColumnMajor) product = row_major(product);
  serve({kFunction, Side::kHost, product}, [&] {
    static Cblas<In>& on = passing_on_to<Cblas<In>>(kFunction);
    on(order, transpose_a, transpose_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
  });
}

}  // namespace

GEMMLAB_BLAS_API void cblas_sgemm(int order, int transpose_a, int transpose_b, int m, int n, int k,
                                  float alpha, const float* a, int lda, const float* b, int ldb, float beta,
                                  float* c, int ldc) {
  cblas<kSgemm>(order, transpose_a, transpose_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}

/// MKL's, of bfloat16 to float32.
GEMMLAB_BLAS_API void cblas_gemm_bf16bf16f32(int order, int transpose_a, int transpose_b, int m, int n, int k,
                                             float alpha, const Bfloat16* a, int lda, const Bfloat16* b,
                                             int ldb, float beta, float* c, int ldc) {
  cblas<kOfMkl>(order, transpose_a, transpose_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}

/// OpenBLAS' name for the same.
GEMMLAB_BLAS_API void cblas_sbgemm(int order, int transpose_a, int transpose_b, int m, int n, int k,
                                   float alpha, const Bfloat16* a, int lda, const Bfloat16* b, int ldb,
                                   float beta, float* c, int ldc) {
  cblas<kOfOpenblas>(order, transpose_a, transpose_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}

GEMMLAB_BLAS_API void sgemm_(const char* transpose_a, const char* transpose_b, const int* m, const int* n,
                             const int* k, const float* alpha, const float* a, const int* lda, const float* b,
                             const int* ldb, const float* beta, float* c, const int* ldc,
                             std::size_t length_a, std::size_t length_b) {
  const Shape shape = is_transpose(*transpose_a) && is_transpose(*transpose_b) ? Shape{*m, *n, *k} : kWrong;
  const api::Product product =
      row_major({shape,
                 {transposes(*transpose_a), transposes(*transpose_b), *alpha, *beta, *lda, *ldb, *ldc},
                 a,
                 b,
                 c});
  serve({"sgemm_", Side::kHost, product}, [&] {
    static Fortran& on = passing_on_to<Fortran>("sgemm_");
    on(transpose_a, transpose_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc, length_a, length_b);
  });
}
