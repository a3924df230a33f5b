#include "core/inputs/input_sets.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <set>
#include <stdexcept>

#include "core/inputs/host_sets.h"
#include "operations/gemm/implementation.h"
#include "tests/core/plain_backend.h"

namespace gemmlab {
namespace {

/// Host memory that counts what is taken and given back, and may run out.
class CountingBackend : public test::PlainBackend {
 public:
  explicit CountingBackend(int most = 1000) : most_(most) {}
  void* allocate_bytes(std::int64_t bytes) override {
    if (static_cast<int>(held.size()) >= most_) throw OutOfMemory("planted");
    return *held.insert(PlainBackend::allocate_bytes(bytes)).first;
  }
  void release(void* memory) override {
    held.erase(memory);
    PlainBackend::release(memory);
  }

  void upload_bytes(void* to, const void* from, std::int64_t bytes) override {
    if (fails_to_upload) throw std::runtime_error("planted");
    PlainBackend::upload_bytes(to, from, bytes);
  }

  std::set<void*> held;
  bool fails_to_upload = false;

 private:
  int most_;
};

constexpr InputValues kUniform{Distribution::kUniform, 1};

const float* a(const InputSets& sets, std::int64_t set) {
  return sets.operands(set).in<float>(0);
}
const float* b(const InputSets& sets, std::int64_t set) {
  return sets.operands(set).in<float>(1);
}
const float* c(const InputSets& sets, std::int64_t set) {
  return sets.operands(set).in<float>(2);
}

TEST(InputSets, cold_sets_hold_more_than_the_cache) {
  for (const Shape& shape :
       {Shape{1, 1, 1}, Shape{64, 64, 64}, Shape{1000, 1000, 1000}, Shape{16, 4096, 4096}}) {
    const std::int64_t cache = 30 << 20;
    const std::int64_t set_bytes = padded_bytes(4 * shape.a_count()) + padded_bytes(4 * shape.b_count()) +
                                   padded_bytes(4 * shape.c_count());
    EXPECT_GT((sets_needed(gemm_at(shape), cache, true) - 1) * set_bytes, cache - set_bytes);
    EXPECT_GE(sets_needed(gemm_at(shape), cache, true), 2);
    EXPECT_EQ(sets_needed(gemm_at(shape), cache, false), 1);
  }
}

TEST(InputSets, each_set_is_the_base_with_rows_of_a_rotated) {
  CountingBackend backend;
  const Shape shape{7, 5, 3};
  InputSets sets(backend, gemm_at(shape), {Distribution::kUniform, 11}, 20);
  for (std::int64_t set = 0; set < sets.count(); ++set) {
    for (std::int64_t row = 0; row < shape.m; ++row) {
      for (std::int64_t i = 0; i < shape.k; ++i) {
        const std::int64_t base_row = (row + set) % shape.m;
        EXPECT_EQ(a(sets, set)[row * shape.k + i],
                  element(Distribution::kUniform, 11, Operand::kA, base_row * shape.k + i, 15));
      }
    }
    for (std::int64_t i = 0; i < shape.b_count(); ++i) {
      EXPECT_EQ(b(sets, set)[i], element(Distribution::kUniform, 11, Operand::kB, i, 15));
    }
    for (std::int64_t i = 0; i < shape.c_count(); ++i) EXPECT_TRUE(std::isnan(c(sets, set)[i]));
  }
}

TEST(InputSets, sets_of_one_pool_do_not_overlap) {
  CountingBackend backend;
  const Shape shape{3, 65, 64};
  InputSets sets(backend, gemm_at(shape), {Distribution::kUniform, 1}, 3);
  EXPECT_GE(a(sets, 1) - a(sets, 0), shape.a_count());
  EXPECT_GE(b(sets, 1) - b(sets, 0), shape.b_count());
  EXPECT_GE(c(sets, 2) - c(sets, 1), shape.c_count());
  EXPECT_EQ((c(sets, 1) - c(sets, 0)) % 64, 0);
}

TEST(InputSets, a_changed_set_is_restored) {
  CountingBackend backend;
  const Shape shape{4, 6, 5};
  InputSets sets(backend, gemm_at(shape), {Distribution::kNormal, 3}, 3);
  const float before = a(sets, 2)[7];
  const_cast<float*>(a(sets, 2))[7] = 99;
  const_cast<float*>(b(sets, 2))[3] = 99;
  sets.restore(2);
  EXPECT_EQ(a(sets, 2)[7], before);
  EXPECT_EQ(b(sets, 2)[3], b(sets, 0)[3]);
}

TEST(InputSets, what_was_taken_is_given_back_when_memory_runs_out) {
  for (const int most : {0, 1, 2}) {
    CountingBackend backend(most);
    EXPECT_THROW(InputSets(backend, gemm_at({8, 8, 8}), kUniform, 4), OutOfMemory);
    EXPECT_TRUE(backend.held.empty()) << most;
    EXPECT_THROW(HostSets(backend, gemm_at({8, 8, 8}), kUniform, HostMemory::kPageable, 4), OutOfMemory);
    EXPECT_TRUE(backend.held.empty()) << most;
  }
}

TEST(InputSets, what_was_taken_is_given_back_in_the_end_and_when_filling_fails) {
  CountingBackend backend;
  {
    const InputSets sets(backend, gemm_at({8, 8, 8}), kUniform, 4);
    const HostSets host(backend, gemm_at({8, 8, 8}), kUniform, HostMemory::kPageable, 4);
    EXPECT_EQ(backend.held.size(), 6u);
  }
  EXPECT_TRUE(backend.held.empty());
  backend.fails_to_upload = true;
  EXPECT_THROW(InputSets(backend, gemm_at({8, 8, 8}), kUniform, 4), std::runtime_error);
  EXPECT_TRUE(backend.held.empty());
}

TEST(InputSets, host_sets_hold_what_the_devices_sets_hold) {
  CountingBackend backend;
  const Shape shape{5, 4, 3};
  const InputSets sets(backend, gemm_at(shape), {Distribution::kNormal, 7}, 8);
  HostSets host(backend, gemm_at(shape), {Distribution::kNormal, 7}, HostMemory::kPageable, 8);
  host.operands(6).out<float>(0)[2] = host.operands(6).out<float>(1)[1] = 99;
  host.restore(6);
  for (std::int64_t set = 0; set < 8; ++set) {
    const float* host_a = host.operands(set).in<float>(0);
    const float* host_b = host.operands(set).in<float>(1);
    EXPECT_TRUE(std::equal(host_a, host_a + shape.a_count(), a(sets, set))) << set;
    EXPECT_TRUE(std::equal(host_b, host_b + shape.b_count(), b(sets, set))) << set;
  }
  for (std::int64_t i = 0; i < shape.c_count(); ++i)
    EXPECT_TRUE(std::isnan(host.operands(0).in<float>(2)[i]));
}

}  // namespace
}  // namespace gemmlab
