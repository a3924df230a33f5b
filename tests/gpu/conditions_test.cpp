// What the management library tells of the card while samples run.

#include <algorithm>
#include <chrono>
#include <iostream>

#include "gpu/device/watching/nvml.h"
#include "operations/gemm/implementation.h"
#include "tests/gpu/on_gpu.h"

namespace gemmlab {
namespace {

class GpuConditions : public OnGpu {
 protected:
  void SetUp() override {
    OnGpu::SetUp();
    if (IsSkipped()) return;
    if (gpu::nvml_driver_version().empty()) GTEST_SKIP() << "NVML is not here";
  }

  /// Samples of the plain kernel for `length`.
  void keep_busy(Scope scope, std::chrono::milliseconds length) {
    const Implementation* naive = gpu::implementations().front();
    const Shape shape{1024, 1024, 1024};
    const auto session = naive->prepare(gemm_at(shape), complete(naive->description(), {}));
    Guarded a(*backend_, shape.a_count());
    Guarded b(*backend_, shape.b_count());
    Guarded c(*backend_, shape.c_count());
    const Backend::Call call = [&] { multiply(*session, a.data(), b.data(), c.data()); };
    const auto start = std::chrono::steady_clock::now();
    while (std::chrono::steady_clock::now() - start < length) {
      backend_->sample({call, call, call, call}, scope, Timing::kBatch, 0);
      const Conditions now = backend_->conditions();
      if (now.energy) energy_ = now.energy;
      for (const Reading& reading : now.readings) {
        if (reading.clock_mhz) seen_ = reading;
      }
    }
  }
  Reading seen_;  ///< the last reading: not every sample makes one
  std::optional<Energy> energy_;
};

TEST_F(GpuConditions, a_working_card_tells_its_clock_power_and_temperature) {
  const GpuInfo card = gpu::gpus().front();
  for (Scope scope : {Scope::kKernel, Scope::kCall}) {
    keep_busy(scope, std::chrono::milliseconds(300));
    const Reading seen = seen_;
    ASSERT_TRUE(seen.clock_mhz) << to_string(scope);
    EXPECT_GT(*seen.clock_mhz, 200) << to_string(scope);
    EXPECT_LE(*seen.clock_mhz, 1.02 * card.clock_mhz) << to_string(scope);
    ASSERT_TRUE(seen.temperature_c);
    EXPECT_GT(*seen.temperature_c, 5);
    EXPECT_LT(*seen.temperature_c, 110);
    if (seen.power_w) {
      EXPECT_GT(*seen.power_w, 5);
      EXPECT_LT(*seen.power_w, 3000);
    }
    std::cout << to_string(scope) << ": " << *seen.clock_mhz << " MHz, " << *seen.temperature_c << " C, "
              << seen.power_w.value_or(0) << " W, "
              << seen.throttle_reasons.value_or(std::vector<std::string>()).size() << " throttle reasons\n";
  }
}

TEST_F(GpuConditions, a_long_sample_is_read_while_it_runs_and_tells_its_energy) {
  const Implementation* naive = gpu::implementations().front();
  const Shape shape{1024, 1024, 1024};
  const auto session = naive->prepare(gemm_at(shape), complete(naive->description(), {}));
  Guarded a(*backend_, shape.a_count());
  Guarded b(*backend_, shape.b_count());
  Guarded c(*backend_, shape.c_count());
  const Backend::Call call = [&] { multiply(*session, a.data(), b.data(), c.data()); };
  const double call_s = backend_->sample({call, call}, Scope::kKernel, Timing::kLaunch, 1) / 2;
  const std::vector<Backend::Call> half_a_second(
      static_cast<std::size_t>(std::clamp(0.5 / call_s, 1.0, 900.0)), call);
  const double seconds = backend_->sample(half_a_second, Scope::kKernel, Timing::kBatch, 2);
  const Conditions seen = backend_->conditions();
  std::cout << seen.readings.size() << " readings in " << seconds << " s\n";
  if (seen.readings.empty()) GTEST_SKIP() << "NVML does not answer here";
  EXPECT_GE(seen.readings.size(), 2u) << "one reading alone could be of before or after";
  if (!seen.energy) GTEST_SKIP() << "the card tells no energy within " << seconds << " s";
  const double mean_w = seen.energy->joules / seen.energy->seconds;
  std::cout << mean_w << " W by " << seen.energy->source << " over " << seen.energy->seconds << " s\n";
  EXPECT_GT(mean_w, 30);
  EXPECT_LT(mean_w, 3000);
  EXPECT_LE(seen.energy->seconds, 1.1 * seconds);
}

TEST_F(GpuConditions, a_stretch_of_short_samples_tells_its_energy_as_a_whole) {
  for (Scope scope : {Scope::kKernel, Scope::kCall}) {
    backend_->begin_energy();
    keep_busy(scope, std::chrono::milliseconds(800));
    const std::optional<Energy> energy = backend_->end_energy();
    EXPECT_FALSE(energy_) << "a sample told what is the stretch's";
    if (!energy) GTEST_SKIP() << "the card tells no energy within 0.8 s";
    const double mean_w = energy->joules / energy->seconds;
    std::cout << to_string(scope) << ": " << mean_w << " W by " << energy->source << " over "
              << energy->seconds << " s\n";
    EXPECT_GT(mean_w, 30);
    EXPECT_LT(mean_w, 3000);
    EXPECT_GT(energy->seconds, 0.4) << "most of the stretch";
    EXPECT_LE(energy->seconds, 0.9);
  }
}

TEST_F(GpuConditions, a_reading_is_told_of_one_sample_only) {
  keep_busy(Scope::kKernel, std::chrono::milliseconds(300));
  if (!seen_.clock_mhz) GTEST_SKIP() << "NVML does not answer here";
  int told = 0;
  constexpr int kSamples = 200;  // of microseconds: far more than a reading every 3 ms
  for (int i = 0; i < kSamples; ++i) {
    backend_->sample({}, Scope::kKernel, Timing::kLaunch, 0);
    told += backend_->conditions().readings.empty() ? 0 : 1;
  }
  EXPECT_LT(told, kSamples / 2);
}

}  // namespace
}  // namespace gemmlab
