#include <gtest/gtest.h>

#include <chrono>
#include <set>
#include <thread>

#include "core/machine/machine.h"
#include "cpu/device/loops.h"
#include "cpu/device/rate.h"
#include "cpu/libraries/eigen_product.h"
#include "cpu/table.h"
#include "tests/core/machine/usable_processors.h"

namespace gemmlab::cpu {
namespace {

using test::usable_processors;

TEST(Ceilings, cover_every_isa_and_level_on_one_thread_and_on_all) {
  std::set<std::string> isas;
  std::set<std::pair<std::string, int>> levels;
  std::set<std::pair<std::string, int>> seen;
  for (const Ceiling& ceiling : measure_ceilings()) {
    EXPECT_EQ(ceiling.device, "cpu");
    EXPECT_GT(ceiling.value, 0.0) << ceiling.what << " " << ceiling.level;
    EXPECT_TRUE(ceiling.threads == 1 || ceiling.threads == cpu_info().cores);
    EXPECT_TRUE(seen.emplace(ceiling.what + " " + ceiling.level, ceiling.threads).second) << ceiling.level;
    EXPECT_NE(ceiling.how.find("twice the work took"), std::string::npos) << ceiling.how;
    EXPECT_EQ(ceiling.how.find("not trusted") == std::string::npos, ceiling.trusted) << ceiling.how;
    if (ceiling.what == "fma") {
      EXPECT_EQ(ceiling.unit, "GFLOP/s");
      isas.insert(ceiling.level);
    } else {
      EXPECT_EQ(ceiling.what, "memory_read");
      EXPECT_EQ(ceiling.unit, "GB/s");
      EXPECT_NE(ceiling.how.find("KiB a thread"), std::string::npos) << ceiling.how;
      levels.emplace(ceiling.level, ceiling.threads);
    }
  }
  EXPECT_EQ(isas, std::set<std::string>(cpu_info().isa.begin(), cpu_info().isa.end()));
  for (const int threads : {1, cpu_info().cores}) {
    EXPECT_EQ(levels.count({"dram", threads}), 1U);
    EXPECT_EQ(levels.count({"l1", threads}), cpu_info().l1d_bytes > 0 ? 1U : 0U);
  }
}

TEST(Ceilings, leave_every_thread_free) {
  const int before = usable_processors();
  { const BoundTeam team(cpu_info().cores); }
  EXPECT_EQ(usable_processors(), before);
  int least = before;
#pragma omp parallel num_threads(cpu_info().cores) reduction(min : least)
  least = usable_processors();
  EXPECT_EQ(least, before);
}

TEST(Rate, work_with_a_hidden_start_up_is_not_trusted) {
  // Each sample sleeps before its work: twice the work then takes far less than twice the time, unless a
  // machine under load were to wake all four of one kind 20 ms late and none of the other.
  RateMeter meter([](int, std::int64_t) { std::this_thread::sleep_for(std::chrono::milliseconds(20)); }, 1);
  meter.measure();
  EXPECT_FALSE(meter.rate().trusted());
  EXPECT_NE(meter.rate().how("a sleep").find("not trusted"), std::string::npos);
}

TEST(Loops, a_wider_isa_does_more_work_an_iteration) {
  double before = 0;
  for (const std::string& isa : cpu_info().isa) {
    const double flop = loops_of(isa.c_str()).fma(1);
    EXPECT_GE(flop, before) << isa;
    EXPECT_EQ(loops_of(isa.c_str()).fma(10), 10 * flop) << isa;
    before = flop;
  }
  EXPECT_THROW(loops_of("mmx"), std::invalid_argument);
}

TEST(Loops, the_sum_reads_every_element_once_each_time) {
  for (const std::string& isa : cpu_info().isa) {
    for (const std::int64_t count : {0, 1, 31, 128, 256, 1000, 4097}) {
      const std::vector<float> ones(static_cast<std::size_t>(count), 1.0F);
      EXPECT_EQ(loops_of(isa.c_str()).sum(ones.data(), count, 3), static_cast<float>(3 * count)) << isa;
    }
  }
}

TEST(EigenProduct, serves_where_no_library_is_found) {
  const double a[] = {1, 2, 3, 4, 5, 6};
  const double b[] = {1, 0, 2, 1, 0, 3};
  for (const std::string& isa : cpu_info().isa) {
    double c[4] = {};
    eigen_product_of(isa.c_str())(a, b, c, 2, 2, 3, 1);
    EXPECT_EQ(std::vector<double>(c, c + 4), (std::vector<double>{5, 11, 14, 23})) << isa;
  }
}

}  // namespace
}  // namespace gemmlab::cpu
