#pragma once

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <stdexcept>
#include <vector>

#include "core/timing/measure.h"
#include "core/timing/subject_run.h"
#include "operations/gemm/implementation.h"
#include "tests/core/plain_backend.h"

namespace gemmlab::test {

/// Host memory, and a clock and conditions that the test plans.
class PlannedBackend : public PlainBackend {
 public:
  const Device& device() const override { return Device::kGpu; }  // no settling, no pilots
  std::int64_t last_level_cache_bytes() const override { return 1 << 16; }
  double sample(const std::vector<Call>& calls, Scope, Timing, std::uint64_t key) override {
    if (key == lost_by && samples > 6) throw std::runtime_error("the planted fault");
    for (const Call& call : calls) call();
    ++samples;
    keys.push_back(key);
    const double pace = (key == slow_key ? 10 : 1) * (key == noisy_key && samples % 4 < 2 ? 1.5 : 1);
    return call_s * pace * (1 + drift * samples) * static_cast<double>(calls.size());
  }
  void synchronize() override {
    if (lost_by > 0) throw std::runtime_error("the device is lost");
  }
  Conditions conditions() override {
    Reading reading;
    reading.clock_mhz = keys.back() == dips_key && samples % 3 == 0 ? 700 : 1000;
    reading.throttle_reasons.emplace();
    if (throttled_until > samples || keys.back() == capped_key)
      reading.throttle_reasons->push_back("planted");
    if (keys.back() == capped_key) reading.clock_mhz = 750;
    Conditions seen;
    seen.readings = {reading};
    if (unbound_for > 0 && keys.back() == unbound_key) {
      --unbound_for;
      seen.pinned = false;
      seen.unbound = "planted";
    } else if (unbound_key > 0) {
      seen.pinned = true;
    }
    return seen;
  }
  double end_to_end_s(const EndToEnd& work) override {
    ++end_to_end_calls;
    counted_allocations += work.allocation == Allocation::kCounted ? 1 : 0;
    work.run(operands_of(work));
    return 5e-3;
  }

  double call_s = 2e-3;
  double drift = 0;               ///< by which each sample is slower than the one before
  std::uint64_t slow_key = 0;     ///< whose calls take ten times as long
  std::uint64_t noisy_key = 0;    ///< half of whose calls take 1.5 times as long: no median settles
  std::uint64_t capped_key = 0;   ///< whose samples find the clock held down
  std::uint64_t dips_key = 0;     ///< whose samples find a low clock now and then, and no reason
  std::uint64_t unbound_key = 0;  ///< whose samples ran on threads that were not bound,
  int unbound_for = 0;            ///< this many of them
  std::uint64_t lost_by = 0;      ///< whose calls, once it has warmed up, break the device
  std::vector<std::uint64_t> keys;
  int samples = 0;
  int throttled_until = 0;
  int end_to_end_calls = 0;
  int counted_allocations = 0;
};

/// The plain product, which counts the rows that it computes.
class Counting : public GemmImplementation {
 public:
  explicit Counting(const char* id) { description_.id = id; }
  const Description& description() const override { return description_; }
  std::string why_not(const Shape&, const Parameters&) const override { return {}; }
  std::unique_ptr<Session> prepare(const Shape& shape, const Parameters&) const override {
    ++sessions;
    return std::make_unique<One>(shape, *this);
  }

  mutable int sessions = 0;
  mutable std::map<std::int64_t, int> calls_of_rows;

 private:
  class One : public GemmSession {
   public:
    One(const Shape& shape, const Counting& owner) : shape_(shape), owner_(owner) {}
    void multiply(const float* a, const float* b, float* c) override {
      ++owner_.calls_of_rows[shape_.m];
      for (std::int64_t row = 0; row < shape_.m; ++row) {
        for (std::int64_t col = 0; col < shape_.n; ++col) {
          float sum = 0;
          for (std::int64_t i = 0; i < shape_.k; ++i) sum += a[row * shape_.k + i] * b[i * shape_.n + col];
          c[row * shape_.n + col] = sum;
        }
      }
    }

   private:
    Shape shape_;
    const Counting& owner_;
  };
  Description description_;
};

struct Ended {
  int index;
  Point point;
  Outcome outcome;
};

class Measure : public ::testing::Test {
 protected:
  Subject subject(const Counting& implementation) {
    Subject made;
    made.implementation = &implementation;
    made.backend = &backend_;
    made.point.implementation = implementation.description().id;
    made.point.label = made.point.implementation;
    made.point.instance = gemm_at({20, 8, 8});
    return made;
  }
  /// What was handed over, in its order.
  const std::vector<Ended>& measure(const std::vector<Subject>& subjects, MeasureSettings settings = {}) {
    NoWatch watch;
    settings.min_time_s = 0.05;
    ended_.clear();
    measure_group(subjects, settings, plain_double_product, watch,
                  [&](int index, const Point& point, const Outcome& outcome) {
                    ended_.push_back({index, point, outcome});
                  });
    return ended_;
  }

  std::vector<Ended> ended_;
  PlannedBackend backend_;
  Counting one_{"gpu.one"};
  Counting other_{"gpu.other"};
};

}  // namespace gemmlab::test
