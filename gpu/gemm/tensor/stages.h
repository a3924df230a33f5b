#pragma once

// The kernels of gpu.tensor in the order in which a multiply launches them. All launch into current_stream().

#include <cuda_runtime.h>

#include <cstdint>
#include <memory>

#include "core/implementation.h"
#include "gpu/gemm/tensor/choose.h"
#include "gpu/gemm/tensor/operand_scan.h"
#include "gpu/gemm/tensor/tiles.h"

namespace gemmlab::gpu::parts {

/// What one multiply works on. op(A) (M, K), op(B) (K, N), C (M, N), row-major; the rest is workspace.
struct Work {
  const float* a = nullptr;
  const float* b = nullptr;
  float* c = nullptr;
  int M = 0;
  int N = 0;
  int K = 0;
  bool transpose_a = false;  ///< A is stored as (K, M)
  bool transpose_b = false;  ///< B is stored as (N, K)
  int lda = 0;               ///< floats from one stored row to the next
  int ldb = 0;
  int ldc = 0;
  float alpha = 1;
  float beta = 0;                 ///< with 0 C is not read
  bool half_allowed = true;       ///< false: eight BF16 products where they hold, whatever the data
  Findings* findings = nullptr;   ///< zeroed before the scan
  unsigned* largest_a = nullptr;  ///< bits of the largest magnitude of A's rows, B's columns; likewise
  unsigned* largest_b = nullptr;
  int* scales_a = nullptr;  ///< the powers of two that they were scaled by
  int* scales_b = nullptr;
  std::uint16_t* parts_a = nullptr;  ///< (parts, M, pitch): A split, rows scaled
  std::uint16_t* parts_b = nullptr;  ///< (parts, N, pitch): B split and transposed, columns scaled
  int pitch = 0;                     ///< K rounded up: pitch_of()
  int multiprocessors = 0;
  // Of a first split, which looks at the data:
  WgmmaChoice choice;
  Findings* found = nullptr;  ///< to count in: zero before, and after it again
  float* sizes = nullptr;     ///< sizes_of_first_split() of them
  // Of products that share operands (shared_operands.h):
  bool first = true;     ///< findings begin anew; else they join those of the products before it
  bool splits_a = true;  ///< false: parts, scales and largest magnitudes are there from one of these
  bool splits_b = true;

  // Of a batch all of this is one product's; the next product's matrices begin a stride further on, of A and B 0 where
  // one serves all. The workspace is that of one A of all products' rows, one below the other, and one B of all columns.
  int batch = 1;
  std::int64_t stride_a = 0;
  std::int64_t stride_b = 0;
  std::int64_t stride_c = 0;

  /// What a first split writes: digits or FP16 pairs.
  __host__ __device__ Arithmetic first_split() const {
    return choice.digits ? Arithmetic::kDigits : Arithmetic::kHalf;
  }

  /// Rows of A, and columns of B, from one product's to the next one's in the workspace.
  int rows_apart() const { return stride_a == 0 ? 0 : M; }
  int cols_apart() const { return stride_b == 0 ? 0 : N; }
  /// All of them.
  int rows_of_a() const { return M + (batch - 1) * rows_apart(); }
  int cols_of_b() const { return N + (batch - 1) * cols_apart(); }
};

/// Work takes what products before it have made of its A and B; nullptr: it splits that itself. The findings of all are
/// joined in the first one's, so that from the first product on for which digits do not hold all split anew, and none reads
/// digits that such a split has overwritten.
inline void share(Work& work, const Work* first, const Work* same_a, const Work* same_b) {
  if (first == nullptr) return;
  work.first = false;
  work.findings = first->findings;
  if (same_a != nullptr) {
    work.splits_a = false;
    work.parts_a = same_a->parts_a;
    work.scales_a = same_a->scales_a;
    work.largest_a = same_a->largest_a;
  }
  if (same_b != nullptr) {
    work.splits_b = false;
    work.parts_b = same_b->parts_b;
    work.scales_b = same_b->scales_b;
    work.largest_b = same_b->largest_b;
  }
}

constexpr int kMostParts = 3;

/// K rounded up so that each row of parts begins a line of 128 bytes: TMA asks for 16, but a step of a row that
/// lies across lines costs half as many sectors again.
constexpr std::int64_t pitch_of(std::int64_t K) {
  return (K + 63) / 64 * 64;
}

/// Likewise of digits. They fit where parts do.
constexpr std::int64_t pitch_of_digits(std::int64_t K) {
  return (K + 127) / 128 * 128;
}

/// Chunks of K whose magnitudes are looked at apart, before they are split.
constexpr int kMostChunks = 16;

/// The largest magnitude and the sum of each chunk of a row of A and column of B.
constexpr std::int64_t sizes_of_first_split(std::int64_t M, std::int64_t N) {
  return 2 * kMostChunks * (M + N);
}

/// C and the scales of its sums, for the products' kernels; of a batch those of the first product.
inline Output output_of(const Work& work) {
  return {work.scales_a, work.scales_b, work.c, work.M, work.N, work.ldc, work.alpha, work.beta};
}

void launch_scan(const Work& work);
void launch_split(const Work& work, Arithmetic arithmetic);
/// Scan and first split, into parts_a and parts_b.
void launch_first_split(const Work& work);
/// For data that the first split does not hold: another into FP16 or BF16, or the whole product in plain FP32.
void launch_other_split(const Work& work);
void launch_plain(const Work& work);

/// The product of split operands: one kernel for each arithmetic, and what it needs prepared.
class Products {
 public:
  virtual ~Products() = default;
  virtual void launch(const Work& work, Arithmetic arithmetic) = 0;
  virtual Facts chosen(Arithmetic arithmetic) const = 0;
  virtual Facts resources(Arithmetic arithmetic) const = 0;
};

/// A multiply from the first split to C, behind zeroed findings and counts.
class WholeProduct {
 public:
  virtual ~WholeProduct() = default;
  virtual void launch(const Work& work) = 0;
  virtual Facts chosen(Arithmetic arithmetic) const = 0;
  virtual Facts resources() const = 0;
};

/// By wgmma on digits or FP16 pairs, whichever the first split writes and the data allow, else on pairs or BF16 triples: as
/// make_wgmma_products(). The only one that takes batches; what it finds in the data decides for all products of one.
std::unique_ptr<WholeProduct> make_whole_product(const Work& work);
/// By mma.sync and cp.async: any card from compute capability 8.0.
std::unique_ptr<Products> make_mma_products();
/// By wgmma and TMA, BF16 triples alone. Asks for code that was built for sm_90a: wgmma_here.h.
std::unique_ptr<Products> make_wgmma_products(const Work& work);
/// Registers and the like of the kernel in FP32.
Facts plain_resources();

}  // namespace gemmlab::gpu::parts
