// Latency: one load after the other along a random cycle through a working set, each at the address that the
// one before has brought.

#include <numeric>

#include "operations/chase/chase.h"

namespace gemmlab {
namespace {

using chasing::kAt;
using chasing::kNext;
using chasing::Ring;
using chasing::ring_of;

/// SplitMix64.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t below(std::uint64_t limit) {
    state_ += 0x9E3779B97F4A7C15u;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return (z ^ (z >> 31)) % limit;
  }

 private:
  std::uint64_t state_;
};

/// One cycle through all nodes, each equally likely (Sattolo, Information Processing Letters 22, 1986).
void fill_cycle(std::int32_t* next, std::int64_t nodes, std::uint64_t seed) {
  std::iota(next, next + nodes, 0);
  Random random(seed);
  for (std::int64_t i = nodes - 1; i > 0; --i) {
    std::swap(next[i], next[random.below(static_cast<std::uint64_t>(i))]);
  }
}

std::int32_t start(const Ring& ring, std::int64_t set) {
  return static_cast<std::int32_t>(set % ring.nodes);
}

class Walk : public OperationReference {
 public:
  Walk(const Ring& ring, std::uint64_t seed) : ring_(ring), next_(static_cast<std::size_t>(ring.nodes)) {
    fill_cycle(next_.data(), ring.nodes, seed);
  }

  std::vector<Check> check(const Operands& operands, std::int64_t set) const override {
    std::int32_t at = start(ring_, set);
    for (std::int64_t i = 0; i < ring_.loads % ring_.nodes; ++i) at = next_[static_cast<std::size_t>(at)];
    return {check_exact(operands.in<std::int32_t>(kAt), &at, 1)};
  }

 private:
  Ring ring_;
  std::vector<std::int32_t> next_;
};

class Chase : public DescribedOperation {
 public:
  Chase()
      : DescribedOperation(
            "chase",
            {{"bytes", "span of the working set: its nodes lie `spacing` bytes apart", 1,
              std::int64_t{1} << 35}},
            {{"spacing",
              "bytes from node to node; 128: a line of a GPU, two of a CPU, which may fetch them together",
              {std::int64_t{64}, std::int64_t{128}, std::int64_t{256}, std::int64_t{4096}},
              std::int64_t{128}},
             // a prime: after whole rounds of a cycle it would end where it began, as if nothing had been
             // loaded
             {"loads", "dependent loads per call", {}, (std::int64_t{1} << 17) - 1}},
            {{"next", Direction::kIn, ElementType::kInt32}, {"at", Direction::kInOut, ElementType::kInt32}}) {
  }

  std::vector<std::int64_t> dims_of_size(std::int64_t size) const override { return {size}; }
  std::int64_t count(const Instance& instance, std::size_t operand) const override {
    return operand == kNext ? ring_of(instance).nodes : 1;
  }
  double operation_count(const Instance& instance) const override {
    return static_cast<double>(ring_of(instance).loads);
  }
  double least_bytes(const Instance& instance) const override {
    const Ring ring = ring_of(instance);
    return static_cast<double>(std::min(ring.nodes, ring.loads)) * sizeof(void*);
  }
  std::vector<Rate> rates(const Instance& instance) const override {
    return {{"ns_per_load", "ns per load", static_cast<double>(ring_of(instance).loads) * 1e-9, true}};
  }
  std::string why_not(const Instance& instance) const override {
    if (integer_option(instance, "loads") < 1) return "loads must be at least 1";
    constexpr std::int64_t kMostNodes = std::int64_t{1} << 30;
    if (ring_of(instance).nodes <= kMostNodes) return {};
    return "over " + std::to_string(kMostNodes) + " nodes (32-bit indices)";
  }
  bool differs_by_set(std::size_t operand) const override { return operand != kNext; }
  void fill(const Instance& instance, std::size_t operand, const InputValues& values, std::int64_t set,
            void* host_to) const override {
    auto* to = static_cast<std::int32_t*>(host_to);
    if (operand == kNext) {
      fill_cycle(to, ring_of(instance).nodes, values.seed);
    } else {
      *to = start(ring_of(instance), set);
    }
  }
  std::unique_ptr<OperationReference> reference(const Instance& instance, const InputValues& values,
                                                const DoubleProduct&) const override {
    return std::make_unique<Walk>(ring_of(instance), values.seed);
  }
  std::vector<std::vector<std::int64_t>> odd_dimensions() const override {
    return {{1}, {127}, {129}, {256}, {1000}, {4095}, {33 * 128 + 5}, {47 * 1024}, {1 << 20}};
  }
};

}  // namespace

const Operation& chase() {
  static const Chase operation;
  return operation;
}

}  // namespace gemmlab
