// Samples without a pause on a card.

#include <chrono>

#include "core/timing/elapsed.h"
#include "operations/gemm/implementation.h"
#include "tests/gpu/on_gpu.h"

namespace gemmlab {
namespace {

class GpuSustained : public OnGpu {
 protected:
  void SetUp() override {
    OnGpu::SetUp();
    if (IsSkipped()) return;
    const Implementation* naive = gpu::implementations().front();
    session_ = naive->prepare(gemm_at(shape_), complete(naive->description(), {}));
    a_ = std::make_unique<Guarded>(*backend_, shape_.a_count());
    b_ = std::make_unique<Guarded>(*backend_, shape_.b_count());
    c_ = std::make_unique<Guarded>(*backend_, shape_.c_count());
    calls_ = {[this] { multiply(*session_, a_->data(), b_->data(), c_->data()); }};
  }
  void TearDown() override {
    calls_.clear();
    session_.reset();
    a_.reset();
    b_.reset();
    c_.reset();
  }

  /// Samples until they have taken `length_s`; what was told of them.
  void sustain(Scope scope, Timing timing, double length_s) {
    asked_ = 0;
    told_.clear();
    told_s_ = 0;
    const auto next = [&]() -> const std::vector<Backend::Call>& {
      ++asked_;
      return calls_;
    };
    const auto took = [&](double seconds) {
      told_.push_back(seconds);
      told_s_ += seconds;
      return told_s_ < length_s;
    };
    const auto start = std::chrono::steady_clock::now();
    backend_->sustain(next, scope, timing, 1, took);
    wall_s_ = seconds_since(start);
    backend_->drop_graphs();
  }

  const Shape shape_{1024, 1024, 1024};
  std::unique_ptr<Session> session_;
  std::unique_ptr<Guarded> a_, b_, c_;
  std::vector<Backend::Call> calls_;
  int asked_ = 0;
  std::vector<double> told_;
  double told_s_ = 0;
  double wall_s_ = 0;
};

TEST_F(GpuSustained, every_sample_that_is_launched_is_told_of_and_lasts) {
  for (const Timing timing : {Timing::kLaunch, Timing::kGraph}) {
    sustain(Scope::kKernel, timing, 0.3);
    EXPECT_GE(told_s_, 0.3);
    const int captured = timing == Timing::kGraph ? 1 : 0;
    EXPECT_EQ(static_cast<std::size_t>(asked_ - captured), told_.size()) << to_string(timing);
    for (const double seconds : told_) ASSERT_GT(seconds, 0);
    // what the card's clock saw in a row is what went by, but for the first launch and the last answer
    EXPECT_LE(told_s_, wall_s_ + 1e-3) << to_string(timing);
  }
}

TEST_F(GpuSustained, by_the_hosts_clock_samples_stop_where_they_are_to) {
  sustain(Scope::kCall, Timing::kLaunch, 0.1);
  EXPECT_EQ(static_cast<std::size_t>(asked_), told_.size());
  EXPECT_GE(told_s_, 0.1);
  EXPECT_LT(told_s_ - told_.back(), 0.1);
}

TEST_F(GpuSustained, a_stretch_begun_on_the_way_tells_readings_of_its_own) {
  bool begun = false;
  double told_s = 0;
  backend_->sustain([&]() -> const std::vector<Backend::Call>& { return calls_; }, Scope::kKernel,
                    Timing::kLaunch, 1,
                    [&](double seconds) {
                      told_s += seconds;
                      if (told_s > 0.2 && !begun) {
                        backend_->begin_energy();
                        begun = true;
                      }
                      return told_s < 0.8;
                    });
  const std::optional<Energy> energy = backend_->end_energy();
  const Conditions seen = backend_->conditions();
  if (seen.readings.empty()) {
    EXPECT_NE(backend_->why_no_energy(), "");
    GTEST_SKIP() << backend_->why_no_energy();
  }
  if (!energy) {
    EXPECT_NE(backend_->why_no_energy(), "");
  } else {
    EXPECT_GT(energy->joules, 0);
    EXPECT_GT(energy->seconds, 0.05);
    EXPECT_LT(energy->seconds, 0.7);
  }
}

TEST_F(GpuSustained, what_throws_leaves_the_card_usable) {
  int launched = 0;
  calls_ = {[&] {
    if (++launched > 20) throw std::runtime_error("the planted fault");
    multiply(*session_, a_->data(), b_->data(), c_->data());
  }};
  EXPECT_THROW(sustain(Scope::kKernel, Timing::kLaunch, 10), std::runtime_error);
  backend_->synchronize();
  calls_ = {[this] { multiply(*session_, a_->data(), b_->data(), c_->data()); }};
  sustain(Scope::kKernel, Timing::kLaunch, 0.02);
  EXPECT_FALSE(told_.empty());
}

}  // namespace
}  // namespace gemmlab
