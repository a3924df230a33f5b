// Bandwidth by the pattern of access: the sum of whole numbers that are read at an offset and with a stride,
// once or again and again.

#include <algorithm>

#include "operations/access/access.h"

namespace gemmlab {
namespace accessing {

Pattern pattern_of(const Instance& instance) {
  constexpr std::int64_t kReadInAll = 1 << 28;  // elements: 1 GiB
  constexpr std::int64_t kMostPasses = 1 << 16;
  const std::int64_t n = instance.dims.at(0);
  const bool many = text_option(instance, "passes") == "many";
  return {n, integer_option(instance, "offset"), integer_option(instance, "stride"),
          many ? std::clamp<std::int64_t>(kReadInAll / n, 1, kMostPasses) : 1};
}

std::string why_not_width(const Pattern& pattern, std::int64_t width, bool aligned) {
  constexpr std::int64_t kElement = sizeof(std::int32_t);
  if (width <= kElement) return {};
  const std::string load = "loads of " + std::to_string(width) + " bytes ";
  if (pattern.stride != 1) return load + "read neighbours; the stride is " + std::to_string(pattern.stride);
  if (!aligned || pattern.offset * kElement % width == 0) return {};
  return load + "must lie at multiples of their width; the offset is " + std::to_string(pattern.offset) +
         " elements";
}

}  // namespace accessing

namespace {

using accessing::kTotal;
using accessing::kValues;
using accessing::Pattern;
using accessing::pattern_of;

std::int64_t elements(const Pattern& pattern) {
  return pattern.offset + (pattern.n - 1) * pattern.stride + 1;
}

class Total : public OperationReference {
 public:
  Total(const Pattern& pattern, std::uint64_t seed) : pattern_(pattern), seed_(seed) {}

  std::vector<Check> check(const Operands& operands, std::int64_t set) const override {
    std::int64_t total = 0;
#pragma omp parallel for reduction(+ : total)
    for (std::int64_t i = 0; i < pattern_.n; ++i) {
      total += small_integer(seed_, set, pattern_.offset + i * pattern_.stride);
    }
    total *= pattern_.passes;
    return {check_exact(operands.in<std::int64_t>(kTotal), &total, 1)};
  }

 private:
  Pattern pattern_;
  std::uint64_t seed_;
};

std::vector<OptionValue> whole_numbers(std::int64_t first, std::int64_t last) {
  std::vector<OptionValue> all;
  for (std::int64_t i = first; i <= last; ++i) all.emplace_back(i);
  return all;
}

class Access : public DescribedOperation {
 public:
  Access()
      : DescribedOperation(
            "access", {{"n", "elements of 4 bytes read per pass", 1, std::int64_t{1} << 31}},
            {{"offset", "elements before the first that is read", whole_numbers(0, 31), std::int64_t{0}},
             {"stride", "elements from one that is read to the next", whole_numbers(1, 32), std::int64_t{1}},
             {"passes",
              "one: each element once; many: again and again, until 1 GiB is read",
              {std::string("one"), std::string("many")},
              std::string("one")}},
            {{"x", Direction::kIn, ElementType::kInt32}, {"total", Direction::kOut, ElementType::kInt64}}) {}

  std::vector<std::int64_t> dims_of_size(std::int64_t size) const override { return {size}; }
  std::int64_t count(const Instance& instance, std::size_t operand) const override {
    return operand == kValues ? elements(pattern_of(instance)) : 1;
  }
  double operation_count(const Instance& instance) const override {
    const Pattern pattern = pattern_of(instance);
    return static_cast<double>(pattern.n) * static_cast<double>(pattern.passes);
  }
  double least_bytes(const Instance& instance) const override {
    return static_cast<double>(pattern_of(instance).n) * sizeof(std::int32_t);
  }
  std::vector<Rate> rates(const Instance& instance) const override {
    return {{"gbyte_per_s", "GB/s", operation_count(instance) * sizeof(std::int32_t) * 1e-9, false}};
  }
  void fill(const Instance& instance, std::size_t operand, const InputValues& values, std::int64_t set,
            void* host_to) const override {
    if (operand != kValues) return;
    auto* to = static_cast<std::int32_t*>(host_to);
    const std::int64_t all = elements(pattern_of(instance));
#pragma omp parallel for
    for (std::int64_t i = 0; i < all; ++i) to[i] = small_integer(values.seed, set, i);
  }
  std::unique_ptr<OperationReference> reference(const Instance& instance, const InputValues& values,
                                                const DoubleProduct&) const override {
    return std::make_unique<Total>(pattern_of(instance), values.seed);
  }
  std::vector<std::vector<std::int64_t>> odd_dimensions() const override {
    return {{1}, {3}, {31}, {33}, {255}, {1025}, {4099}, {10007}};
  }
};

}  // namespace

const Operation& access() {
  static const Access operation;
  return operation;
}

}  // namespace gemmlab
