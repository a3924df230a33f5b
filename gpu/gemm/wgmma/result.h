#pragma once

// How a warpgroup's sums become C: rounded once, straight from the registers, or by way of shared memory and TMA, which stores
// while the next tile is multiplied. Where sums lie in the registers: tensor/instructions/wgmma.h.

#include "gpu/gemm/wgmma/arguments.h"
#include "gpu/gemm/wgmma/tile.h"

namespace gemmlab::gpu::tensor_core {

constexpr int kSlotBytes = kPieceRowsOfD * kRowBytes;  // 64 rows of C, 128 bytes of each

template <int kBytes>
using Bits =
    std::conditional_t<kBytes == 1, std::uint16_t, std::conditional_t<kBytes == 2, std::uint32_t, uint2>>;

/// Two neighbours of C as they lie in memory.
__device__ inline uint2 packed(float left, float right, float) {
  return make_uint2(__float_as_uint(left), __float_as_uint(right));
}
__device__ inline uint2 packed(std::int32_t left, std::int32_t right, std::int32_t) {
  return make_uint2(static_cast<unsigned>(left), static_cast<unsigned>(right));
}
__device__ inline std::uint32_t packed(float left, float right, Bfloat16) {
  const __nv_bfloat162 pair = __floats2bfloat162_rn(left, right);
  return *reinterpret_cast<const std::uint32_t*>(&pair);
}
__device__ inline std::uint32_t packed(float left, float right, Float16) {
  const __half2 pair = __floats2half2_rn(left, right);
  return *reinterpret_cast<const std::uint32_t*>(&pair);
}
__device__ inline std::uint16_t packed(float left, float right, Float8E4m3) {
  return __nv_cvt_float2_to_fp8x2(make_float2(left, right), __NV_SATFINITE, __NV_E4M3);
}
__device__ inline std::uint16_t packed(float left, float right, Float8E5m2) {
  return __nv_cvt_float2_to_fp8x2(make_float2(left, right), __NV_NOSAT, __NV_E5M2);
}

/// Calls store(Out()) for the type of C.
template <typename In, typename Store>
__device__ inline void with_result(ElementType result, const Store& store) {
  if constexpr (std::is_same_v<In, Int8>) {
    store(std::int32_t());
  } else if (result == ElementType::kFloat32) {
    store(float());
  } else if constexpr (sizeof(In) == 2) {
    store(In());
  } else if (result == ElementType::kBfloat16) {
    store(Bfloat16());
  } else if (result == ElementType::kFloat16) {
    store(Float16());
  } else {
    store(In());
  }
}

/// 64 rows of a tile from `row` on, by each thread from its registers.
template <typename Out, typename Sum, int kCount>
__device__ inline void store_from_registers(const Sum (&D)[kCount], const Result& C, int row, int col) {
  using Pair = Bits<sizeof(Out)>;
  const bool pairs = C.N % 2 == 0 && reinterpret_cast<std::uintptr_t>(C.at) % sizeof(Pair) == 0;
  const int thread = threadIdx.x % kWarpgroup;
  col += thread % 4 * 2;
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const int own = row + thread / 32 * 16 + thread % 32 / 4 + 8 * half;
    if (own >= C.M) return;
    Out* const to = static_cast<Out*>(C.at) + static_cast<std::int64_t>(own) * C.N;
#pragma unroll
    for (int i = 0; i < kCount / 4; ++i) {
      const int at = col + 8 * i;
      if (at >= C.N) break;
      const Pair both = packed(D[4 * i + 2 * half], D[4 * i + 2 * half + 1], Out());
      if (pairs) {
        *reinterpret_cast<Pair*>(to + at) = both;
      } else {
        to[at] = reinterpret_cast<const Out*>(&both)[0];
        if (at + 1 < C.N) to[at + 1] = reinterpret_cast<const Out*>(&both)[1];
      }
    }
  }
}

/// Four neighbours of C from (row, col) on, as far as they lie inside.
template <typename Out, typename Sum>
__device__ inline void store_neighbours(const Sum (&sums)[4], const Result& C, int row, int col) {
  if (row >= C.M) return;
  using Pair = Bits<sizeof(Out)>;
  struct alignas(2 * sizeof(Pair)) Four {
    Pair pairs[2];
  };
  const Four all = {{packed(sums[0], sums[1], Out()), packed(sums[2], sums[3], Out())}};
  Out* const to = static_cast<Out*>(C.at) + static_cast<std::int64_t>(row) * C.N + col;
  if (col + 4 <= C.N && reinterpret_cast<std::uintptr_t>(to) % sizeof(Four) == 0) {
    *reinterpret_cast<Four*>(to) = all;
  } else {
    const Out* const from = reinterpret_cast<const Out*>(&all);
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      if (col + i < C.N) to[i] = from[i];
    }
  }
}

__device__ inline void warpgroup_sync(int barrier) {
  asm volatile("bar.sync %0, 128;" ::"r"(barrier) : "memory");
}
__device__ inline void write_shared(std::uint32_t to, std::uint16_t bits) {
  asm volatile("st.shared.b16 [%0], %1;" ::"r"(to), "h"(bits) : "memory");
}
__device__ inline void write_shared(std::uint32_t to, std::uint32_t bits) {
  asm volatile("st.shared.b32 [%0], %1;" ::"r"(to), "r"(bits) : "memory");
}
__device__ inline void write_shared(std::uint32_t to, uint2 bits) {
  asm volatile("st.shared.v2.b32 [%0], {%1, %2};" ::"r"(to), "r"(bits.x), "r"(bits.y) : "memory");
}

__device__ inline std::uint32_t read_shared(std::uint32_t from) {
  std::uint32_t bits;
  asm volatile("ld.shared.b32 %0, [%1];" : "=r"(bits) : "r"(from) : "memory");
  return bits;
}

/// Where byte `byte` of a slot's row lies, in the swizzle of TMA. Slots begin where one does, so that places in a row differ in
/// bits that can be exchanged by themselves.
__device__ inline std::uint32_t place_in_slot(std::uint32_t slot, int row, int byte) {
  return (slot + row * kRowBytes + row % 8 * 16) ^ static_cast<std::uint32_t>(byte);
}

/// The slots of one warpgroup, through which its part of C goes to memory: of two, one is filled while the other is stored.
template <int kSlots>
class StoreThroughShared {
 public:
  __device__ StoreThroughShared(const CUtensorMap& C, std::uint32_t slots, int barrier)
      : C_(C), slots_(slots), barrier_(barrier), thread_(threadIdx.x % kWarpgroup) {}

  /// Is a tile's row whole slots? A slot that reached beyond it would overwrite the next tile's.
  template <typename Out, int kCols>
  static constexpr bool kTakes = kCols * sizeof(Out) % kRowBytes == 0;

  template <typename Out, typename Sum, int kCount>
  __device__ void store(const Sum (&D)[kCount], const Result& C, int row, int col) {
    constexpr int kCols = kRowBytes / static_cast<int>(sizeof(Out));  // of a slot
    constexpr int kOfSlot = kCols / 2;                                // sums of a thread
    static_assert(kTakes<Out, 2 * kCount>);
#pragma unroll
    for (int block = 0; block < kCount / kOfSlot; ++block) {
      const std::uint32_t slot = slots_ + next_ * kSlotBytes;
      next_ = (next_ + 1) % kSlots;
      if (thread_ == 0) parts::bulk_wait_for_reads<kSlots - 1>();
      warpgroup_sync(barrier_);
      const std::uint32_t own = place_in_slot(slot, thread_ / 32 * 16 + thread_ % 32 / 4,
                                              thread_ % 4 * 2 * static_cast<int>(sizeof(Out)));
#pragma unroll
      for (int i = 0; i < kCols / 8; ++i) {
        const std::uint32_t place = own ^ (8 * i * static_cast<std::uint32_t>(sizeof(Out)));
#pragma unroll
        for (int half = 0; half < 2; ++half) {
          const Sum* const pair = &D[block * kOfSlot + 4 * i + 2 * half];
          write_shared(place + half * 8 * kRowBytes, packed(pair[0], pair[1], Out()));
        }
      }
      if (C.how == Storing::kByTma) {
        parts::shared_writes_before_tma();
        warpgroup_sync(barrier_);
        if (thread_ == 0) parts::tma_store(&C_, slot, col + block * kCols, row);
      } else {
        warpgroup_sync(barrier_);
        store_rows<Out>(slot, C, row, col + block * kCols);
      }
    }
  }

  /// What is under way has left shared memory, before the block ends.
  __device__ void finish() const {
    if (thread_ == 0) parts::bulk_wait_for_reads<0>();
  }

 private:
  /// A slot's rows, wherever they start: a warp one after the other, a lane four bytes that lie in one word of memory. What is left
  /// at both ends of all its rows comes last, element by element.
  template <typename Out>
  __device__ void store_rows(std::uint32_t slot, const Result& C, int row, int col) const {
    constexpr int kElement = static_cast<int>(sizeof(Out));
    using Element = std::conditional_t<kElement == 1, std::uint8_t,
                                       std::conditional_t<kElement == 2, std::uint16_t, std::uint32_t>>;
    constexpr int kRows = kPieceRowsOfD / (kWarpgroup / 32);
    const int lane = thread_ % 32;
    const int first = thread_ / 32 * kRows;
    const int length = min(kRowBytes, (C.N - col) * kElement);
    const int rows = min(kRows, C.M - row - first);
    const auto place = [&](int r) {
      return reinterpret_cast<unsigned char*>(static_cast<Out*>(C.at) +
                                              static_cast<std::int64_t>(row + first + r) * C.N + col);
    };
    // bytes of a word of memory that lie before the row
    const auto before = [](const unsigned char* to) {
      return static_cast<int>(reinterpret_cast<std::uintptr_t>(to) % 4);
    };
    std::uint32_t words[kRows];
#pragma unroll
    for (int r = 0; r < kRows; ++r) words[r] = read_shared(place_in_slot(slot, first + r, lane * 4));
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
      unsigned char* const to = place(r);
      const int shift = before(to);
      const std::uint32_t left = __shfl_up_sync(~0u, words[r], 1);
      const int at = lane * 4 - shift;
      if (r < rows && at >= 0 && at + 4 <= length)
        *reinterpret_cast<std::uint32_t*>(to + at) = __funnelshift_l(left, words[r], shift * 8);
    }
    if (kElement == 4) return;
    const int own = lane % kRows;
    if (own >= rows) return;
    unsigned char* const to = place(own);
    const int shift = before(to);
    const int head = min(length, (4 - shift) % 4);
    const int tail = max(head, (length + shift) / 4 * 4 - shift);
#pragma unroll
    for (int n = 0; n < 4 / kElement - 1; ++n) {
      const int at = (lane < kRows ? 0 : tail) + n * kElement;
      if (at < (lane < kRows ? head : length))
        *reinterpret_cast<Element*>(to + at) =
            static_cast<Element>(read_shared(place_in_slot(slot, first + own, at / 4 * 4)) >> at % 4 * 8);
    }
  }

  const CUtensorMap& C_;
  const std::uint32_t slots_;
  const int barrier_;
  const int thread_;
  int next_ = 0;
};

}  // namespace gemmlab::gpu::tensor_core
