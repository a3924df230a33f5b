// float32 rounded to 16 bits on the device.

#include "gpu/gemm/narrow_operands.h"

#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "tests/gpu/on_gpu.h"

namespace gemmlab {
namespace {

using gpu::Narrow;

/// Bits of a 16-bit float, two to a float of the download.
std::vector<std::uint16_t> narrowed(Backend& backend, Narrow type, const std::vector<float>& values,
                                    std::int64_t rows, std::int64_t length, std::int64_t offset) {
  const std::int64_t count = rows * gpu::narrow_row(length);
  Guarded from(backend, rows * length, offset);
  Guarded to(backend, count / 2);
  from.write(values);
  to.poison();
  gpu::launch_narrow(type, to.data(), from.data(), rows, length);
  backend.synchronize();
  EXPECT_EQ(to.changed_outside(), 0);
  EXPECT_EQ(different(from.read(), values), 0);
  const std::vector<float> words = to.read();
  std::vector<std::uint16_t> bits(count);
  std::memcpy(bits.data(), words.data(), bits.size() * sizeof(bits[0]));
  return bits;
}

struct Rounding {
  float value;
  std::uint16_t fp16;
  std::uint16_t bf16;
};

class GpuNarrow : public OnGpu {};

TEST_F(GpuNarrow, rounds_to_nearest_with_ties_to_even_and_beyond_the_range_to_infinity) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const std::vector<Rounding> expected = {
      {0.0f, 0x0000, 0x0000},       {-0.0f, 0x8000, 0x8000},      {1.0f, 0x3c00, 0x3f80},
      {-15.0f, 0xcb80, 0xc170},     {0x1.002p0f, 0x3c00, 0x3f80},  // halfway between two of FP16
      {0x1.006p0f, 0x3c02, 0x3f80}, {0x1.01p0f, 0x3c04, 0x3f80},   // halfway between two of BF16
      {0x1.03p0f, 0x3c0c, 0x3f82},  {65504.0f, 0x7bff, 0x4780},   {65520.0f, 0x7c00, 0x4780},
      {-1e10f, 0xfc00, 0xd015},     {0x1p-24f, 0x0001, 0x3380},   {0x1p-26f, 0x0000, 0x3280},
      {kInfinity, 0x7c00, 0x7f80},  {-kInfinity, 0xfc00, 0xff80},
  };
  std::vector<float> values;
  for (const Rounding& one : expected) values.push_back(one.value);
  const auto count = static_cast<std::int64_t>(values.size());
  for (const Narrow type : {Narrow::kFp16, Narrow::kBf16}) {
    const auto bits = narrowed(*backend_, type, values, 1, count, 0);
    for (std::size_t i = 0; i < values.size(); ++i) {
      EXPECT_EQ(bits[i], type == Narrow::kFp16 ? expected[i].fp16 : expected[i].bf16) << values[i];
    }
  }
}

TEST_F(GpuNarrow, lays_rows_of_every_length_at_multiples_of_16_bytes_with_zeros_between) {
  for (const std::int64_t rows : {1, 3, 70}) {
    for (const std::int64_t length : {1, 4, 7, 8, 9, 12, 133, 1024}) {
      const std::int64_t row = gpu::narrow_row(length);
      ASSERT_EQ(row % 8, 0);
      ASSERT_GE(row, length);
      ASSERT_LT(row, length + 8);
      std::vector<float> values(rows * length);
      for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i % 127 + 1);
      for (const std::int64_t offset : {0, 1}) {
        SCOPED_TRACE(std::to_string(rows) + " rows of " + std::to_string(length) + ", offset " +
                     std::to_string(offset));
        const auto bits = narrowed(*backend_, Narrow::kBf16, values, rows, length, offset);
        std::int64_t wrong = 0;
        for (std::int64_t i = 0; i < rows * row; ++i) {
          // BF16 of a whole number below 128 is the upper half of its float32
          std::uint32_t whole = 0;
          if (i % row < length) std::memcpy(&whole, &values[i / row * length + i % row], sizeof(whole));
          wrong += bits[i] != whole >> 16;
        }
        EXPECT_EQ(wrong, 0);
      }
    }
  }
}

}  // namespace
}  // namespace gemmlab
