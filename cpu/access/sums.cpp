#include "cpu/access/sums.h"

#include <cstring>
#include <stdexcept>
#include <string>

namespace gemmlab::cpu::accessing {
namespace {

constexpr std::int64_t kElement = sizeof(std::int32_t);

/// What was loaded, kept as it is: the compiler may neither widen the load nor make one of several.
template <typename Word>
inline std::uint64_t loaded(const char* from) {
  Word word;
  std::memcpy(&word, from, sizeof(word));
  std::uint64_t value = word;
  asm volatile("" : "+r"(value));
  return value;
}

/// Nothing that was read before this is known any more: each pass loads again.
inline void forget_memory() {
  asm volatile("" ::: "memory");
}

/// Loads of up to 8 bytes. Of an element, or of each of two, the lowest bytes hold all of it.
template <typename Word>
std::int64_t sum_of_words(const std::int32_t* first, std::int64_t count, std::int64_t stride,
                          std::int64_t passes) {
  constexpr std::int64_t kWord = sizeof(Word);
  const bool neighbours = stride == 1;
  const std::int64_t words = neighbours ? count * kElement / kWord : count;
  const std::int64_t step = neighbours ? kWord : stride * kElement;
  std::uint64_t sums[4] = {};
  for (std::int64_t pass = 0; pass < passes; ++pass) {
    const char* from = reinterpret_cast<const char*>(first);
    std::int64_t word = 0;
    for (; word + 4 <= words; word += 4, from += 4 * step) {
      for (int i = 0; i < 4; ++i) sums[i] += loaded<Word>(from + i * step);
    }
    for (; word < words; ++word, from += step) sums[0] += loaded<Word>(from);
    if (neighbours && words * kWord < count * kElement) sums[0] += loaded<std::uint32_t>(from);
    forget_memory();
  }
  std::int64_t all = 0;
  for (const std::uint64_t sum : sums) {
    all +=
        static_cast<std::int64_t>(kWord <= kElement ? sum : (sum & 0xFFFFFFFFu) + (sum >> 32));  // two lanes
  }
  return all;
}

typedef std::uint32_t Vector16 __attribute__((vector_size(16)));
typedef std::uint32_t Vector32 __attribute__((vector_size(32)));
typedef std::uint32_t Vector64 __attribute__((vector_size(64)));

/// Loads of a vector, 8 sums in flight. Inlined into a function that has the instructions for it.
template <typename Vector>
[[gnu::always_inline]] inline std::int64_t sum_of_vectors(const std::int32_t* first, std::int64_t count,
                                                          std::int64_t passes) {
  constexpr std::int64_t kLanes = sizeof(Vector) / kElement;
  constexpr int kSums = 8;
  const auto add = [first](Vector & to, std::int64_t at) __attribute__((always_inline)) {
    Vector values;
    std::memcpy(&values, first + at, sizeof(values));  // at any address
    to += values;
  };
  std::int64_t sum = 0;
  for (std::int64_t pass = 0; pass < passes; ++pass) {
    Vector sums[kSums] = {};
    std::int64_t i = 0;
    for (; i + kSums * kLanes <= count; i += kSums * kLanes) {
      for (int j = 0; j < kSums; ++j) add(sums[j], i + j * kLanes);
    }
    for (; i + kLanes <= count; i += kLanes) add(sums[0], i);
    for (; i < count; ++i) sum += first[i];
    for (int j = 1; j < kSums; ++j) sums[0] += sums[j];
    for (int lane = 0; lane < kLanes; ++lane) sum += sums[0][lane];
    forget_memory();
  }
  return sum;
}

std::int64_t sum_of_16(const std::int32_t* first, std::int64_t count, std::int64_t, std::int64_t passes) {
  return sum_of_vectors<Vector16>(first, count, passes);
}
#ifdef __x86_64__
[[gnu::target("avx2")]] std::int64_t sum_of_32(const std::int32_t* first, std::int64_t count, std::int64_t,
                                               std::int64_t passes) {
  return sum_of_vectors<Vector32>(first, count, passes);
}
[[gnu::target("avx512f")]] std::int64_t sum_of_64(const std::int32_t* first, std::int64_t count, std::int64_t,
                                                  std::int64_t passes) {
  return sum_of_vectors<Vector64>(first, count, passes);
}
#endif

}  // namespace

Sum sum_of_width(std::int64_t width) {
  switch (width) {
    case 1:
      return sum_of_words<std::uint8_t>;
    case 2:
      return sum_of_words<std::uint16_t>;
    case 4:
      return sum_of_words<std::uint32_t>;
    case 8:
      return sum_of_words<std::uint64_t>;
    case 16:
      return sum_of_16;
#ifdef __x86_64__
    case 32:
      return sum_of_32;
    case 64:
      return sum_of_64;
#endif
    default:
      throw std::invalid_argument("no loads of " + std::to_string(width) + " bytes");
  }
}

}  // namespace gemmlab::cpu::accessing
