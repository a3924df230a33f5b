// What the lanes of a warp read from a small table at once: other banks, one bank, one word.

#include "operations/lanes/lanes.h"

namespace gemmlab {
namespace {

using reading::kLanes;
using reading::kSums;
using reading::kTable;
using reading::kTurn;
using reading::kWords;

class Sums : public OperationReference {
 public:
  Sums(const Instance& instance, std::uint64_t seed)
      : warps_(instance.dims.at(0)),
        loads_(instance.dims.at(1)),
        degree_(static_cast<int>(integer_option(instance, "degree"))),
        conflict_(text_option(instance, "pattern") == "conflict"),
        seed_(seed) {}

  std::vector<Check> check(const Operands& operands, std::int64_t set) const override {
    std::vector<std::int64_t> expected(static_cast<std::size_t>(warps_), sum_of_a_warp(set));
    return {check_exact(operands.in<std::int64_t>(kSums), expected.data(), warps_)};
  }

 private:
  std::int64_t sum_of_a_warp(std::int64_t set) const {
    constexpr int kPeriod = kTurn * kTurn;
    std::int64_t sum = 0;
    for (int load = 0; load < kPeriod; ++load) {
      const std::int64_t times = loads_ / kPeriod + (load < loads_ % kPeriod ? 1 : 0);
      for (int lane = 0; lane < kLanes; ++lane) {
        const int word = reading::first_word(lane, degree_, conflict_) + reading::row_of(load) * kLanes;
        sum += times * small_integer(seed_, set, word);
      }
    }
    return sum;
  }

  std::int64_t warps_;
  std::int64_t loads_;
  int degree_;
  bool conflict_;
  std::uint64_t seed_;
};

std::vector<OptionValue> degrees() {
  std::vector<OptionValue> all;
  for (std::int64_t degree = 1; degree <= kLanes; ++degree) all.emplace_back(degree);
  return all;
}

class Lanes : public DescribedOperation {
 public:
  Lanes()
      : DescribedOperation(
            "lanes",
            {{"warps", "warps of 32 lanes that read", 1, 1 << 24}, {"loads", "loads per lane", 1, 1 << 24}},
            {{"pattern",
              "conflict: `degree` lanes have a bank together; distinct: a warp reads `degree` words",
              {std::string("conflict"), std::string("distinct")},
              std::string("conflict")},
             {"degree", "of the conflict, or of distinct words: 1 of them is a broadcast", degrees(),
              std::int64_t{1}}},
            {{"table", Direction::kIn, ElementType::kInt32},
             {"sums", Direction::kOut, ElementType::kInt64}}) {}

  std::vector<std::int64_t> dims_of_size(std::int64_t size) const override { return {size, size}; }
  std::int64_t count(const Instance& instance, std::size_t operand) const override {
    return operand == kTable ? kWords : instance.dims.at(0);
  }
  double operation_count(const Instance& instance) const override {
    return static_cast<double>(instance.dims.at(0)) * static_cast<double>(instance.dims.at(1));
  }
  double least_bytes(const Instance& instance) const override {
    return kWords * 4.0 + static_cast<double>(instance.dims.at(0)) * 8;
  }
  std::vector<Rate> rates(const Instance& instance) const override {
    const double giga_loads = operation_count(instance) * 1e-9;
    return {{"gbyte_per_s", "GB/s", giga_loads * kLanes * 4, false},
            {"gload_per_s", "1e9 loads of a warp/s", giga_loads, false}};
  }
  void fill(const Instance&, std::size_t operand, const InputValues& values, std::int64_t set,
            void* host_to) const override {
    if (operand != kTable) return;
    auto* to = static_cast<std::int32_t*>(host_to);
    for (std::int64_t i = 0; i < kWords; ++i) to[i] = small_integer(values.seed, set, i);
  }
  std::unique_ptr<OperationReference> reference(const Instance& instance, const InputValues& values,
                                                const DoubleProduct&) const override {
    return std::make_unique<Sums>(instance, values.seed);
  }
  std::vector<std::vector<std::int64_t>> odd_dimensions() const override {
    return {{1, 1}, {1, 7}, {3, 9}, {31, 63}, {33, 65}, {1, 1000}, {257, 129}};
  }
};

}  // namespace

const Operation& lanes() {
  static const Lanes operation;
  return operation;
}

}  // namespace gemmlab
