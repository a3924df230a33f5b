// Latency, access, barrier and chain on the CPU: right at odd sizes, whatever the parameters.

#include <gtest/gtest.h>

#include "core/machine/machine.h"
#include "cpu/chase/pages.h"
#include "cpu/table.h"
#include "operations/access/access.h"
#include "operations/barrier/barrier.h"
#include "operations/chain/chain.h"
#include "operations/chase/chase.h"
#include "tests/operation_case.h"

namespace gemmlab {
namespace {

const Implementation& row(const std::string& id) {
  for (const Implementation* one : cpu::implementations()) {
    if (one->description().id == id) return *one;
  }
  throw std::out_of_range(id);
}

/// Two sets by one session, the first twice.
void expect_right(const Implementation& implementation, const Instance& instance,
                  const Parameters& parameters) {
  OperationCase of_case(instance);
  const auto session = implementation.prepare(instance, parameters);
  for (const std::int64_t set : {0, 0, 3}) {
    of_case.fill(set);
    if (implementation.operands_resident(parameters)) session->stage({of_case.operands()});
    session->run(of_case.operands());
    EXPECT_EQ(of_case.verdict(set), Verdict::kOk)
        << implementation.description().id << " " << instance.dims[0];
  }
}

void expect_right_everywhere(const Implementation& implementation, const Operation& operation,
                             const Options& options = {}) {
  for (const Parameters& parameters : all_choices(implementation.description())) {
    for (const auto& dims : operation.odd_dimensions()) {
      const Instance instance = instance_of(operation, dims, options);
      if (implementation.why_not(instance, parameters).empty())
        expect_right(implementation, instance, parameters);
    }
  }
}

TEST(CpuChase, EndsWhereTheCycleLeads) {
  expect_right_everywhere(row("cpu.chase"), chase(), {{"loads", std::int64_t{1001}}});
  expect_right_everywhere(row("cpu.chase"), chase(),
                          {{"loads", std::int64_t{37}}, {"spacing", std::int64_t{4096}}});
}

TEST(CpuChase, GoesOnFromWhereItStopped) {
  const Instance half = instance_of(chase(), {1000 * 128}, {{"loads", std::int64_t{500}}});
  const Instance whole = instance_of(chase(), {1000 * 128}, {{"loads", std::int64_t{1000}}});
  const Parameters parameters = complete(row("cpu.chase").description(), {});
  OperationCase of_case(half);
  of_case.fill(7);
  const auto session = row("cpu.chase").prepare(half, parameters);
  session->stage({of_case.operands()});
  session->run(of_case.operands());
  session->run(of_case.operands());
  EXPECT_EQ(overall(chase().reference(whole, {}, {})->check(of_case.operands(), 7)), Verdict::kOk);
}

TEST(CpuChase, RefusesOperandsThatWereNotStaged) {
  const Instance instance = instance_of(chase(), {4096});
  OperationCase of_case(instance);
  const auto session = row("cpu.chase").prepare(instance, complete(row("cpu.chase").description(), {}));
  EXPECT_THROW(session->run(of_case.operands()), std::logic_error);
}

TEST(Pages, SmallOnesAreNotHuge) {
  constexpr std::size_t kBytes = 8 << 20;
  const cpu::Pages small(kBytes, false);
  for (std::size_t i = 0; i < kBytes; i += 4096) small.data()[i] = 1;
  EXPECT_EQ(small.huge_share(), 0);
  const cpu::Pages huge(kBytes, true);
  for (std::size_t i = 0; i < kBytes; i += 4096) huge.data()[i] = 1;
  EXPECT_GE(huge.huge_share(), 0);
  EXPECT_LE(huge.huge_share(), 1);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(huge.data()) % (2 << 20), 0u);
}

TEST(CpuAccess, AddsUpWhatThePatternNames) {
  for (const std::int64_t offset : {0, 3, 31}) {
    for (const std::int64_t stride : {1, 3, 32}) {
      expect_right_everywhere(row("cpu.access"), access(), {{"offset", offset}, {"stride", stride}});
    }
  }
}

TEST(CpuAccess, ReadsAgainInEachPass) {
  for (const std::int64_t n : {33, 255}) {
    const Instance instance = instance_of(access(), {n}, {{"passes", std::string("many")}});
    for (const Parameters& parameters : all_choices(row("cpu.access").description())) {
      expect_right(row("cpu.access"), instance, parameters);
    }
  }
}

TEST(CpuAccess, RefusesWideLoadsWithAStride) {
  const Instance strided = instance_of(access(), {1000}, {{"stride", std::int64_t{2}}});
  const Parameters wide = complete(row("cpu.access").description(), {{"width", std::int64_t{16}}});
  EXPECT_NE(row("cpu.access").why_not(strided, wide), "");
}

TEST(CpuBarrier, EveryThreadWaits) {
  expect_right_everywhere(row("cpu.barrier"), barrier());
  for (std::int64_t threads = 1; threads <= cpu_info().cores; ++threads) {
    expect_right(row("cpu.barrier"), instance_of(barrier(), {threads, 5}), {});
  }
  EXPECT_NE(row("cpu.barrier").why_not(instance_of(barrier(), {cpu_info().cores + 1, 5}), {}), "");
}

TEST(CpuChain, ComesToTheLastValue) {
  expect_right_everywhere(row("cpu.chain"), chain());
}

}  // namespace
}  // namespace gemmlab
