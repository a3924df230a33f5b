#include "runner/planning/estimate.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <map>
#include <stdexcept>

#include "operations/gemm/implementation.h"
#include "runner/roofline.h"

namespace gemmlab::runner {
namespace {

Point point(const std::string& id, std::int64_t size, std::int64_t threads) {
  Point made;
  made.implementation = id;
  made.device = id.rfind("gpu.", 0) == 0 ? Device::kGpu : Device::kCpu;
  made.parameters = {{"threads", threads}};
  made.instance = gemm_at({size, size, size});
  return made;
}

/// A record of a point; `samples_for_unit` as Measured has it.
std::vector<Measured> measured(const Point& point, double median_s, double samples_for_unit = 0) {
  return {{point.implementation, gemmlab::to_json(point.parameters), point.scope, work_of(point.instance),
           median_s, samples_for_unit}};
}

TEST(Estimate, the_nearest_size_of_the_same_parameters_tells_the_rate) {
  Estimator estimator;
  estimator.learn(measured(point("cpu.ikj", 100, 1), 2e6 / 1e9));   // 1 GFLOP/s
  estimator.learn(measured(point("cpu.ikj", 1000, 1), 2e9 / 4e9));  // 4 GFLOP/s
  estimator.learn(measured(point("cpu.ikj", 900, 2), 2 * 0.9e9 * 0.81 / 100e9));
  const auto call_s = [&](std::int64_t size) {
    return estimator.point(point("cpu.ikj", size, 1), {}).call_s;
  };
  EXPECT_NEAR(call_s(2000), 16e9 / 4e9, 1e-9);
  EXPECT_NEAR(call_s(120), 2 * 120.0 * 120 * 120 / 1e9, 1e-9);
}

TEST(Estimate, a_call_over_the_limit_is_planned_as_skipped) {
  Estimator estimator;
  estimator.learn(measured(point("cpu.ikj", 1000, 1), 100));
  MeasureSettings settings;
  settings.max_time_s = 20;
  EXPECT_LT(estimator.point(point("cpu.ikj", 1000, 1), settings).time.most_s, 20);
}

TEST(Estimate, a_sustained_point_takes_its_seconds_and_has_no_twin) {
  Point known = point("gpu.pipelined", 4096, 1);
  Estimator estimator;
  estimator.learn(measured(known, 2.5e-3));
  known.load = Load::kSustained;
  MeasureSettings settings;
  settings.sustained_s = 7;
  const Estimator::PointEstimate found = estimator.point(known, settings);
  EXPECT_GE(found.time.least_s, 7);
  EXPECT_LT(found.time.likely_s, 9);
  EXPECT_EQ(found.time.least_s, found.time.likely_s) << "it stops by time, not by precision";
  Group group;
  group.instance = known.instance;
  group.settings = settings;
  group.points = {known};
  const double alone_s = estimator.besides(group, {known}, {found}).likely_s;
  group.settings.twins = false;
  EXPECT_EQ(estimator.besides(group, {known}, {found}).likely_s, alone_s);
}

TEST(Estimate, half_the_half_width_takes_four_times_the_samples) {
  const Point known = point("cpu.ikj", 200, 1);
  Estimator estimator;
  estimator.learn(measured(known, 20e-3, 200 * 0.01 * 0.01));  // 200 samples of 20 ms for 1 %
  MeasureSettings settings;
  const auto likely_s = [&](double precision) {
    settings.precision = precision;
    return estimator.point(known, settings).time.likely_s;
  };
  settings.max_time_s = 100;
  const double at_a_percent = likely_s(0.01);
  EXPECT_NEAR(at_a_percent, 200 * 2 * 20e-3, 0.4) << "a call that wakes the threads before each";
  EXPECT_NEAR(likely_s(0.005) / at_a_percent, 4, 0.1);
  settings.max_time_s = 2;
  EXPECT_NEAR(likely_s(0.005), 2 * 2, 0.4) << "the limit of 2 s of timed work";
}

TEST(Estimate, the_range_goes_from_the_least_time_to_the_limit) {
  const Point known = point("cpu.ikj", 200, 1);
  Estimator estimator;
  estimator.learn(measured(known, 1e-3, 1e-9));  // samples of 10 calls
  const TimeRange quiet = estimator.point(known, {}).time;
  EXPECT_NEAR(quiet.least_s, 0.3, 0.2);
  EXPECT_EQ(quiet.likely_s, quiet.least_s);
  EXPECT_NEAR(quiet.most_s, 20, 4);
  EXPECT_GE(quiet.most_s, 20) << "timed work alone may take as long";
  estimator.learn(measured(known, 1e-3, 1));
  EXPECT_EQ(estimator.point(known, {}).time.likely_s, quiet.most_s);
}

TEST(Estimate, a_long_call_has_few_samples_whatever_its_spread) {
  const Point known = point("cpu.ikj", 200, 1);
  Estimator estimator;
  estimator.learn(measured(known, 3, 1));
  const TimeRange time = estimator.point(known, {}).time;
  EXPECT_NEAR(time.most_s, 3 * 3 + 3, 0.5) << "three samples and the check";
  EXPECT_EQ(time.least_s, time.most_s);
}

TEST(Estimate, what_was_not_measured_here_may_take_until_the_limit) {
  const Point known = point("cpu.ikj", 200, 1);
  const Point other = point("cpu.serial", 200, 1);
  Estimator estimator;
  estimator.learn(measured(known, 3), Estimator::Source::kElsewhere);
  EXPECT_EQ(estimator.point(known, {}).source, Estimator::Source::kElsewhere);
  EXPECT_GE(estimator.point(known, {}).time.most_s, 20);
  EXPECT_EQ(estimator.point(other, {}).source, Estimator::Source::kGuess);
  EXPECT_GE(estimator.point(other, {}).time.most_s, 20);
  estimator.learn(measured(known, 2));
  EXPECT_EQ(estimator.point(known, {}).source, Estimator::Source::kHere);
  EXPECT_NEAR(estimator.point(known, {}).call_s, 2, 1e-9);
}

TEST(Estimate, a_group_pays_for_a_twin_where_samples_are_short) {
  Group group{"g", gemm_at({200, 200, 200}), {}, {point("cpu.ikj", 200, 1), point("cpu.ikj", 200, 2)}};
  Estimator estimator;
  estimator.learn(measured(group.points[0], 1e-3, 1));
  estimator.learn(measured(group.points[1], 0.2, 1));
  const auto besides_s = [&] {
    std::vector<Estimator::PointEstimate> estimates;
    for (const Point& one : group.points) estimates.push_back(estimator.point(one, group.settings));
    return estimator.besides(group, group.points, estimates).most_s;
  };
  const double with_twin_s = besides_s();
  group.settings.twins = false;
  EXPECT_NEAR(with_twin_s - besides_s(), estimator.point(group.points[0], {}).time.most_s, 1e-9);
}

TEST(Estimate, ceilings_and_cold_inputs_belong_to_what_a_tiny_run_takes) {
  Estimator estimator;
  EXPECT_GE(estimator.ceilings().most_s, 17) << "as on a busy host";
  estimator.learn_ceilings(6, Estimator::Source::kElsewhere);
  EXPECT_EQ(estimator.ceilings().likely_s, 6);
  EXPECT_LT(estimator.ceilings().least_s, 6);
  estimator.learn_ceilings(17);
  estimator.learn_ceilings(0);
  EXPECT_EQ(estimator.ceilings().least_s, 17) << "what was measured here goes before, and 0 is none";
  EXPECT_EQ(estimator.ceilings().most_s, 17);

  Group group{"g", gemm_at({32, 32, 32}), {}, {point("cpu.ikj", 32, 1)}};
  group.settings.twins = false;
  const auto besides_s = [&] {
    return Estimator::same_everywhere().besides(group, group.points, {}).likely_s;
  };
  group.points[0].cold = false;
  EXPECT_LT(besides_s(), 0.01) << "one set";
  group.points[0].cold = true;
  EXPECT_NEAR(besides_s(), 4 * 32 * 1.048576e6 / 0.4e9, 0.01) << "four times a cache of 32 MiB";
  group.points[0].scope = Scope::kFirstCall;
  EXPECT_LT(besides_s(), 0.01);
}

/// A committed run of `noise`: its points by shape, with the precision that was the default of its time, and
/// how long it took.
struct Committed {
  std::string file;
  std::map<std::int64_t, Group> groups;
  double wall_s = 0;

  Committed(const std::string& machine, double precision)
      : file(testing::TempDir() + "committed-" + machine + "-noise.jsonl") {
    const std::string packed = GEMMLAB_SOURCE_ROOT "/data/results/" + machine + "/noise.jsonl.gz";
    if (std::system(fmt::format("gunzip -c '{}' > '{}'", packed, file).c_str()) != 0)
      throw std::runtime_error("cannot unpack " + packed);
    std::ifstream lines(file);
    for (std::string line; std::getline(lines, line);) {
      const Json record = Json::parse(line);
      if (record.at("kind") == "cost") wall_s = record.at("wall_s");
      if (record.at("kind") != "case" || !record.at("twin_of").is_null()) continue;
      const std::int64_t size =
          record.at(record.contains("dims") ? Json::json_pointer("/dims/m") : Json::json_pointer("/m"));
      Point one = point(record.at("implementation"), size, 1);
      one.parameters = parameters_from(record.at("parameters"));
      Group& group = groups[size];
      group.instance = one.instance;
      group.settings.precision = precision;
      group.points.push_back(one);
    }
  }

  TimeRange foretold(const Estimator& estimator) const {
    TimeRange total;
    for (const auto& [size, group] : groups) {
      std::vector<Estimator::PointEstimate> estimates;
      for (const Point& one : group.points) {
        estimates.push_back(estimator.point(one, group.settings));
        total += estimates.back().time;
      }
      total += estimator.besides(group, group.points, estimates);
    }
    return total;
  }
};

TEST(Estimate, foretells_what_the_committed_run_of_noise_took) {
  const Committed run("amd-epyc", 0.0075);
  ASSERT_GT(run.wall_s, 0) << run.file;
  const TimeRange guessed = run.foretold({});
  EXPECT_LT(guessed.least_s, run.wall_s);
  EXPECT_GT(guessed.most_s, run.wall_s);
  Estimator estimator;
  estimator.learn(Store(run.file).measured());
  const TimeRange known = run.foretold(estimator);
  EXPECT_LT(known.least_s, run.wall_s);
  EXPECT_NEAR(known.likely_s / run.wall_s, 1, 0.25);
  EXPECT_GT(known.most_s, run.wall_s);
}

TEST(Roofline, the_binding_ceiling_is_the_slower_one) {
  const std::vector<Ceiling> ceilings{{"cpu", "fma", "avx2", 1, 100, "GFLOP/s", ""},
                                      {"cpu", "fma", "avx2", 4, 300, "GFLOP/s", ""},
                                      {"cpu", "memory_read", "dram", 1, 10, "GB/s", ""},
                                      {"cpu", "memory_read", "dram", 4, 20, "GB/s", ""}};
  const Floor compute = floor_of(point("cpu.ikj", 1000, 2), ceilings, {});
  EXPECT_EQ(compute.bound_by, "compute");
  EXPECT_NEAR(compute.seconds, 2e9 / 200e9, 1e-9) << "two threads reach twice one thread's rate";
  EXPECT_NEAR(floor_of(point("cpu.ikj", 1000, 64), ceilings, {}).seconds, 2e9 / 300e9, 1e-9)
      << "never over all cores'";
  EXPECT_EQ(floor_of(point("cpu.ikj", 8, 1), ceilings, {}).bound_by, "memory");
  EXPECT_EQ(floor_of(point("gpu.naive", 8, 1), ceilings, {}).seconds, 0) << "no ceiling was measured for it";
}

TEST(Roofline, warm_inputs_are_bound_by_the_cache_that_holds_them) {
  const std::vector<Ceiling> ceilings{{"cpu", "fma", "avx2", 1, 1e6, "GFLOP/s", ""},
                                      {"cpu", "memory_read", "l1", 1, 400, "GB/s", ""},
                                      {"cpu", "memory_read", "l2", 1, 100, "GB/s", ""},
                                      {"cpu", "memory_read", "dram", 1, 10, "GB/s", ""}};
  const CacheSizes caches{48 << 10, 2 << 20, 0, 0};
  Point warm = point("cpu.ikj", 32, 1);  // 12 KiB
  warm.cold = false;
  EXPECT_EQ(floor_of(warm, ceilings, caches).bound_by, "l1");
  EXPECT_NEAR(floor_of(warm, ceilings, caches).seconds, 12288 / 400e9, 1e-15);
  warm.instance = gemm_at({128, 128, 128});
  EXPECT_EQ(floor_of(warm, ceilings, caches).bound_by, "l2");
  warm.instance = gemm_at({1024, 1024, 1024});
  EXPECT_EQ(floor_of(warm, ceilings, caches).bound_by, "memory");
  Point cold = warm;
  cold.cold = true;
  cold.instance = gemm_at({32, 32, 32});
  EXPECT_EQ(floor_of(cold, ceilings, caches).bound_by, "memory");
}

TEST(Roofline, end_to_end_is_bound_by_the_way_in_and_out) {
  const std::vector<Ceiling> ceilings{{"gpu", "fma", "ffma", 0, 60000, "GFLOP/s", ""},
                                      {"gpu", "memory_read", "dram", 0, 4000, "GB/s", ""},
                                      {"gpu", "transfer_to_device", "pinned", 0, 50, "GB/s", ""},
                                      {"gpu", "transfer_to_device", "pageable", 0, 10, "GB/s", ""},
                                      {"gpu", "transfer_from_device", "pinned", 0, 40, "GB/s", ""},
                                      {"gpu", "transfer_from_device", "pageable", 0, 20, "GB/s", ""}};
  Point one;
  one.implementation = "gpu.tiled";
  one.device = Device::kGpu;
  one.instance = gemm_at({1000, 1000, 1000});
  EXPECT_EQ(floor_of(one, ceilings, {}).bound_by, "compute");
  one.scope = Scope::kEndToEnd;
  EXPECT_EQ(floor_of(one, ceilings, {}).bound_by, "transfer");
  EXPECT_NEAR(floor_of(one, ceilings, {}).seconds, 8e6 / 10e9 + 4e6 / 20e9, 1e-12);
  one.host_memory = HostMemory::kPinned;
  EXPECT_NEAR(floor_of(one, ceilings, {}).seconds, 8e6 / 50e9 + 4e6 / 40e9, 1e-12);
}

TEST(Estimate, another_scope_tells_less_than_another_parameter) {
  Estimator estimator;
  Point first = point("cpu.ikj", 1000, 1);
  first.scope = Scope::kFirstCall;
  estimator.learn(measured(first, 2));
  estimator.learn(measured(point("cpu.ikj", 1000, 2), 0.5));
  EXPECT_NEAR(estimator.point(point("cpu.ikj", 1000, 1), {}).call_s, 0.5, 1e-9);
}

}  // namespace
}  // namespace gemmlab::runner
