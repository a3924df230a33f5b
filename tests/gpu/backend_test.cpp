#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "operations/gemm/implementation.h"
#include "tests/gpu/on_gpu.h"

namespace gemmlab {
namespace {

class GpuBackend : public OnGpu {};

const Backend::Call kNothing = [] {};

TEST_F(GpuBackend, brings_back_what_was_uploaded) {
  const std::vector<float> sent = {1, -2, 3.5f, 0, 1e-30f};
  float* memory = backend_->allocate<float>(sent.size());
  backend_->upload(memory, sent.data(), sent.size());
  std::vector<float> received(sent.size());
  backend_->download(received.data(), memory, received.size());
  EXPECT_EQ(sent, received);
  backend_->release(memory);
}

TEST_F(GpuBackend, brings_back_what_is_large_enough_to_be_given_pages_first) {
  constexpr std::size_t kFloats = (std::size_t{32} << 20) + 3;
  std::vector<float> sent(kFloats);
  for (std::size_t i = 0; i < kFloats; ++i) sent[i] = static_cast<float>(i % 4099);
  float* memory = backend_->allocate<float>(kFloats);
  backend_->upload(memory, sent.data(), kFloats);
  std::vector<float> received(kFloats + 2, -1.0f);
  backend_->download(received.data() + 1, memory, kFloats);
  EXPECT_TRUE(std::equal(sent.begin(), sent.end(), received.begin() + 1));
  EXPECT_EQ(received.front(), -1.0f);
  EXPECT_EQ(received.back(), -1.0f);
  backend_->release(memory);
}

TEST_F(GpuBackend, poisons_with_nan_and_no_further) {
  std::vector<float> values(1000, 1.0f);
  float* memory = backend_->allocate<float>(values.size());
  backend_->upload(memory, values.data(), values.size());
  backend_->poison(memory + 1, 998);
  backend_->download(values.data(), memory, values.size());
  EXPECT_EQ(values.front(), 1.0f);
  EXPECT_EQ(values.back(), 1.0f);
  for (std::size_t i = 1; i < 999; ++i) EXPECT_TRUE(std::isnan(values[i])) << i;
  backend_->release(memory);
}

TEST_F(GpuBackend, says_out_of_memory_and_works_on) {
  const std::int64_t too_many = std::int64_t{1} << 46;
  EXPECT_THROW(backend_->allocate<float>(too_many), OutOfMemory);
  EXPECT_NO_THROW(backend_->synchronize());
  float* memory = backend_->allocate<float>(1000);
  EXPECT_NO_THROW(backend_->poison(memory, 1000));
  EXPECT_NO_THROW(backend_->release(memory));
  for (const Implementation* implementation : of_operation(gpu::implementations(), "gemm")) {
    if (!implementation->unavailable().empty()) continue;
    const Shape shape{33, 34, 35};
    const auto session = implementation->prepare(gemm_at(shape), complete(implementation->description(), {}));
    Guarded a(*backend_, shape.a_count());
    Guarded b(*backend_, shape.b_count());
    Guarded c(*backend_, shape.c_count());
    EXPECT_NO_THROW(multiply(*session, a.data(), b.data(), c.data())) << implementation->description().id;
    EXPECT_NO_THROW(backend_->synchronize()) << implementation->description().id;
  }
}

TEST_F(GpuBackend, gives_memory_back) {
  const std::int64_t before = backend_->free_bytes();
  float* memory = backend_->allocate<float>(std::int64_t{64} << 20);
  EXPECT_LE(backend_->free_bytes(), before - (std::int64_t{200} << 20));
  backend_->release(memory);
  EXPECT_GE(backend_->free_bytes(), before - (std::int64_t{100} << 20));
}

TEST_F(GpuBackend, refuses_to_release_what_it_did_not_give) {
  float own = 0;
  EXPECT_THROW(backend_->release(&own), std::invalid_argument);
  EXPECT_NO_THROW(backend_->release(nullptr));
}

TEST_F(GpuBackend, knows_its_last_level_cache) {
  EXPECT_GT(backend_->last_level_cache_bytes(), 1 << 18);
}

TEST_F(GpuBackend, an_empty_sample_takes_microseconds) {
  for (Scope scope : {Scope::kKernel, Scope::kCall}) {
    backend_->sample({kNothing}, scope, Timing::kLaunch, 0);
    EXPECT_GE(backend_->sample({kNothing}, scope, Timing::kLaunch, 0), 0);
    EXPECT_LT(backend_->sample({kNothing}, scope, Timing::kLaunch, 0), 1e-3);
  }
}

TEST_F(GpuBackend, runs_every_call_of_a_sample_once) {
  for (Timing timing : {Timing::kLaunch, Timing::kBatch}) {
    for (Scope scope : {Scope::kKernel, Scope::kCall}) {
      int calls = 0;
      const Backend::Call count = [&] { ++calls; };
      EXPECT_GE(backend_->sample({count, count, count}, scope, timing, 0), 0);
      EXPECT_EQ(calls, 3);
    }
  }
}

TEST_F(GpuBackend, captures_a_graph_once_for_each_key_until_they_are_dropped) {
  int captures = 0;
  const Backend::Call count = [&] { ++captures; };
  for (int i = 0; i < 3; ++i) backend_->sample({count}, Scope::kKernel, Timing::kGraph, 1);
  EXPECT_EQ(captures, 1);
  backend_->sample({count}, Scope::kKernel, Timing::kGraph, 2);
  EXPECT_EQ(captures, 2);
  backend_->drop_graphs();
  backend_->sample({count}, Scope::kCall, Timing::kGraph, 1);
  EXPECT_EQ(captures, 3);
}

TEST_F(GpuBackend, survives_a_call_that_throws_while_captured) {
  const Backend::Call fail = [] { throw std::runtime_error("planted"); };
  EXPECT_THROW(backend_->sample({fail}, Scope::kKernel, Timing::kGraph, 1), std::runtime_error);
  EXPECT_NO_THROW(backend_->sample({kNothing}, Scope::kKernel, Timing::kLaunch, 0));
  EXPECT_NO_THROW(backend_->sample({kNothing}, Scope::kKernel, Timing::kGraph, 1));
}

TEST_F(GpuBackend, twice_the_calls_take_about_twice_the_time) {
  const Implementation* naive = gpu::implementations().front();
  const Shape shape{2048, 2048, 2048};
  const auto session = naive->prepare(gemm_at(shape), complete(naive->description(), {}));
  Guarded a(*backend_, shape.a_count());
  Guarded b(*backend_, shape.b_count());
  Guarded c(*backend_, shape.c_count());
  const Backend::Call call = [&] { multiply(*session, a.data(), b.data(), c.data()); };
  for (int i = 0; i < 20; ++i) backend_->sample({call}, Scope::kKernel, Timing::kBatch, 0);
  for (Timing timing : {Timing::kBatch, Timing::kGraph}) {
    const double once_s = backend_->sample({call, call}, Scope::kKernel, timing, 2);
    const double twice_s = backend_->sample({call, call, call, call}, Scope::kKernel, timing, 4);
    EXPECT_NEAR(twice_s / once_s, 2, 0.2) << to_string(timing);
  }
}

TEST_F(GpuBackend, refuses_scopes_that_it_has_no_clock_for) {
  EXPECT_THROW(backend_->sample({kNothing}, Scope::kEndToEnd, Timing::kLaunch, 0), std::invalid_argument);
  EXPECT_THROW(backend_->sample({kNothing}, Scope::kFirstCall, Timing::kLaunch, 0), std::invalid_argument);
}

}  // namespace
}  // namespace gemmlab
