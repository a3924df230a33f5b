#include <gtest/gtest.h>

#include <set>

#include "core/machine.h"
#include "cpu/loops.h"
#include "cpu/table.h"

namespace gemmlab::cpu {
namespace {

TEST(Ceilings, cover_every_isa_and_memory_and_say_how) {
  std::set<std::string> fma_levels;
  bool memory = false;
  for (const Ceiling& ceiling : measure_ceilings()) {
    EXPECT_EQ(ceiling.device, "cpu");
    EXPECT_GT(ceiling.value, 0.0) << ceiling.what << " " << ceiling.level;
    EXPECT_GE(ceiling.threads, 1);
    EXPECT_LE(ceiling.threads, cpu_info().cores);
    EXPECT_NE(ceiling.how.find("twice the work took"), std::string::npos) << ceiling.how;
    if (ceiling.what == "fma") {
      EXPECT_EQ(ceiling.unit, "GFLOP/s");
      fma_levels.insert(ceiling.level);
    } else {
      EXPECT_EQ(ceiling.what, "memory_read");
      EXPECT_EQ(ceiling.unit, "GB/s");
      EXPECT_EQ(ceiling.level, "dram");
      memory = true;
    }
  }
  EXPECT_EQ(fma_levels, std::set<std::string>(cpu_info().isa.begin(), cpu_info().isa.end()));
  EXPECT_TRUE(memory);
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

TEST(Loops, the_sum_reads_every_element_once) {
  for (const std::string& isa : cpu_info().isa) {
    for (const std::int64_t count : {0, 1, 31, 128, 1000, 4097}) {
      const std::vector<float> ones(static_cast<std::size_t>(count), 1.0F);
      EXPECT_EQ(loops_of(isa.c_str()).sum(ones.data(), count), static_cast<float>(count)) << isa;
    }
  }
}

TEST(Loops, eigens_double_product_serves_where_no_library_is_found) {
  const double a[] = {1, 2, 3, 4, 5, 6};
  const double b[] = {1, 0, 2, 1, 0, 3};
  for (const std::string& isa : cpu_info().isa) {
    double c[4] = {};
    loops_of(isa.c_str()).double_product(a, b, c, 2, 2, 3, 1);
    EXPECT_EQ(std::vector<double>(c, c + 4), (std::vector<double>{5, 11, 14, 23})) << isa;
  }
}

}  // namespace
}  // namespace gemmlab::cpu
