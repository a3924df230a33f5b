#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <stdexcept>

#include "core/rounding.h"
#include "gpu/device/launch.h"
#include "gpu/gemm/narrow_operands.h"
#include "gpu/gemm/session.h"

namespace gemmlab::gpu {
namespace {

constexpr int kThreads = 256;
constexpr int kEight = 8;  // elements of a 16-byte store

__device__ unsigned short bits_of(float value, __half) {
  return __half_as_ushort(__float2half_rn(value));
}
__device__ unsigned short bits_of(float value, __nv_bfloat16) {
  return __bfloat16_as_ushort(__float2bfloat16_rn(value));
}

/// A thread rounds eight neighbours of a row: 32 bytes read, 16 written. kAligned: every row of `from` starts
/// at a multiple of 16 bytes, and is read so. What lies behind a row's end becomes zero.
template <typename Element, bool kAligned>
__global__ void __launch_bounds__(kThreads)
    narrow_kernel(uint4* to, const float* from, unsigned long long eights, unsigned eights_a_row,
                  int length) {
  const unsigned long long eight = static_cast<unsigned long long>(blockIdx.x) * kThreads + threadIdx.x;
  if (eight >= eights) return;
  const unsigned long long row = eight / eights_a_row;
  const int col = static_cast<int>(eight - row * eights_a_row) * kEight;
  from += row * length + col;

  float values[kEight];
  if (kAligned && col + kEight <= length) {
    const float4 low = *reinterpret_cast<const float4*>(from);
    const float4 high = *reinterpret_cast<const float4*>(from + 4);
    values[0] = low.x, values[1] = low.y, values[2] = low.z, values[3] = low.w;
    values[4] = high.x, values[5] = high.y, values[6] = high.z, values[7] = high.w;
  } else {
#pragma unroll
    for (int i = 0; i < kEight; ++i) values[i] = col + i < length ? from[i] : 0;
  }
  unsigned pairs[kEight / 2];
#pragma unroll
  for (int i = 0; i < kEight / 2; ++i) {
    const unsigned low = bits_of(values[2 * i], Element());
    const unsigned high = bits_of(values[2 * i + 1], Element());
    pairs[i] = low | high << 16;
  }
  to[eight] = make_uint4(pairs[0], pairs[1], pairs[2], pairs[3]);
}

template <typename Element>
void launch_narrow_to(void* to, const float* from, std::int64_t rows, std::int64_t length) {
  const std::int64_t eights_a_row = narrow_row(length) / kEight;
  const std::int64_t eights = rows * eights_a_row;
  const bool aligned = length % 4 == 0 && at_16_bytes(from);
  launch(aligned ? narrow_kernel<Element, true> : narrow_kernel<Element, false>, ceil_div(eights, kThreads),
         dim3(kThreads), 0, static_cast<uint4*>(to), from, static_cast<unsigned long long>(eights),
         static_cast<unsigned>(eights_a_row), static_cast<int>(length));
}

/// Matrices start at multiples of 256 bytes, as cudaMalloc's.
std::int64_t bytes_of(std::int64_t rows, std::int64_t length) {
  constexpr std::int64_t kStart = 256;
  const std::int64_t bytes = rows * narrow_row(length) * static_cast<std::int64_t>(sizeof(std::uint16_t));
  return rounded_up(bytes, kStart);
}

}  // namespace

void launch_narrow(Narrow type, void* to, const float* from, std::int64_t rows, std::int64_t length) {
  if (type == Narrow::kFp16) return launch_narrow_to<__half>(to, from, rows, length);
  launch_narrow_to<__nv_bfloat16>(to, from, rows, length);
}

NarrowOperands::NarrowOperands(const Shape& shape, Narrow type, bool resident)
    : shape_(shape),
      type_(type),
      resident_(resident),
      a_bytes_(bytes_of(shape.m, shape.k)),
      pair_bytes_(a_bytes_ + bytes_of(shape.k, shape.n)) {
  take(resident ? 0 : 1);
}

/// Memory of the same size is kept: who has captured its addresses goes on.
void NarrowOperands::take(std::int64_t pairs) {
  const auto bytes = static_cast<std::size_t>(pairs * pair_bytes_);
  if (memory_ && memory_->bytes() == bytes) return;
  memory_.reset();  // before the new memory is taken: both may not fit at once
  memory_ = std::make_unique<DeviceMemory>(bytes);
}

NarrowOperands::Pair NarrowOperands::convert(std::int64_t place, const float* a, const float* b) {
  char* to_a = static_cast<char*>(memory_->data()) + place * pair_bytes_;
  char* to_b = to_a + a_bytes_;
  launch_narrow(type_, to_a, a, shape_.m, shape_.k);
  launch_narrow(type_, to_b, b, shape_.k, shape_.n);
  return {to_a, to_b};
}

void NarrowOperands::stage(const std::vector<OperandPair>& pairs) {
  if (!resident_) return;
  staged_.clear();
  take(static_cast<std::int64_t>(pairs.size()));
  std::int64_t place = 0;
  for (const OperandPair& pair : pairs) staged_[{pair.a, pair.b}] = convert(place++, pair.a, pair.b);
}

NarrowOperands::Pair NarrowOperands::of(const float* a, const float* b) {
  if (!resident_) return convert(0, a, b);
  const auto found = staged_.find({a, b});
  if (found != staged_.end()) return found->second;
  throw std::logic_error(
      "operands = resident, and these were not staged: what multiplies from FP32 takes "
      "operands = converted");
}

}  // namespace gemmlab::gpu
