#include <cuda_runtime.h>

#include <algorithm>

#include "core/rounding.h"
#include "gpu/device/launch.h"
#include "gpu/gemm/tensor/instructions/launch_after.h"
#include "gpu/gemm/wgmma/copies.h"

namespace gemmlab::gpu::tensor_core {
namespace {

constexpr int kThreads = 256;
constexpr int kVector = 16;  // bytes
constexpr int kVectorsPerThread = 4;

/// The 16 bytes from byte `shift` of `low` on, which go on in `high`.
__device__ uint4 shifted(uint4 low, uint4 high, unsigned shift) {
  unsigned words[8] = {low.x, low.y, low.z, low.w, high.x, high.y, high.z, high.w};
#pragma unroll
  for (int i = 0; i < 6; ++i) words[i] = shift & 8 ? words[i + 2] : words[i];
#pragma unroll
  for (int i = 0; i < 5; ++i) words[i] = shift & 4 ? words[i + 1] : words[i];
  const unsigned bits = shift % 4 * 8;
  return make_uint4(__funnelshift_r(words[0], words[1], bits), __funnelshift_r(words[1], words[2], bits),
                    __funnelshift_r(words[2], words[3], bits), __funnelshift_r(words[3], words[4], bits));
}

/// `word` without its bytes from the `count`th on.
__device__ unsigned first_bytes(unsigned word, std::int64_t count) {
  return count >= 4 ? word : count <= 0 ? 0 : word & ((1u << count * 8) - 1);
}

/// 16 bytes of a row that starts anywhere, by loads of whole vectors; zeros beyond `left` bytes.
__device__ uint4 vector_at(const unsigned char* at, std::int64_t left, const unsigned char* first,
                           const unsigned char* end) {
  const unsigned shift = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(at) % kVector);
  const unsigned char* const whole = at - shift;
  uint4 found;
  if (whole >= first && whole + 2 * kVector <= end) {
    found = shifted(*reinterpret_cast<const uint4*>(whole), *reinterpret_cast<const uint4*>(whole + kVector),
                    shift);
  } else {
    unsigned words[4] = {};
    for (int i = 0; i < kVector; ++i) {
      if (i < left) words[i / 4] |= static_cast<unsigned>(at[i]) << i % 4 * 8;
    }
    found = make_uint4(words[0], words[1], words[2], words[3]);
  }
  return make_uint4(first_bytes(found.x, left), first_bytes(found.y, left - 4),
                    first_bytes(found.z, left - 8), first_bytes(found.w, left - 12));
}

constexpr int kVectorsOfBlock = kThreads * kVectorsPerThread;

std::int64_t vectors_of(const CopiedRows& copied) {
  return copied.rows * copied.to_row / kVector;
}

/// A block copies neighbouring vectors of one operand, wherever rows end, so that every thread has as many. Blocks from
/// `of_first` on are the second operand's.
__global__ void __launch_bounds__(kThreads)
    copy_rows(CopiedRows first, CopiedRows second, unsigned of_first) {
  parts::start_next();
  parts::wait_for_previous();
  const CopiedRows& copied = blockIdx.x < of_first ? first : second;
  const std::int64_t begin =
      static_cast<std::int64_t>(blockIdx.x < of_first ? blockIdx.x : blockIdx.x - of_first) * kVectorsOfBlock;
  const auto row_vectors = static_cast<unsigned>(copied.to_row / kVector);
  const std::int64_t first_row = begin / row_vectors;
  const auto first_col = static_cast<unsigned>(begin - first_row * row_vectors) + threadIdx.x;
  const auto* const all = static_cast<const unsigned char*>(copied.from);
  auto* const to = reinterpret_cast<uint4*>(copied.to) + begin + threadIdx.x;
  const auto is_inside = [&](int n) {
    return first_row + (first_col + n * kThreads) / row_vectors < copied.rows;
  };
  uint4 found[kVectorsPerThread];
#pragma unroll
  for (int n = 0; n < kVectorsPerThread; ++n) {
    const unsigned at = first_col + n * kThreads;
    const std::int64_t row = first_row + at / row_vectors;
    const std::int64_t byte = static_cast<std::int64_t>(at % row_vectors) * kVector;
    found[n] = make_uint4(0, 0, 0, 0);
    if (row < copied.rows && byte < copied.length)
      found[n] = vector_at(all + row * copied.length + byte, copied.length - byte, all,
                           all + copied.rows * copied.length);
  }
#pragma unroll
  for (int n = 0; n < kVectorsPerThread; ++n) {
    if (is_inside(n)) to[n * kThreads] = found[n];
  }
}

constexpr int kTile = 128;  // bytes of a side
constexpr int kWords = kTile / 4;

/// A 128×128 tile by way of shared memory. Word w of row r lies in column (w + r / 4) % 32, so that neither the rows that are
/// written nor the columns that are read share banks.
__global__ void __launch_bounds__(kThreads)
    transpose_bytes(unsigned char* to, const unsigned char* from, std::int64_t rows, std::int64_t cols,
                    std::int64_t to_row) {
  __shared__ unsigned tile[kTile][kWords];
  const std::int64_t across = (cols + kTile - 1) / kTile;
  const std::int64_t row0 = blockIdx.x / across * kTile;
  const std::int64_t col0 = blockIdx.x % across * kTile;
  const int lane = threadIdx.x % 32;
  const int warp = threadIdx.x / 32;
  const bool whole = cols % 4 == 0 && reinterpret_cast<std::uintptr_t>(from) % 4 == 0;
  for (int r = warp; r < kTile; r += kThreads / 32) {
    const std::int64_t row = row0 + r;
    const std::int64_t col = col0 + lane * 4;
    unsigned word = 0;
    if (row < rows && col < cols) {
      const unsigned char* const at = from + row * cols + col;
      if (whole) {
        word = *reinterpret_cast<const unsigned*>(at);
      } else {
        for (int i = 0; i < 4; ++i) word |= col + i < cols ? static_cast<unsigned>(at[i]) << i * 8 : 0;
      }
    }
    tile[r][(lane + r / 4) % kWords] = word;
  }
  __syncthreads();
  if (row0 + lane * 4 >= to_row) return;
  for (int w = warp; w < kWords; w += kThreads / 32) {
    unsigned in[4];
    for (int i = 0; i < 4; ++i) in[i] = tile[lane * 4 + i][(w + lane) % kWords];
    const unsigned low01 = __byte_perm(in[0], in[1], 0x5140);
    const unsigned low23 = __byte_perm(in[2], in[3], 0x5140);
    const unsigned high01 = __byte_perm(in[0], in[1], 0x7362);
    const unsigned high23 = __byte_perm(in[2], in[3], 0x7362);
    const unsigned out[4] = {__byte_perm(low01, low23, 0x5410), __byte_perm(low01, low23, 0x7632),
                             __byte_perm(high01, high23, 0x5410), __byte_perm(high01, high23, 0x7632)};
    for (int i = 0; i < 4; ++i) {
      const std::int64_t col = col0 + w * 4 + i;
      if (col < cols) *reinterpret_cast<unsigned*>(to + col * to_row + row0 + lane * 4) = out[i];
    }
  }
}

}  // namespace

void prepare_copy_rows() {
  // as the kernel behind it has it: multiprocessors wait until they are empty before they divide their memory anew
  GEMMLAB_CUDA_CHECK(cudaFuncSetAttribute(copy_rows, cudaFuncAttributePreferredSharedMemoryCarveout,
                                          cudaSharedmemCarveoutMaxShared));
}

void launch_copy_rows(const CopiedRows& first, const CopiedRows& second) {
  const std::int64_t of_first = ceil_div(vectors_of(first), std::int64_t{kVectorsOfBlock});
  const std::int64_t of_second = ceil_div(vectors_of(second), std::int64_t{kVectorsOfBlock});
  if (of_first + of_second == 0) return;
  parts::launch_after(true, copy_rows, dim3(static_cast<unsigned>(of_first + of_second)), kThreads, first,
                      second, static_cast<unsigned>(of_first));
}

void launch_transpose_bytes(void* to, const void* from, std::int64_t rows, std::int64_t cols) {
  const std::int64_t blocks = ceil_div(rows, std::int64_t{kTile}) * ceil_div(cols, std::int64_t{kTile});
  launch(transpose_bytes, blocks, dim3(kThreads), 0, static_cast<unsigned char*>(to),
         static_cast<const unsigned char*>(from), rows, cols, copied_row_bytes(rows));
}

}  // namespace gemmlab::gpu::tensor_core
