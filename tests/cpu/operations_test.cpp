// dot, axpy, triad and gemv on the CPU: every implementation, at odd sizes, off alignment, on any
// number of threads.

#include "tests/operations.h"

#include "core/machine/machine.h"
#include "cpu/call_row.h"
#include "cpu/table.h"
#include "operations/vectors.h"

namespace gemmlab {
const Operation& dot();
const Operation& triad();
const Operation& gemv();
}  // namespace gemmlab

namespace gemmlab::cpu {

const Implementation& dot_simd();
const Implementation& gemv_simd();

namespace {

using test::option_choices;

struct Row {
  const Operation* operation;
  const Implementation* implementation;
};

std::vector<Row> rows() {
  std::vector<Row> all;
  for (const Implementation* implementation : implementations()) {
    const Description& description = implementation->description();
    if (test::of_vectors(description)) all.push_back({find_operation(description.operation), implementation});
  }
  return all;
}

constexpr std::int64_t kSmall = 10'000;  ///< elements that are checked at every number of threads

class CpuOperation : public testing::TestWithParam<std::size_t> {
 protected:
  void SetUp() override {
    row_ = rows()[GetParam()];
    if (const auto reason = row_.implementation->unavailable(); !reason.empty()) GTEST_SKIP() << reason;
  }
  const Description& description() const { return row_.implementation->description(); }
  void expect_right(const Instance& instance, const Parameters& parameters, std::int64_t offset) const {
    ASSERT_EQ(row_.implementation->why_not(instance, parameters), "");
    const auto session = row_.implementation->prepare(instance, parameters);
    test::expect_right(
        instance, [&](test::HostOperands& host) { session->run(host.operands()); }, offset, description().id);
  }
  Row row_;
};

TEST_P(CpuOperation, is_right_at_every_odd_size_and_choice) {
  for (const Parameters& choice : all_choices(description())) {
    for (const auto& dims : row_.operation->odd_dimensions()) {
      for (const Options& options : option_choices(*row_.operation)) {
        expect_right(instance_of(*row_.operation, dims, options), choice, 0);
        if (HasFatalFailure()) return;
      }
    }
  }
}

TEST_P(CpuOperation, is_right_where_its_operands_start_at_any_float) {
  const std::vector<std::int64_t> dims = row_.operation->dimensions().size() == 1
                                             ? std::vector<std::int64_t>{1027}
                                             : std::vector<std::int64_t>{37, 301};
  for (const Parameters& choice : all_choices(description())) {
    for (const std::int64_t offset : {1, 3, 5, 15}) {
      for (const Options& options : option_choices(*row_.operation)) {
        expect_right(instance_of(*row_.operation, dims, options), choice, offset);
        if (HasFatalFailure()) return;
      }
    }
  }
}

TEST_P(CpuOperation, is_right_on_any_number_of_threads) {
  if (description().find("threads") == nullptr) GTEST_SKIP() << "it has no threads";
  for (const std::int64_t threads : {1, 2, 3, 7}) {
    const Parameters parameters = complete(description(), {{"threads", threads}});
    for (const auto& dims : row_.operation->odd_dimensions()) {
      if (row_.operation->count(instance_of(*row_.operation, dims), 0) > kSmall) continue;
      for (const Options& options : option_choices(*row_.operation)) {
        expect_right(instance_of(*row_.operation, dims, options), parameters, 0);
        if (HasFatalFailure()) return;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Rows, CpuOperation, testing::Range<std::size_t>(0, rows().size()),
                         [](const auto& row) {
                           std::string id = rows()[row.param].implementation->description().id;
                           std::replace(id.begin(), id.end(), '.', '_');
                           return id;
                         });

#define GEMMLAB_DECLARE_TRIAD(isa, ...) \
  }                                     \
  namespace isa {                       \
  extern const CallMethod triad_simd;   \
  }                                     \
  namespace {
GEMMLAB_EACH_ISA(GEMMLAB_DECLARE_TRIAD, )

// The vectors for which the row itself stores past the cache would take seconds: here the cache is said
// to be none.
TEST(CpuTriad, is_right_with_stores_past_the_cache_at_every_start_and_end) {
#define GEMMLAB_TRIAD(isa, ...) {#isa, &isa::triad_simd},
  const std::vector<Variant<CallMethod>> variants = {GEMMLAB_EACH_ISA(GEMMLAB_TRIAD, )};
  const std::vector<std::string>& machine = cpu_info().isa;
  for (const Variant<CallMethod>& variant : variants) {
    if (std::find(machine.begin(), machine.end(), variant.isa) == machine.end()) continue;
    for (const std::int64_t n : {1, 3, 15, 16, 17, 63, 64, 65, 1000}) {
      const Instance instance = instance_of(gemmlab::triad(), {n});
      for (std::int64_t offset = 0; offset < 16; ++offset) {
        const auto run = [&](test::HostOperands& host) {
          void* operands[] = {host.data(0), host.data(1), host.data(2)};
          const std::int64_t dims[] = {n};
          variant.method->run({operands, dims, factor(instance, "scalar"), false, 2, 0});
        };
        test::expect_right(instance, run, offset, variant.isa);
        if (HasFatalFailure()) return;
      }
    }
  }
}

// Either way to share out a product with a vector: by results, and by terms.
TEST(CpuGemv, is_right_where_many_rows_are_shared_out_over_threads) {
  const Implementation& row = gemv_simd();
  for (const std::vector<std::int64_t>& dims :
       {std::vector<std::int64_t>{2101, 137}, {5, 60'001}, {130, 8200}}) {
    for (const Options& options : option_choices(gemmlab::gemv())) {
      for (const std::int64_t threads : {2, 4, 8}) {
        const Instance instance = instance_of(gemmlab::gemv(), dims, options);
        const auto session = row.prepare(instance, complete(row.description(), {{"threads", threads}}));
        test::expect_right(
            instance, [&](test::HostOperands& host) { session->run(host.operands()); }, 1, "gemv_simd");
      }
    }
  }
}

TEST(CpuDot, takes_fewer_threads_where_more_would_be_slower) {
  const Implementation& row = dot_simd();
  for (const auto& [n, most] :
       std::vector<std::pair<std::int64_t, int>>{{1000, 1}, {70'000, 2}, {1 << 20, 4}}) {
    const Instance instance = instance_of(gemmlab::dot(), {n});
    const auto session = row.prepare(instance, complete(row.description(), {{"threads", std::int64_t{4}}}));
    test::HostOperands host(instance, 0);
    host.fill({Distribution::kUniform, 1}, 0);
    session->run(host.operands());
    EXPECT_EQ(session->threads_actual(), most) << n;
  }
}

TEST(CpuDot, has_the_same_bits_every_time) {
  const Implementation& row = dot_simd();
  const Instance instance = instance_of(gemmlab::dot(), {100'003});
  const auto session = row.prepare(instance, complete(row.description(), {{"threads", std::int64_t{3}}}));
  test::HostOperands host(instance, 0);
  host.fill({Distribution::kUniform, 1}, 0);
  session->run(host.operands());
  const float first = *host.data(2);
  for (int call = 0; call < 20; ++call) {
    session->run(host.operands());
    EXPECT_EQ(*host.data(2), first);
  }
}

}  // namespace
}  // namespace gemmlab::cpu
