#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "core/implementation.h"
#include "cpu/spmv/method.h"
#include "cpu/table.h"
#include "operations/spmv/structure.h"
#include "tests/spmv_cases.h"

namespace gemmlab::sparse {
namespace {

std::vector<const Implementation*> spmv_rows() {
  std::vector<const Implementation*> rows;
  for (const Implementation* row : cpu::implementations()) {
    if (row->description().operation == "spmv") rows.push_back(row);
  }
  return rows;
}

std::vector<float> product_by(Session& session, SpmvCase problem) {
  std::vector<float> y(static_cast<std::size_t>(problem.m), std::numeric_limits<float>::quiet_NaN());
  session.run(Operands(
      {problem.values.data(), problem.columns.data(), problem.offsets.data(), problem.x.data(), y.data()}));
  return y;
}

TEST(CpuSpmv, every_row_of_the_table_multiplies_every_case_exactly) {
  int run = 0;
  for (const Implementation* row : spmv_rows()) {
    if (!row->unavailable().empty()) continue;
    for (Parameters parameters : all_choices(row->description())) {
      for (const std::int64_t threads : {1, 2, 3, 7}) {
        if (parameters.count("threads") != 0) parameters["threads"] = threads;
        for (const SpmvCase& problem : spmv_cases()) {
          const auto session = row->prepare(problem.instance(), parameters);
          EXPECT_EQ(product_by(*session, problem), problem.product())
              << row->description().id << ", " << problem.name << ", " << threads << " threads";
          ++run;
        }
        if (parameters.count("threads") == 0) break;
      }
    }
  }
  EXPECT_GT(run, 100);
}

TEST(CpuSpmv, the_table_has_serial_threaded_vectorised_and_two_libraries) {
  std::vector<std::string> ids;
  for (const Implementation* row : spmv_rows()) ids.push_back(row->description().id);
  EXPECT_EQ(ids, (std::vector<std::string>{"cpu.spmv", "cpu.spmv_openmp", "cpu.spmv_simd", "cpu.eigen_spmv",
                                           "cpu.mkl_spmv"}));
}

cpu::SpmvProblem shares_of(const SpmvCase& problem) {
  cpu::SpmvProblem p{};
  p.offsets = problem.offsets.data();
  p.m = problem.m;
  p.n = problem.n;
  p.nnz = problem.offsets.back();
  return p;
}

TEST(CpuSpmv, shares_cover_each_row_once) {
  for (const SpmvCase& problem : spmv_cases()) {
    const cpu::SpmvProblem p = shares_of(problem);
    for (const std::int64_t parts : {1, 2, 7, 64}) {
      EXPECT_EQ(cpu::first_row_of(p, 0, parts), 0) << problem.name;
      EXPECT_EQ(cpu::first_row_of(p, parts, parts), p.m) << problem.name;
      for (std::int64_t part = 0; part < parts; ++part) {
        EXPECT_LE(cpu::first_row_of(p, part, parts), cpu::first_row_of(p, part + 1, parts)) << problem.name;
      }
    }
  }
}

TEST(CpuSpmv, shares_are_of_entries_not_of_rows) {
  std::vector<std::int32_t> lengths(1000, 1);
  std::fill_n(lengths.begin(), 100, 91);  // nine tenths of the entries in a tenth of the rows
  const SpmvCase problem = spmv_case("front-heavy", 500, lengths);
  const cpu::SpmvProblem p = shares_of(problem);
  const std::int64_t middle = cpu::first_row_of(p, 1, 2);
  EXPECT_LT(middle, 100);
  EXPECT_NEAR(static_cast<double>(problem.offsets[static_cast<std::size_t>(middle)] + middle),
              static_cast<double>(p.nnz + p.m) / 2, 92);
}

}  // namespace
}  // namespace gemmlab::sparse
