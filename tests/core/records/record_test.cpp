#include "core/records/record.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <regex>

#include "operations/gemm/implementation.h"

namespace gemmlab {
namespace {

Point tiled_point() {
  Point point;
  point.implementation = "gpu.tiled";
  point.device = Device::kGpu;
  point.parameters = {{"layout", std::string("row")}, {"block", std::int64_t{32}}};
  point.label = "tiled, block 32";
  point.instance = gemm_at({1024, 2048, 4096});
  point.group = "squares";
  return point;
}

Outcome measured(int samples) {
  Outcome outcome;
  outcome.status = Status::kOk;
  for (int i = 0; i < samples; ++i) {
    outcome.samples_s.push_back(0.001 * (i + 1));
    outcome.rounds.push_back(i);
  }
  outcome.stop_reason = "precision";
  outcome.checks = {{"exact", 0, 0, 0, 0, Verdict::kOk}, {"projection", 0, 0.75, 3, 4, Verdict::kOk}};
  outcome.threads_actual = 2;
  outcome.chosen = {{"file", std::string("libopenblas.so.0")}, {"stages", std::int64_t{3}}, {"share", 0.5}};
  outcome.phases_s = {{"prepare", 0.25}};
  outcome.warnings = {"one"};
  return outcome;
}

Json recorded(const Outcome& outcome, double ceiling_s = 0, const std::string& bound_by = "") {
  return case_record("r1", "quick", tiled_point(), outcome, ceiling_s, bound_by);
}

/// The keys of a case record, in their order.
constexpr const char* kFields =
    "kind run_id case_id experiment operation implementation name name_parts device family variant_of "
    "reference parameters label dims options scope cache distribution seed host_memory allocation "
    "module_loading "
    "load timing group precision status reason replica handicap twin_of samples_s rounds sample_count "
    "calls_per_sample input_sets median_s ci95_s min_s rates of_ceiling bound_by least_bytes moved_bytes "
    "stop_reason sustained_s verify threads_actual cores pinned denormals run_queue_delay_s steal_s "
    "clock_mhz clock_low_mhz clock_below_share clock_readings temperature_c power_w throttled "
    "throttled_share throttle_reasons energy_j_per_call energy_source energy_calls energy_s no_energy "
    "rates_per_j remeasured chosen resources phases_s warnings";

TEST(record, the_canonical_point_is_the_same_text_for_ever) {
  EXPECT_EQ(tiled_point().canonical().dump(),
            R"({"cache":"cold","distribution":"uniform","group":"squares","implementation":"gpu.tiled",)"
            R"("k":4096,"m":1024,"n":2048,)"
            R"("parameters":{"block":32,"layout":"row"},"scope":"kernel","seed":1})");
  EXPECT_EQ(tiled_point().case_id(), "7725dcb9e3322c0e");
}

TEST(record, everything_that_changes_what_is_measured_changes_the_case_id) {
  const std::string base = tiled_point().case_id();
  std::vector<Point> others(10, tiled_point());
  others[0].implementation = "gpu.tiled_padded";
  others[1].parameters["block"] = std::int64_t{16};
  others[2].instance.dims[0] = 1023;
  others[3].instance.dims[1] = 1024;
  others[4].instance.dims[2] = 1024;
  others[5].scope = Scope::kCall;
  others[6].cold = false;
  others[7].distribution = Distribution::kNormal;
  others[8].seed = 2;
  others[9].group = "rectangle";
  for (const Point& other : others) EXPECT_NE(other.case_id(), base) << other.canonical();
  Point renamed = tiled_point();
  renamed.label = "another name";
  renamed.name = "another, too";
  renamed.name_parts = {"another", ", too"};
  EXPECT_EQ(renamed.case_id(), base);
}

TEST(record, a_case_says_what_texts_call_it) {
  Point point = tiled_point();
  Description description;
  description.name = "tiled {block}";
  description.family = "tiles";
  description.parameters = {{"block", "", {std::int64_t{32}}, 0, 0, std::int64_t{32}}};
  static_cast<Identity&>(point) = identity_of(description, point.parameters);
  const Json record = case_record("r1", "quick", point, {}, 0, "");
  EXPECT_EQ(record["name"], "tiled 32");
  EXPECT_EQ(record["name_parts"].dump(), R"(["tiled {block}"])");
  EXPECT_EQ(record["family"], "tiles");
}

TEST(record, a_case_bears_every_field_in_a_fixed_order) {
  for (const Outcome& outcome : {Outcome{}, measured(9)}) {
    const Json record = recorded(outcome);
    std::string found;
    for (const auto& item : record.items()) found += (found.empty() ? "" : " ") + item.key();
    EXPECT_EQ(found, kFields);
  }
}

TEST(record, a_measured_case_carries_its_statistics) {
  const Json record = recorded(measured(9), 0.0025, "compute");
  EXPECT_EQ(record["kind"], "case");
  EXPECT_EQ(record["status"], "ok");
  EXPECT_TRUE(record["reason"].is_null());
  EXPECT_EQ(record["samples_s"].size(), 9u);
  EXPECT_EQ(record["rounds"].dump(), "[0,1,2,3,4,5,6,7,8]");
  EXPECT_DOUBLE_EQ(record["median_s"], 0.005);
  EXPECT_DOUBLE_EQ(record["ci95_s"][0], 0.002);
  EXPECT_DOUBLE_EQ(record["ci95_s"][1], 0.008);
  EXPECT_DOUBLE_EQ(record["min_s"], 0.001);
  EXPECT_DOUBLE_EQ(record["rates"]["gflop_per_s"].get<double>(), 2.0 * 1024 * 2048 * 4096 / 0.005 / 1e9);
  EXPECT_DOUBLE_EQ(record["of_ceiling"], 0.5);
  EXPECT_EQ(record["bound_by"], "compute");
  EXPECT_EQ(record["chosen"].dump(), R"({"file":"libopenblas.so.0","share":0.5,"stages":3})");
  EXPECT_EQ(record["phases_s"].dump(), R"({"prepare":0.25})");
  EXPECT_EQ(record["warnings"].dump(), R"(["one"])");
  EXPECT_EQ(record["threads_actual"], 2);
}

TEST(record, whole_numbers_stay_whole_numbers) {
  const Json record = recorded(measured(9));
  for (const char* name : {"seed", "sample_count", "calls_per_sample", "input_sets", "threads_actual"}) {
    EXPECT_TRUE(record[name].is_number_integer()) << name;
  }
  EXPECT_EQ(record["dims"].dump(), R"({"m":1024,"n":2048,"k":4096})");
  EXPECT_TRUE(record["parameters"]["block"].is_number_integer());
  EXPECT_TRUE(record["chosen"]["stages"].is_number_integer());
  EXPECT_TRUE(record["verify"][0]["worst"]["row"].is_number_integer());
}

TEST(record, an_unmeasured_case_carries_its_reason_and_no_numbers) {
  Outcome outcome;
  outcome.status = Status::kSkipped;
  outcome.reason = "predicted to take 40 s";
  const Json record = recorded(outcome);
  EXPECT_EQ(record["status"], "skipped");
  EXPECT_EQ(record["reason"], "predicted to take 40 s");
  EXPECT_EQ(record["samples_s"].dump(), "[]");
  EXPECT_EQ(record["sample_count"], 0);
  for (const char* name :
       {"median_s", "ci95_s", "min_s", "of_ceiling", "bound_by", "stop_reason", "threads_actual", "clock_mhz",
        "temperature_c", "power_w", "throttled", "host_memory", "allocation", "module_loading", "twin_of",
        "moved_bytes", "cores", "pinned"}) {
    EXPECT_TRUE(record[name].is_null()) << name;
  }
  EXPECT_EQ(record["rates"].dump(), R"({"gflop_per_s":null})");
}

TEST(record, five_samples_have_no_interval) {
  EXPECT_TRUE(recorded(measured(5))["ci95_s"].is_null());
  EXPECT_FALSE(recorded(measured(6))["ci95_s"].is_null());
}

TEST(record, at_most_a_thousand_samples_are_kept_and_all_are_counted) {
  const Json record = recorded(measured(1500));
  EXPECT_EQ(record["samples_s"].size(), kMostSamplesKept);
  EXPECT_EQ(record["rounds"].size(), kMostSamplesKept);
  EXPECT_EQ(record["sample_count"], 1500);
  EXPECT_DOUBLE_EQ(record["median_s"], 0.7505) << "of all samples, not of those kept";
}

TEST(record, neither_nan_nor_infinity_is_written) {
  Outcome outcome = measured(6);
  const double infinity = std::numeric_limits<double>::infinity();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  outcome.checks = {{"bound", infinity, 0, 1, 2, Verdict::kIncorrect},
                    {"projection", 0, nan, -1, -1, Verdict::kIncorrect}};
  outcome.chosen = {{"share", nan}};
  outcome.phases_s = {{"verify", infinity}};
  outcome.samples_s.assign(6, 0.0);
  const Json record = recorded(outcome, 1.0, "memory");
  EXPECT_TRUE(record["verify"][0]["eta_max"].is_null());
  EXPECT_TRUE(record["verify"][1]["residual"].is_null());
  EXPECT_TRUE(record["verify"][1]["worst"].is_null());
  EXPECT_TRUE(record["chosen"]["share"].is_null());
  EXPECT_TRUE(record["phases_s"]["verify"].is_null());
  EXPECT_TRUE(record["rates"]["gflop_per_s"].is_null());
  EXPECT_TRUE(record["of_ceiling"].is_null());
  EXPECT_EQ(Json::parse(record.dump()), record);
}

TEST(record, a_check_says_where_and_a_residual_only_of_projections) {
  EXPECT_EQ(to_json(Check{"bound", 1.5, 0, 3, 4, Verdict::kOk}).dump(),
            R"({"method":"bound","eta_max":1.5,"residual":null,"worst":{"row":3,"col":4},"verdict":"ok"})");
  EXPECT_EQ(to_json(Check{"projection", 0, 0.25, 3, 4, Verdict::kReducedPrecision})["residual"], 0.25);
}

TEST(record, a_point_above_its_ceiling_is_flagged_as_broken) {
  EXPECT_EQ(recorded(measured(9), 0.00505, "compute")["warnings"].size(), 1u)
      << "1 % is a ceiling's own error";
  const Json record = recorded(measured(9), 0.0055, "compute");
  ASSERT_EQ(record["warnings"].size(), 2u);
  EXPECT_NE(record["warnings"][1].get<std::string>().find("broken"), std::string::npos);
}

TEST(record, the_ceiling_of_fp32_multipliers_binds_nothing_that_computes_with_others) {
  Point point = tiled_point();
  point.precision = Precision::kFp32Split;
  const auto bound = [&](double ceiling_s, const char* by) {
    return case_record("r1", "quick", point, measured(9), ceiling_s, by);
  };
  EXPECT_TRUE(bound(0.0055, "compute")["of_ceiling"].is_null());
  EXPECT_TRUE(bound(0.0055, "compute")["bound_by"].is_null());
  EXPECT_EQ(bound(0.004, "memory")["bound_by"], "memory");
}

TEST(record, what_only_some_scopes_have_is_null_for_the_others) {
  Point point = tiled_point();
  point.scope = Scope::kEndToEnd;
  point.host_memory = HostMemory::kPinned;
  point.allocation = Allocation::kCounted;
  const Json end_to_end = case_record("r1", "quick", point, measured(9), 0, "");
  EXPECT_EQ(end_to_end["host_memory"], "pinned");
  EXPECT_EQ(end_to_end["allocation"], "counted");
  EXPECT_TRUE(end_to_end["module_loading"].is_null());
  point.scope = Scope::kFirstCall;
  point.module_loading = ModuleLoading::kEager;
  const Json first = case_record("r1", "quick", point, measured(9), 0, "");
  EXPECT_EQ(first["module_loading"], "eager");
  EXPECT_TRUE(first["host_memory"].is_null());
}

TEST(record, a_first_call_tells_its_phases_in_their_order_and_the_steady_state) {
  Outcome outcome = measured(0);
  for (const double scale : {1.0, 2.0}) {
    FirstCall call;
    call.phases_s = {{"context", 0.2 * scale}, {"allocation", 0.1 * scale}, {"kernel", 0.05 * scale}};
    call.steady_s = 0.001;
    outcome.samples_s.push_back(call.total_s());
    outcome.first_calls.push_back(call);
  }
  const Json record = recorded(outcome);
  EXPECT_EQ(record["first_call_s"].dump(),
            R"({"context":[0.2,0.4],"allocation":[0.1,0.2],"kernel":[0.05,0.1]})");
  EXPECT_EQ(record["steady_s"].dump(), "[0.001,0.001]");
  EXPECT_NEAR(record["median_s"].get<double>(), 0.525, 1e-12);
}

TEST(record, threads_that_were_seen_count_more_than_threads_that_were_claimed) {
  Outcome outcome = measured(9);
  Conditions conditions;
  conditions.threads_ran = 1;
  conditions.cores = {3};
  conditions.pinned = true;
  conditions.run_queue_delay_s = 0.25;
  outcome.observed.add(conditions);
  const Json record = recorded(outcome);
  EXPECT_EQ(record["threads_actual"], 1) << "the implementation says 2";
  EXPECT_EQ(record["cores"].dump(), "[3]");
  EXPECT_EQ(record["pinned"], true);
  EXPECT_DOUBLE_EQ(record["run_queue_delay_s"], 0.25);
}

TEST(record, a_point_whose_threads_were_not_bound_in_one_sample_is_not_pinned_and_says_why) {
  Outcome outcome = measured(2);
  Conditions conditions;
  conditions.pinned = true;
  outcome.observed.add(conditions);
  EXPECT_EQ(recorded(outcome)["pinned"], true);
  EXPECT_EQ(recorded(outcome)["warnings"].size(), 1u);
  conditions.pinned = false;
  conditions.unbound = "planted";
  outcome.observed.add(conditions);
  EXPECT_EQ(recorded(outcome)["pinned"], false);
  EXPECT_EQ(recorded(outcome)["warnings"][1], "threads were not bound to cores in 1 of 2 samples: planted");
}

TEST(record, statuses_have_the_names_that_readers_expect) {
  const std::pair<Status, const char*> names[] = {{Status::kOk, "ok"},
                                                  {Status::kIncorrect, "incorrect"},
                                                  {Status::kReducedPrecision, "reduced-precision"},
                                                  {Status::kSkipped, "skipped"},
                                                  {Status::kUnsupported, "unsupported"},
                                                  {Status::kOutOfMemory, "out-of-memory"},
                                                  {Status::kTimeout, "timeout"},
                                                  {Status::kCrashed, "crashed"},
                                                  {Status::kFailed, "failed"}};
  for (const auto& [status, name] : names) EXPECT_STREQ(to_string(status), name);
}

TEST(record, checks_and_what_is_declared_decide_the_status) {
  const auto with = [](Verdict verdict) {
    return std::vector<Check>{{"exact", 0, 0, 0, 0, Verdict::kOk}, {"bound", 0, 0, 0, 0, verdict}};
  };
  EXPECT_EQ(status_of(with(Verdict::kOk), Precision::kFp32), Status::kOk);
  EXPECT_EQ(status_of(with(Verdict::kUncertified), Precision::kFp32), Status::kOk);
  EXPECT_EQ(status_of(with(Verdict::kReducedPrecision), Precision::kFp32), Status::kReducedPrecision);
  EXPECT_EQ(status_of(with(Verdict::kReducedPrecision), Precision::kFp32Split), Status::kReducedPrecision);
  EXPECT_EQ(status_of(with(Verdict::kReducedPrecision), Precision::kTf32), Status::kOk);
  for (const Precision declared : {Precision::kFp32, Precision::kBf16}) {
    EXPECT_EQ(status_of(with(Verdict::kIncorrect), declared), Status::kIncorrect);
    EXPECT_EQ(status_of({}, declared), Status::kIncorrect) << "nothing was checked";
  }
}

TEST(record, the_time_is_written_in_utc) {
  EXPECT_TRUE(std::regex_match(utc_now(), std::regex(R"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ)"))) << utc_now();
}

}  // namespace
}  // namespace gemmlab
