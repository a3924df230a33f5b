// Operands that lie on the device in the implementation's own form before the clock starts.

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <vector>

#include "core/timing/first_call.h"
#include "core/timing/measure.h"
#include "operations/gemm/implementation.h"
#include "operations/gemm/reference.h"
#include "tests/core/plain_backend.h"
#include "tests/core/plain_product.h"

namespace gemmlab {
namespace {

/// The plain product of copies that stage() made: of pairs that were not staged it knows nothing.
class Copying : public GemmImplementation {
 public:
  explicit Copying(bool resident) : resident_(resident) { description_.id = "cpu.copying"; }
  const Description& description() const override { return description_; }
  std::string why_not(const Shape&, const Parameters&) const override { return {}; }
  bool operands_resident(const Parameters&) const override { return resident_; }
  std::unique_ptr<Session> prepare(const Shape& shape, const Parameters&) const override {
    return std::make_unique<Copies>(shape, *this);
  }

  mutable int staged = 0;
  mutable int multiplied = 0;

 private:
  struct Copies : GemmSession {
    Copies(const Shape& of, const Copying& by) : shape(of), owner(by) {}
    void stage(const std::vector<OperandPair>& pairs) override {
      ++owner.staged;
      held = pairs;
    }
    void multiply(const float* a, const float* b, float* c) override {
      ++owner.multiplied;
      const bool known = std::any_of(held.begin(), held.end(),
                                     [&](const OperandPair& pair) { return pair.a == a && pair.b == b; });
      if (owner.resident_ && !known) throw std::runtime_error("a pair that was not staged");
      test::plain_product(shape, a, b, c);
    }
    Shape shape;
    const Copying& owner;
    std::vector<OperandPair> held;
  };
  bool resident_;
  Description description_;
};

class ResidentOperands : public ::testing::Test {
 protected:
  Point point(Scope scope) const {
    Point made;
    made.implementation = "cpu.copying";
    made.instance = gemm_at({20, 8, 8});
    made.scope = scope;
    return made;
  }
  Outcome measured(const Copying& implementation, const Point& point) {
    Subject subject;
    subject.implementation = &implementation;
    subject.backend = &backend_;
    subject.point = point;
    MeasureSettings settings;
    settings.min_time_s = 0.01;
    settings.twins = false;
    test::NoWatch watch;
    Outcome ended;
    measure_group({subject}, settings, plain_double_product, watch,
                  [&](int, const Point&, const Outcome& outcome) { ended = outcome; });
    return ended;
  }

  test::PlainBackend backend_;
};

TEST_F(ResidentOperands, are_staged_once_with_every_set_before_the_first_multiply) {
  const Copying resident(true);
  for (const double handicap : {0.0, 0.25}) {  // a handicap has a session of its own
    resident.staged = 0;
    Point with = point(Scope::kKernel);
    with.handicap = handicap;
    const Outcome outcome = measured(resident, with);
    EXPECT_EQ(outcome.status, Status::kOk) << outcome.reason;
    EXPECT_GT(outcome.input_sets, 1) << "a single set would not show that all are staged";
    EXPECT_EQ(resident.staged, handicap > 0 ? 2 : 1);
  }
}

TEST_F(ResidentOperands, are_for_those_alone_that_declare_them) {
  const Copying plain(false);
  const Outcome outcome = measured(plain, point(Scope::kKernel));
  EXPECT_EQ(outcome.status, Status::kOk) << outcome.reason;
  EXPECT_EQ(plain.staged, 0);
}

TEST_F(ResidentOperands, are_refused_where_their_way_to_the_device_is_counted) {
  const Copying resident(true);
  const Outcome end_to_end = measured(resident, point(Scope::kEndToEnd));
  EXPECT_EQ(end_to_end.status, Status::kUnsupported);
  EXPECT_NE(end_to_end.reason.find("end-to-end"), std::string::npos) << end_to_end.reason;
  const Outcome first = first_call(
      resident, point(Scope::kFirstCall), [] { return std::make_unique<test::PlainBackend>(); },
      plain_double_product);
  EXPECT_EQ(first.status, Status::kUnsupported);
  EXPECT_NE(first.reason.find("first-call"), std::string::npos) << first.reason;
  EXPECT_EQ(resident.multiplied, 0);

  const Copying plain(false);
  EXPECT_EQ(measured(plain, point(Scope::kEndToEnd)).status, Status::kOk);
}

}  // namespace
}  // namespace gemmlab
