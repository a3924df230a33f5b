// The stretch of calls that tells a point's energy.

#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>

#include "core/timing/measure.h"
#include "core/timing/subject_run.h"
#include "operations/gemm/implementation.h"
#include "tests/core/plain_backend.h"

namespace gemmlab {
namespace {

/// A device that uses 3 J a call in a stretch.
class Metered : public test::PlainBackend {
 public:
  double sample(const std::vector<Call>& calls, Scope scope, Timing timing, std::uint64_t key) override {
    if (in_stretch && lost) throw std::runtime_error("the planted fault");
    (in_stretch ? in_stretches : (stretches > 0 ? after : before)) += static_cast<std::int64_t>(calls.size());
    return PlainBackend::sample(calls, scope, timing, key);
  }
  void synchronize() override {
    if (in_stretch && lost) throw std::runtime_error("the device is lost");
  }
  void begin_energy() override {
    in_stretch = true;
    ++stretches;
    start_ = in_stretches;
  }
  std::optional<Energy> end_energy() override {
    in_stretch = false;
    if (silent) return {};
    // as a counter tells it: of half of the stretch
    return Energy{1.5 * static_cast<double>(in_stretches - start_), 0.5 * stretch_s, kEnergyCounter};
  }

  double stretch_s = 0.02;
  bool in_stretch = false;
  bool silent = false;
  bool lost = false;
  int stretches = 0;
  std::int64_t before = 0, in_stretches = 0, after = 0;

 private:
  std::int64_t start_ = 0;
};

/// The plain product; one that goes wrong while `wrong_while` holds.
class Product : public GemmImplementation {
 public:
  Product() { description_.id = "cpu.product"; }
  const Description& description() const override { return description_; }
  std::string why_not(const Shape&, const Parameters&) const override { return {}; }
  std::unique_ptr<Session> prepare(const Shape& shape, const Parameters&) const override {
    return std::make_unique<One>(shape, *this);
  }

  const bool* wrong_while = nullptr;

 private:
  class One : public GemmSession {
   public:
    One(const Shape& shape, const Product& owner) : shape_(shape), owner_(owner) {}
    void multiply(const float* a, const float* b, float* c) override {
      for (std::int64_t row = 0; row < shape_.m; ++row) {
        for (std::int64_t col = 0; col < shape_.n; ++col) {
          float sum = 0;
          for (std::int64_t i = 0; i < shape_.k; ++i) sum += a[row * shape_.k + i] * b[i * shape_.n + col];
          c[row * shape_.n + col] = sum;
        }
      }
      if (owner_.wrong_while != nullptr && *owner_.wrong_while) c[0] += 1;
    }

   private:
    Shape shape_;
    const Product& owner_;
  };
  Description description_;
};

class Energies : public ::testing::Test {
 protected:
  /// The records of two points by their label; "again": of a twin.
  std::map<std::string, Json>& measure(double energy_s) {
    std::vector<Subject> subjects(2);
    for (int i = 0; i < 2; ++i) {
      subjects[i].implementation = &product_;
      subjects[i].backend = &backend_;
      subjects[i].point.implementation = product_.description().id;
      subjects[i].point.label = i == 0 ? "one" : "other";
      subjects[i].point.instance = gemm_at({8, 8, 8});
      subjects[i].point.replica = i;
    }
    MeasureSettings settings;
    settings.min_time_s = 0.01;
    settings.energy_s = energy_s;
    test::NoWatch watch;
    measure_group(subjects, settings, plain_double_product, watch,
                  [&](int, const Point& point, const Outcome& outcome) {
                    const std::string label = point.twin_of.empty() ? point.label : "again";
                    EXPECT_EQ(found_.count(label), 0u) << "told twice";
                    found_[label] = case_record("r", "e", point, outcome, 0, "");
                  });
    return found_;
  }

  Metered backend_;
  Product product_;
  std::map<std::string, Json> found_;
};

TEST_F(Energies, are_those_of_calls_without_a_pause_when_all_samples_are_taken) {
  auto found = measure(0.02);
  EXPECT_EQ(backend_.stretches, 2);
  EXPECT_EQ(backend_.after, 0) << "a sample was taken after a stretch had heated the device";
  std::int64_t calls = 0;
  for (const char* label : {"one", "other"}) {
    const Json& record = found.at(label);
    EXPECT_EQ(record["status"], "ok") << record["reason"];
    EXPECT_EQ(record["energy_source"], kEnergyCounter);
    EXPECT_GE(record["energy_s"], 0.02);
    calls += record["energy_calls"].get<std::int64_t>();
    const double longer = record["energy_s"].get<double>() / 0.02;
    EXPECT_NEAR(record["energy_j_per_call"], 3 * longer, 1e-9) << "of half a stretch, for all of it";
    EXPECT_GT(record["phases_s"]["energy"], 0);
  }
  EXPECT_EQ(calls, backend_.in_stretches);
  EXPECT_TRUE(found.at("again")["energy_j_per_call"].is_null()) << "a twin tells of noise alone";
}

TEST_F(Energies, are_not_measured_unless_asked_for) {
  auto found = measure(0);
  EXPECT_EQ(backend_.stretches, 0);
  EXPECT_TRUE(found.at("one")["energy_calls"].is_null());
}

TEST_F(Energies, that_the_device_does_not_tell_are_null) {
  backend_.silent = true;
  auto found = measure(0.01);
  EXPECT_EQ(backend_.stretches, 2);
  for (const char* name : {"energy_j_per_call", "energy_source", "energy_calls", "energy_s"})
    EXPECT_TRUE(found.at("one")[name].is_null()) << name;
  EXPECT_EQ(found.at("one")["status"], "ok");
}

TEST_F(Energies, of_what_turns_wrong_in_the_stretch_are_none) {
  product_.wrong_while = &backend_.in_stretch;
  auto found = measure(0.01);
  EXPECT_EQ(found.at("one")["status"], "incorrect");
  EXPECT_TRUE(found.at("one")["energy_j_per_call"].is_null());
}

TEST_F(Energies, a_device_lost_in_a_stretch_is_told_once_and_keeps_the_others) {
  backend_.lost = true;
  EXPECT_THROW(measure(0.01), DeviceLost);
  ASSERT_EQ(found_.size(), 3u);
  const std::string one = found_.at("one")["status"];
  const std::string other = found_.at("other")["status"];
  EXPECT_TRUE((one == "crashed") != (other == "crashed")) << one << ", " << other;
}

}  // namespace
}  // namespace gemmlab
