// cublasLt's product: D = alpha·op(A)·op(B) + beta·C, and a bias. All that it is comes from descriptors, which the library itself
// reads.

#include <cstdint>

#include "api/blas/cuda_types.h"
#include "api/blas/next.h"
#include "api/blas/serve.h"

#define GEMMLAB_BLAS_API extern "C" __attribute__((visibility("default")))

namespace {

using namespace gemmlab;
using namespace gemmlab::blas;

// cublasLt.h's
constexpr int kNotInitialized = 1;
constexpr int kColumnOrder = 0;           // CUBLASLT_ORDER_COL
constexpr int kFull = 2;                  // CUBLAS_FILL_MODE_FULL
constexpr std::uint32_t kNoEpilogue = 1;  // CUBLASLT_EPILOGUE_DEFAULT
constexpr std::uint32_t kBias = 4;        // CUBLASLT_EPILOGUE_BIAS

enum OfProduct {  // CUBLASLT_MATMUL_DESC_…
  kCompute = 0,
  kScaleType = 1,
  kPointerMode = 2,
  kTransposeA = 3,
  kTransposeB = 4,
  kTransposeC = 5,
  kFillMode = 6,
  kEpilogue = 7,
  kBiasPointer = 8,
  kSmCount = 15,
  kScaleOfA = 17,
  kScaleOfB = 18,
  kScaleOfC = 19,
  kScaleOfD = 20,
  kLargestOfD = 21,
  kBiasType = 26,
  kScaleOutOfD = 36
};
enum OfMatrix {  // CUBLASLT_MATRIX_LAYOUT_…
  kType = 0,
  kOrder = 1,
  kRows = 2,
  kCols = 3,
  kLeading = 4,
  kCount = 5,
  kStride = 6,
  kPlaneOffset = 7,
  kBatchMode = 8
};

using GetAttribute = int(void* descriptor, int which, void* value, std::size_t bytes, std::size_t* written);
using Matmul = int(void* handle, void* product, const void* alpha, const void* a, void* layout_a,
                   const void* b, void* layout_b, const void* beta, const void* c, void* layout_c, void* d,
                   void* layout_d, const void* algorithm, void* workspace, std::size_t workspace_bytes,
                   void* stream);

/// One descriptor. The type of a value is as wide as the attribute.
class Descriptor {
 public:
  Descriptor(GetAttribute* read, void* descriptor) : get_(read), descriptor_(descriptor) {}

  template <typename Value>
  Value get(int which, Value otherwise) const {
    Value value = {};
    return get_(descriptor_, which, &value, sizeof value, nullptr) == 0 ? value : otherwise;
  }
  /// Also true of what an older library has no attribute for.
  bool is_null(int which) const { return get<const void*>(which, nullptr) == nullptr; }

 private:
  GetAttribute* get_;
  void* descriptor_;
};

struct Matrix {
  std::optional<ElementType> type;
  std::int64_t rows;
  std::int64_t cols;
  std::int64_t leading;
  std::int64_t count;
  std::int64_t stride;

  bool operator==(const Matrix& other) const = default;
};

/// None for what lies otherwise than column by column.
std::optional<Matrix> matrix_of(const Descriptor& layout) {
  const bool plain = layout.get<std::int32_t>(kOrder, -1) == kColumnOrder &&
                     layout.get<std::int64_t>(kPlaneOffset, 0) == 0 &&
                     layout.get<std::uint32_t>(kBatchMode, 0) == 0;
  if (!plain) return std::nullopt;
  return Matrix{element_type(static_cast<int>(layout.get<std::uint32_t>(kType, ~0U))),
                static_cast<std::int64_t>(layout.get<std::uint64_t>(kRows, 0)),
                static_cast<std::int64_t>(layout.get<std::uint64_t>(kCols, 0)),
                layout.get<std::int64_t>(kLeading, 0),
                layout.get<std::int32_t>(kCount, 0),
                layout.get<std::int64_t>(kStride, 0)};
}

/// Nothing but factors on the host, transposes, and a bias?
bool is_plain(const Descriptor& product) {
  for (const int pointer : {kScaleOfA, kScaleOfB, kScaleOfC, kScaleOfD, kLargestOfD, kScaleOutOfD}) {
    if (!product.is_null(pointer)) return false;
  }
  return product.get<std::int32_t>(kPointerMode, -1) == kPointersOnHost &&
         product.get<std::int32_t>(kTransposeC, -1) == 0 &&
         product.get<std::int32_t>(kFillMode, -1) == kFull && product.get<std::int32_t>(kSmCount, 0) == 0;
}

/// Adds the epilogue; false for one that is not answered.
bool add_epilogue(const Descriptor& descriptor, api::Product& product) {
  const auto epilogue = descriptor.get<std::uint32_t>(kEpilogue, 0);
  if (epilogue == kNoEpilogue) return true;
  const ElementType result = product.types.result;
  product.bias = descriptor.get<const void*>(kBiasPointer, nullptr);
  if (epilogue != kBias || product.bias == nullptr || is_integer(result)) return false;
  const auto told = descriptor.get<std::int32_t>(kBiasType, -1);
  // by default as C is, but of float8 to float32, of which the library's manual says nothing
  if (told == -1 && is_float8(product.types.type) && result == ElementType::kFloat32) return false;
  const std::optional<ElementType> type = told == -1 ? result : element_type(told);
  if (!type || is_integer(*type) || is_float8(*type)) return false;
  product.bias_type = *type;
  return true;
}

struct Call {
  void* product;
  const void* alpha;
  const void* a;
  void* layout_a;
  const void* b;
  void* layout_b;
  const void* beta;
  const void* c;
  void* layout_c;
  void* d;
  void* layout_d;
};

/// In this project's words; none for what it has none for.
std::optional<api::Product> product_of(const Call& call) {
  static GetAttribute* const of_product = next<GetAttribute>("cublasLtMatmulDescGetAttribute");
  static GetAttribute* const of_layout = next<GetAttribute>("cublasLtMatrixLayoutGetAttribute");
  for (const void* given :
       {call.product, call.layout_a, call.layout_b, call.layout_d, const_cast<void*>(call.alpha)}) {
    if (given == nullptr) return std::nullopt;
  }
  if (of_product == nullptr || of_layout == nullptr) return std::nullopt;
  const Descriptor descriptor(of_product, call.product);
  const std::optional<Matrix> a = matrix_of({of_layout, call.layout_a});
  const std::optional<Matrix> b = matrix_of({of_layout, call.layout_b});
  const std::optional<Matrix> d = matrix_of({of_layout, call.layout_d});
  if (!a || !b || !d || !a->type || b->type != a->type || !d->type || !is_plain(descriptor))
    return std::nullopt;

  const bool whole = is_integer(*a->type);
  if (descriptor.get<std::int32_t>(kCompute, -1) != (whole ? kComputeInt : kComputeFloat) ||
      descriptor.get<std::int32_t>(kScaleType, -1) != (whole ? kReal32I : kReal32F))
    return std::nullopt;
  const float beta = call.beta == nullptr ? 0 : factor(call.beta, whole);
  if (beta != 0) {  // then C is read, which is D here
    if (call.c != call.d || call.layout_c == nullptr || matrix_of({of_layout, call.layout_c}) != d)
      return std::nullopt;
  }

  const int transpose_a = descriptor.get<std::int32_t>(kTransposeA, -1);
  const int transpose_b = descriptor.get<std::int32_t>(kTransposeB, -1);
  if (transpose_a < 0 || transpose_a > kLastTranspose || transpose_b < 0 || transpose_b > kLastTranspose)
    return std::nullopt;
  const bool ta = transpose_a != 0;
  const bool tb = transpose_b != 0;
  const Shape shape = {d->rows, d->cols, ta ? a->rows : a->cols};
  const bool fit = (ta ? a->cols : a->rows) == shape.m && (tb ? b->rows : b->cols) == shape.n &&
                   (tb ? b->cols : b->rows) == shape.k && a->count == d->count && b->count == d->count;
  if (!fit) return std::nullopt;
  api::Product product =
      row_major({shape,
                 {ta, tb, factor(call.alpha, whole), beta, a->leading, b->leading, d->leading},
                 call.a,
                 call.b,
                 call.d,
                 a->stride,
                 b->stride,
                 d->stride,
                 d->count,
                 {*a->type, *d->type}});
  if (!add_epilogue(descriptor, product)) return std::nullopt;
  return product;
}

}  // namespace

GEMMLAB_BLAS_API int cublasLtMatmul(void* handle, void* product, const void* alpha, const void* a,
                                    void* layout_a, const void* b, void* layout_b, const void* beta,
                                    const void* c, void* layout_c, void* d, void* layout_d,
                                    const void* algorithm, void* workspace, std::size_t workspace_bytes,
                                    void* stream) {
  int answer = 0;
  const auto on = [&] {
    static Matmul* const matmul = next<Matmul>("cublasLtMatmul");
    answer = matmul == nullptr ? kNotInitialized
                               : matmul(handle, product, alpha, a, layout_a, b, layout_b, beta, c, layout_c,
                                        d, layout_d, algorithm, workspace, workspace_bytes, stream);
  };
  const std::optional<api::Product> words =
      handle == nullptr
          ? std::nullopt
          : product_of({product, alpha, a, layout_a, b, layout_b, beta, c, layout_c, d, layout_d});
  if (words) {
    serve({"cublasLtMatmul", Side::kDevice, *words, stream}, on);
  } else {
    on();
  }
  return answer;
}
