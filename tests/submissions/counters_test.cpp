// What ncu prints, and what is made of it.

#include "submissions/judge/explaining/counters.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "submissions/judge/explaining/advice.h"

namespace gemmlab::submissions {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// Two kernels of one call, from an NVIDIA H200.
std::string two_kernels() {
  std::ifstream file(std::string(GEMMLAB_SOURCE_ROOT) + "/tests/samples/data/ncu/h200_two_kernels.txt");
  return {std::istreambuf_iterator<char>(file), {}};
}

const Metrics& metrics() {
  static const Metrics all{
      "gpu__time_duration.sum",
      {{"dram_read_bytes", "byte", "sum", {"dram__bytes_read.sum"}, ""},
       {"shared_load_bank_conflicts",
        "count",
        "sum",
        {"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum"},
        ""},
       {"global_load_sectors_per_request",
        "sector",
        "ratio",
        {"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"},
        "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"},
       {"occupancy", "share", "share", {"sm__warps_active.avg.pct_of_peak_sustained_active"}, ""},
       {"fma_pipe",
        "share",
        "share",
        {"sm__pipe_fma_cycles_active.avg.pct_of_peak_sustained_active",
         "sm__inst_executed_pipe_fma.avg.pct_of_peak_sustained_active"},
        ""},
       {"instructions", "count", "sum", {"smsp__inst_executed.sum"}, ""}}};
  return all;
}

std::vector<std::string> titles(const Counters& counters) {
  std::vector<std::string> found;
  for (const Advice& advice : advice_from(counters)) found.push_back(advice.title);
  return found;
}

Counters counted(double sectors, double conflicts, double l2_bytes, double instructions, double pipe) {
  Counters counters;
  counters.shape = {4096, 4096, 4096};
  counters.values = {{"global_load_sectors_per_request", {sectors, "sector"}},
                     {"shared_load_bank_conflicts", {conflicts, "count"}},
                     {"l2_bytes", {l2_bytes, "byte"}},
                     {"instructions", {instructions, "count"}},
                     {"fma_pipe", {pipe, "share"}}};
  return counters;
}

TEST(Counters, are_summed_over_kernels_and_shares_weighted_by_time) {
  const auto found = counters_in(two_kernels(), metrics());
  EXPECT_EQ(found.at("dram_read_bytes").value, 2816 + 8397568);
  EXPECT_EQ(found.at("dram_read_bytes").unit, "byte");
  EXPECT_EQ(found.at("shared_load_bank_conflicts").value, 100711829);
  EXPECT_EQ(found.at("instructions").value, 327680 + 69140480);
  EXPECT_DOUBLE_EQ(found.at("global_load_sectors_per_request").value, 4);
  EXPECT_NEAR(found.at("occupancy").value, (0.2366 * 4288 + 0.7137 * 727648) / (4288 + 727648), 1e-12);
  EXPECT_NEAR(found.at("fma_pipe").value, (0.0325 * 4288 + 0.0515 * 727648) / (4288 + 727648), 1e-12);
}

TEST(Counters, come_from_a_table_only) {
  EXPECT_THAT(counters_in("", metrics()), IsEmpty());
  EXPECT_THAT(counters_in("==ERROR== ERR_NVGPUCTRPERM - no permission\n", metrics()), IsEmpty());
  EXPECT_THAT(counters_in("\"1\",\"2\"\n", metrics()), IsEmpty());
}

TEST(Counters, what_is_not_known_or_no_number_is_left_out) {
  const auto found = counters_in(
      "\"ID\",\"Kernel Name\",\"dram__bytes_read.sum\",\"smsp__inst_executed.sum\"\n"
      "\"\",\"\",\"byte\",\"inst\"\n"
      "\"0\",\"my \"\"own\"\", kernel\",\"n/a\",\"1,024\"\n",
      metrics());
  EXPECT_EQ(found.size(), 1u);
  EXPECT_EQ(found.at("instructions").value, 1024);
}

// The numbers are those of the suite's rungs at 4096³ on an NVIDIA H200.
TEST(CounterAdvice, tells_what_limits_each_rung) {
  EXPECT_THAT(titles(counted(16.5, 0, 22.2e9, 14.1e9, 0.011)),
              ElementsAre("Accesses are not coalesced", "Each byte is used little before it is fetched again",
                          "Most instructions do not multiply"));
  EXPECT_THAT(
      titles(counted(4, 66.6e9, 20.0e9, 6.68e9, 0.008)),
      ElementsAre("Bank conflicts in shared memory", "Each byte is used little before it is fetched again",
                  "Most instructions do not multiply"));
  EXPECT_THAT(titles(counted(16, 9583, 4.01e9, 2.43e9, 0.556)), IsEmpty());
  EXPECT_THAT(titles(counted(4, 0, 3.38e9, 2.43e9, 0.791)),
              ElementsAre("Close to what the card can multiply"));
}

TEST(CounterAdvice, says_nothing_of_what_was_not_counted) {
  EXPECT_THAT(advice_from(Counters{}), IsEmpty());
}

}  // namespace
}  // namespace gemmlab::submissions
