// dot, axpy, triad and gemv on the CPU: every implementation, at odd sizes, off alignment, on any number of
// threads.

#include "tests/operations.h"

#include "cpu/axpy/rows.h"
#include "cpu/blas.h"
#include "cpu/dot/rows.h"
#include "cpu/gemv/rows.h"
#include "cpu/triad/rows.h"

namespace gemmlab {
const Operation& dot();
const Operation& axpy();
const Operation& triad();
const Operation& gemv();
}  // namespace gemmlab

namespace gemmlab::cpu {
namespace {

using test::instance_of;
using test::option_choices;

}  // namespace
#define GEMMLAB_DECLARE(name) const OperationImplementation& name();
GEMMLAB_DOT_METHODS(GEMMLAB_DECLARE)
GEMMLAB_DOT_REFERENCES(GEMMLAB_DECLARE)
GEMMLAB_AXPY_METHODS(GEMMLAB_DECLARE)
GEMMLAB_AXPY_REFERENCES(GEMMLAB_DECLARE)
GEMMLAB_TRIAD_METHODS(GEMMLAB_DECLARE)
GEMMLAB_GEMV_METHODS(GEMMLAB_DECLARE)
GEMMLAB_GEMV_REFERENCES(GEMMLAB_DECLARE)
namespace {

struct Row {
  const Operation* operation;
  const OperationImplementation* implementation;
};

std::vector<Row> rows() {
#define GEMMLAB_CALL(name) &name(),
  const std::vector<const OperationImplementation*> of_dot = {GEMMLAB_DOT_METHODS(GEMMLAB_CALL)
                                                                  GEMMLAB_DOT_REFERENCES(GEMMLAB_CALL)};
  const std::vector<const OperationImplementation*> of_axpy = {GEMMLAB_AXPY_METHODS(GEMMLAB_CALL)
                                                                   GEMMLAB_AXPY_REFERENCES(GEMMLAB_CALL)};
  const std::vector<const OperationImplementation*> of_triad = {GEMMLAB_TRIAD_METHODS(GEMMLAB_CALL)};
  const std::vector<const OperationImplementation*> of_gemv = {GEMMLAB_GEMV_METHODS(GEMMLAB_CALL)
                                                                   GEMMLAB_GEMV_REFERENCES(GEMMLAB_CALL)};
  std::vector<Row> all;
  const auto add = [&](const Operation& operation, const std::vector<const OperationImplementation*>& of) {
    for (const OperationImplementation* implementation : of) all.push_back({&operation, implementation});
  };
  add(gemmlab::dot(), of_dot);
  add(gemmlab::axpy(), of_axpy);
  add(gemmlab::triad(), of_triad);
  add(gemmlab::gemv(), of_gemv);
  return all;
}

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

TEST(CpuTriad, stores_past_the_cache_are_right_at_every_start) {
  // larger than any cache here is too slow to check at every start, so the instance is told of a small one by
  // its size
  const Instance instance = instance_of(gemmlab::triad(), {std::int64_t{1} << 25});
  const OperationImplementation& row = triad_simd();
  for (const Parameters& choice : all_choices(row.description())) {
    const auto session = row.prepare(instance, choice);
    test::expect_right(
        instance, [&](test::HostOperands& host) { session->run(host.operands()); }, 1, row.description().id);
  }
}

}  // namespace
}  // namespace gemmlab::cpu
