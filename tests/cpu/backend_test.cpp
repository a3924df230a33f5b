#include "core/backend.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>

#include "cpu/table.h"

namespace gemmlab::cpu {
namespace {

TEST(HostBackend, memory_starts_at_a_cache_line_and_holds_what_was_put_there) {
  const auto backend = make_backend();
  for (const std::int64_t count : {1, 17, 1 << 20}) {
    std::vector<float> values(static_cast<std::size_t>(count));
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i % 1000);
    float* memory = backend->allocate<float>(count);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory) % 64, 0U);
    backend->poison(memory, count);
    EXPECT_TRUE(std::isnan(memory[0]) && std::isnan(memory[count - 1]));
    backend->upload(memory, values.data(), count);
    std::vector<float> back(values.size(), -1.0F);
    backend->download(back.data(), memory, count);
    EXPECT_EQ(back, values);
    backend->release(memory);
  }
}

TEST(HostBackend, more_memory_than_there_is_ends_as_out_of_memory) {
  const auto backend = make_backend();
  EXPECT_GT(backend->free_bytes(), 0);
  EXPECT_THROW(backend->allocate<float>(backend->free_bytes()), OutOfMemory);
}

TEST(HostBackend, a_sample_runs_every_call_once_in_order) {
  const auto backend = make_backend();
  std::vector<int> order;
  const double seconds = backend->sample({[&] { order.push_back(1); }, [&] { order.push_back(2); }},
                                         Scope::kKernel, Timing::kLaunch, 0);
  EXPECT_GE(seconds, 0.0);
  EXPECT_EQ(order, (std::vector<int>{1, 2}));
}

TEST(HostBackend, a_batch_is_its_calls_in_a_row) {
  const auto backend = make_backend();
  int calls = 0;
  const std::vector<Backend::Call> batch(7, [&] { ++calls; });
  backend->sample(batch, Scope::kKernel, Timing::kBatch, 0);
  EXPECT_EQ(calls, 7);
}

TEST(HostBackend, a_sustained_row_is_watched_as_one_sample_and_says_why_it_has_no_energy) {
  const auto backend = cpu::make_backend();
  int calls = 0;
  const std::vector<Backend::Call> row = {[&] { ++calls; }, [&] { ++calls; }};
  int told = 0;
  bool stretch = false;
  backend->settle(row.front());
  calls = 0;
  backend->sustain([&]() -> const std::vector<Backend::Call>& { return row; }, Scope::kKernel, Timing::kBatch,
                   1,
                   [&](double seconds) {
                     EXPECT_GE(seconds, 0);
                     if (++told == 5) {
                       backend->begin_energy();
                       stretch = true;
                     }
                     return told < 10;
                   });
  EXPECT_TRUE(stretch);
  EXPECT_EQ(told, 10);
  EXPECT_EQ(calls, 20);
  const std::optional<Energy> energy = backend->end_energy();
  EXPECT_EQ(backend->conditions().threads_ran, 1);
  if (energy) {
    EXPECT_STREQ(energy->source, kRaplPackage);
  } else {
    EXPECT_NE(backend->why_no_energy(), "");
  }
}

TEST(HostBackend, end_to_end_leaves_c_where_the_program_keeps_it) {
  const auto backend = make_backend();
  constexpr std::int64_t kCount = 3000;
  for (const Allocation allocation : {Allocation::kNotCounted, Allocation::kCounted, Allocation::kHostToo}) {
    const bool counted = allocation != Allocation::kNotCounted;
    EndToEnd work;
    float* host = backend->allocate_host<float>(kCount, HostMemory::kPageable);
    float one = 1;
    float* used = nullptr;
    work.operands = {{&one, sizeof one, Direction::kIn},
                     {&one, sizeof one, Direction::kIn},
                     {host, kCount * std::int64_t{sizeof(float)}, Direction::kOut}};
    work.allocation = allocation;
    work.run = [&](const Operands& operands) {
      const float* a = operands.in<float>(0);
      const float* b = operands.in<float>(1);
      float* c = operands.out<float>(2);
      used = c;
      for (std::int64_t i = 0; i < kCount; ++i) {
        // fresh pages hold nothing but zeros: none was touched before
        ASSERT_TRUE(!counted || c[i] == 0.0F);
        c[i] = *a + *b;
      }
    };
    backend->poison(host, kCount);
    EXPECT_GT(backend->end_to_end_s(work), 0.0);
    EXPECT_GT(backend->end_to_end_s(work), 0.0);
    EXPECT_EQ(used == host, !counted);
    for (std::int64_t i = 0; i < kCount; ++i) ASSERT_EQ(host[i], 2.0F);
    backend->release_host(host, HostMemory::kPageable);
  }
}

TEST(Costs, the_clock_costs_less_than_what_is_timed_with_it) {
  const std::vector<Cost> costs = measure_costs();
  ASSERT_EQ(costs.size(), 1U);
  EXPECT_EQ(costs[0].device, "cpu");
  EXPECT_EQ(costs[0].what, "clock");
  EXPECT_GE(costs[0].seconds, 0.0);
  EXPECT_LT(costs[0].seconds, 1e-4);
  EXPECT_FALSE(costs[0].how.empty());
}

TEST(HostBackend, knows_a_last_level_cache) {
  EXPECT_GT(make_backend()->last_level_cache_bytes(), 0);
}

TEST(Words, scopes_and_timings_are_named_as_in_records) {
  EXPECT_STREQ(to_string(Scope::kKernel), "kernel");
  EXPECT_STREQ(to_string(Scope::kCall), "call");
  EXPECT_STREQ(to_string(Scope::kEndToEnd), "end-to-end");
  EXPECT_STREQ(to_string(Scope::kFirstCall), "first-call");
  EXPECT_STREQ(to_string(Timing::kLaunch), "launch");
  EXPECT_STREQ(to_string(Timing::kBatch), "batch");
  EXPECT_STREQ(to_string(Timing::kGraph), "graph");
}

}  // namespace
}  // namespace gemmlab::cpu
