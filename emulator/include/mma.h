#pragma once

// nvcuda::wmma: pieces of matrices that a warp holds, by load_matrix_sync, mma_sync and store_matrix_sync. Which lane holds which
// element is not told by CUDA; here it is what nvcc 13 makes for sm_90, so that requests and banks are those of a card.

#include "cuda_bf16.h"
#include "cuda_fp16.h"
#include "cuda_runtime.h"

namespace gemmlab::emulation {

/// How a warp holds a matrix as it lies in memory: each lane `together` neighbours of a row, four lanes beside each other, and
/// eight rows of them; of so many columns.
struct WmmaLayout {
  int columns;
  int together;
  constexpr int row(int lane, int i) const { return i / together / across() * 8 + lane / 4; }
  constexpr int column(int lane, int i) const {
    return (i / together % across() * 4 + lane % 4) * together + i % together;
  }

 private:
  constexpr int across() const { return columns / (4 * together); }
};
/// Of A or B: a register of 32 bits each.
constexpr WmmaLayout wmma_operand(int columns, int bytes) {
  return {columns, 4 / bytes < columns / 4 ? 4 / bytes : columns / 4};
}
constexpr WmmaLayout wmma_sums(int columns) {
  return {columns, 2};
}

/// What a lane holds of the product D = A·B + C of a warp, its elements widened to float or int; are A and B stored by rows?
struct WmmaPiece {
  const void* a;
  const void* b;
  const void* c;
  void* d;
  bool a_by_rows, b_by_rows;
};
/// By all lanes: `rows`×`columns`, `terms` of them summed, of `bits` an element of A and B.
void wmma_floats(const WmmaPiece& piece, int rows, int columns, int terms, int bits);
void wmma_integers(const WmmaPiece& piece, int rows, int columns, int terms);
/// All lanes have to come here.
void wmma_together();

}  // namespace gemmlab::emulation

namespace nvcuda::wmma {

struct matrix_a;
struct matrix_b;
struct accumulator;
struct row_major;
struct col_major;
enum layout_t { mem_row_major, mem_col_major };

namespace precision {
struct tf32;
}  // namespace precision

namespace detail {

template <typename T>
struct Stored {
  using Type = T;
};
template <>
struct Stored<precision::tf32> {
  using Type = float;
};
template <typename Use, int M, int N, int K>
constexpr int kRows = std::is_same_v<Use, matrix_b> ? K : M;
template <typename Use, int M, int N, int K>
constexpr int kColumns = std::is_same_v<Use, matrix_a> ? K : N;

template <typename T>
constexpr bool kWhole = std::is_integral_v<T>;
/// Elements of A and B as the emulator multiplies them.
template <typename T>
using Wide = std::conditional_t<kWhole<T>, int, float>;

}  // namespace detail

template <typename Use, int M, int N, int K, typename T, typename Layout = void>
class fragment {
  static_assert((M == 16 && N == 16 && (K == 16 || K == 8)) || (M == 32 && N == 8 && K == 16) ||
                    (M == 8 && N == 32 && K == 16),
                "wmma has fragments of 16x16x16, 32x8x16, 8x32x16 and, of tf32, 16x16x8");

 public:
  static constexpr int kRows = detail::kRows<Use, M, N, K>;
  static constexpr int kColumns = detail::kColumns<Use, M, N, K>;
  using element_type = T;
  using storage_element_type = typename detail::Stored<T>::Type;
  static constexpr int num_elements = kRows * kColumns / 32;
  static constexpr int num_storage_elements = num_elements;
  storage_element_type x[num_elements];
};

namespace detail {

GEMMLAB_DEVICE unsigned lane() {
  return (threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)) % 32;
}

/// Elements that move as one, whatever their type.
template <std::size_t kBytes>
struct Register;
template <>
struct Register<1> {
  using Type [[gnu::may_alias]] = std::uint8_t;
};
template <>
struct Register<2> {
  using Type [[gnu::may_alias]] = std::uint16_t;
};
template <>
struct Register<4> {
  using Type [[gnu::may_alias]] = std::uint32_t;
};
template <>
struct Register<8> {
  using Type [[gnu::may_alias]] = std::uint64_t;
};

/// Copies the `count` elements of a lane between its registers and a matrix whose rows are `stride` elements apart.
template <bool kLoads, int kCount, int kTogether, typename Element, typename Matrix>
__forceinline__ void move(Element* held, Matrix* matrix, unsigned stride,
                          const ::gemmlab::emulation::WmmaLayout& layout, bool by_rows = true) {
  static_assert(sizeof(Element) == sizeof(Matrix), "a fragment is loaded and stored in its own type");
  using Word = typename Register<kTogether * sizeof(Element)>::Type;
  const int own = static_cast<int>(lane());
  for (int i = 0; i < kCount; i += kTogether) {
    const auto row = static_cast<std::size_t>(layout.row(own, i));
    const auto column = static_cast<std::size_t>(layout.column(own, i));
    Matrix* at = matrix + (by_rows ? row * stride + column : column * stride + row);
    if constexpr (kLoads) {
      const Word word = *reinterpret_cast<const Word*>(at);
      __builtin_memcpy(held + i, &word, sizeof word);
    } else {
      Word word;
      __builtin_memcpy(&word, held + i, sizeof word);
      *reinterpret_cast<Word*>(at) = word;
    }
  }
}
/// Of an accumulator, whose elements lie with the same lanes in either order.
template <bool kLoads, int kCount, int kColumns, typename Element, typename Matrix>
__forceinline__ void move_sums(Element* held, Matrix* matrix, unsigned stride, layout_t order) {
  constexpr auto kLayout = ::gemmlab::emulation::wmma_sums(kColumns);
  if (order == mem_row_major) {
    move<kLoads, kCount, kLayout.together>(held, matrix, stride, kLayout);
  } else {
    move<kLoads, kCount, 1>(held, matrix, stride, kLayout, false);
  }
}

}  // namespace detail

template <typename Use, int M, int N, int K, typename T, typename Layout, typename V>
__forceinline__ void fill_fragment(fragment<Use, M, N, K, T, Layout>& piece, const V& value) {
  for (auto& each : piece.x) each = value;
}

template <typename Use, int M, int N, int K, typename T, typename Layout, typename From>
__forceinline__ void load_matrix_sync(fragment<Use, M, N, K, T, Layout>& piece, const From* from,
                                      unsigned stride) {
  static_assert(!std::is_void_v<Layout>,
                "an accumulator is loaded with a layout: mem_row_major or mem_col_major");
  using Fragment = fragment<Use, M, N, K, T, Layout>;
  constexpr auto kLayout = ::gemmlab::emulation::wmma_operand(
      std::is_same_v<Layout, row_major> ? Fragment::kColumns : Fragment::kRows, sizeof(From));
  detail::move<true, Fragment::num_elements, kLayout.together>(piece.x, from, stride, kLayout);
  ::gemmlab::emulation::wmma_together();
}
template <int M, int N, int K, typename T, typename From>
__forceinline__ void load_matrix_sync(fragment<accumulator, M, N, K, T>& piece, const From* from,
                                      unsigned stride, layout_t layout) {
  detail::move_sums<true, M * N / 32, N>(piece.x, from, stride, layout);
  ::gemmlab::emulation::wmma_together();
}
template <int M, int N, int K, typename T, typename To>
__forceinline__ void store_matrix_sync(To* to, const fragment<accumulator, M, N, K, T>& piece,
                                       unsigned stride, layout_t layout) {
  ::gemmlab::emulation::wmma_together();
  detail::move_sums<false, M * N / 32, N>(piece.x, to, stride, layout);
}

/// D = A·B + C.
template <int M, int N, int K, typename D, typename A, typename B, typename C, typename LayoutA,
          typename LayoutB>
__forceinline__ void mma_sync(fragment<accumulator, M, N, K, D>& d,
                              const fragment<matrix_a, M, N, K, A, LayoutA>& a,
                              const fragment<matrix_b, M, N, K, B, LayoutB>& b,
                              const fragment<accumulator, M, N, K, C>& c, bool = false) {
  using Of = typename detail::Stored<A>::Type;
  using Wide = detail::Wide<Of>;
  Wide left[M * K / 32], right[K * N / 32], sums[M * N / 32];
  for (int i = 0; i < M * K / 32; ++i) left[i] = static_cast<Wide>(a.x[i]);
  for (int i = 0; i < K * N / 32; ++i) right[i] = static_cast<Wide>(b.x[i]);
  for (int i = 0; i < M * N / 32; ++i) sums[i] = static_cast<Wide>(c.x[i]);
  const ::gemmlab::emulation::WmmaPiece piece = {
      left, right, sums, sums, std::is_same_v<LayoutA, row_major>, std::is_same_v<LayoutB, row_major>};
  if constexpr (detail::kWhole<Of>) {
    ::gemmlab::emulation::wmma_integers(piece, M, N, K);
  } else {
    ::gemmlab::emulation::wmma_floats(piece, M, N, K, 8 * static_cast<int>(sizeof(Of)));
  }
  for (int i = 0; i < M * N / 32; ++i) d.x[i] = static_cast<D>(sums[i]);
}

GEMMLAB_DEVICE float __float_to_tf32(float value) {
  std::uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  if ((bits & 0x7f800000u) != 0x7f800000u) bits = (bits + 0x1000u) & ~0x1fffu;
  std::memcpy(&value, &bits, sizeof bits);
  return value;
}

}  // namespace nvcuda::wmma
