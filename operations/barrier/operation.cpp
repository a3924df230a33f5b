// What it costs threads to wait for each other. After every stretch of barriers each thread takes the number
// of its right neighbour, so that the result tells whether they have waited.

#include "operations/barrier/barrier.h"

namespace gemmlab {
namespace {

using waiting::kGiven;
using waiting::kReceived;

class Passed : public OperationReference {
 public:
  Passed(std::int64_t threads, std::int64_t stretches, std::uint64_t seed)
      : threads_(threads), stretches_(stretches), seed_(seed) {}

  std::vector<Check> check(const Operands& operands, std::int64_t set) const override {
    std::vector<std::int32_t> expected;
    for (std::int64_t thread = 0; thread < threads_; ++thread) {
      expected.push_back(small_integer(seed_, set, (thread + stretches_) % threads_));
    }
    return {check_exact(operands.in<std::int32_t>(kReceived), expected.data(), threads_)};
  }

 private:
  std::int64_t threads_;
  std::int64_t stretches_;
  std::uint64_t seed_;
};

class Barrier : public DescribedOperation {
 public:
  Barrier()
      : DescribedOperation("barrier",
                           {{"threads", "threads that wait for each other", 1, 1024},
                            {"stretches", "of 256 barriers each, per call", 1, 1 << 16}},
                           {},
                           {{"given", Direction::kIn, ElementType::kInt32},
                            {"received", Direction::kOut, ElementType::kInt32}}) {}

  std::vector<std::int64_t> dims_of_size(std::int64_t size) const override { return {size, 16}; }
  std::int64_t count(const Instance& instance, std::size_t) const override { return instance.dims.at(0); }
  double operation_count(const Instance& instance) const override {
    return static_cast<double>(instance.dims.at(1)) * waiting::kStretch;
  }
  double least_bytes(const Instance& instance) const override {
    return static_cast<double>(instance.dims.at(0)) * 2 * sizeof(std::int32_t);
  }
  std::vector<Rate> rates(const Instance& instance) const override {
    return {{"ns_per_barrier", "ns per barrier", operation_count(instance) * 1e-9, true}};
  }
  void fill(const Instance& instance, std::size_t operand, const InputValues& values, std::int64_t set,
            void* host_to) const override {
    if (operand != kGiven) return;
    auto* to = static_cast<std::int32_t*>(host_to);
    for (std::int64_t i = 0; i < instance.dims.at(0); ++i) to[i] = small_integer(values.seed, set, i);
  }
  std::unique_ptr<OperationReference> reference(const Instance& instance, const InputValues& values,
                                                const DoubleProduct&) const override {
    return std::make_unique<Passed>(instance.dims.at(0), instance.dims.at(1), values.seed);
  }
  std::vector<std::vector<std::int64_t>> odd_dimensions() const override {
    return {{1, 1}, {2, 3}, {31, 2}, {33, 5}, {100, 1}, {1000, 3}, {1024, 2}};
  }
};

}  // namespace

const Operation& barrier() {
  static const Barrier operation;
  return operation;
}

}  // namespace gemmlab
