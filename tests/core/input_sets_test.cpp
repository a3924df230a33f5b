#include "core/input_sets.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <set>
#include <stdexcept>

#include "core/host_sets.h"
#include "tests/core/plain_backend.h"

namespace gemmlab {
namespace {

/// Host memory that counts what is taken and given back, and may run out.
class CountingBackend : public test::PlainBackend {
 public:
  explicit CountingBackend(int most = 1000) : most_(most) {}
  float* allocate(std::int64_t count) override {
    if (static_cast<int>(held.size()) >= most_) throw OutOfMemory("planted");
    return *held.insert(PlainBackend::allocate(count)).first;
  }
  void release(float* memory) override {
    held.erase(memory);
    PlainBackend::release(memory);
  }

  void upload(float* to, const float* from, std::int64_t count) override {
    if (fails_to_upload) throw std::runtime_error("planted");
    PlainBackend::upload(to, from, count);
  }

  std::set<float*> held;
  bool fails_to_upload = false;

 private:
  int most_;
};

TEST(InputSets, cold_sets_hold_more_than_the_cache) {
  for (const Shape& shape :
       {Shape{1, 1, 1}, Shape{64, 64, 64}, Shape{1000, 1000, 1000}, Shape{16, 4096, 4096}}) {
    const std::int64_t cache = 30 << 20;
    const std::int64_t set_bytes =
        4 * (padded(shape.a_count()) + padded(shape.b_count()) + padded(shape.c_count()));
    EXPECT_GT((sets_needed(shape, cache, true) - 1) * set_bytes, cache - set_bytes);
    EXPECT_GE(sets_needed(shape, cache, true), 2);
    EXPECT_EQ(sets_needed(shape, cache, false), 1);
  }
}

TEST(InputSets, each_set_is_the_base_with_rows_of_a_rotated) {
  CountingBackend backend;
  const Shape shape{7, 5, 3};
  InputSets sets(backend, shape, Distribution::kUniform, 11, 20);
  for (std::int64_t set = 0; set < sets.count(); ++set) {
    for (std::int64_t row = 0; row < shape.m; ++row) {
      for (std::int64_t i = 0; i < shape.k; ++i) {
        const std::int64_t base_row = (row + set) % shape.m;
        EXPECT_EQ(sets.a(set)[row * shape.k + i],
                  element(Distribution::kUniform, 11, Operand::kA, base_row * shape.k + i, 15));
      }
    }
    for (std::int64_t i = 0; i < shape.b_count(); ++i) {
      EXPECT_EQ(sets.b(set)[i], element(Distribution::kUniform, 11, Operand::kB, i, 15));
    }
    for (std::int64_t i = 0; i < shape.c_count(); ++i) EXPECT_TRUE(std::isnan(sets.c(set)[i]));
  }
}

TEST(InputSets, sets_of_one_pool_do_not_overlap) {
  CountingBackend backend;
  const Shape shape{3, 65, 64};
  InputSets sets(backend, shape, Distribution::kUniform, 1, 3);
  EXPECT_GE(sets.a(1) - sets.a(0), shape.a_count());
  EXPECT_GE(sets.b(1) - sets.b(0), shape.b_count());
  EXPECT_GE(sets.c(2) - sets.c(1), shape.c_count());
  EXPECT_EQ((sets.c(1) - sets.c(0)) % 64, 0);
}

TEST(InputSets, a_changed_set_is_restored) {
  CountingBackend backend;
  const Shape shape{4, 6, 5};
  InputSets sets(backend, shape, Distribution::kNormal, 3, 3);
  const float before = sets.a(2)[7];
  const_cast<float*>(sets.a(2))[7] = 99;
  const_cast<float*>(sets.b(2))[3] = 99;
  sets.restore(2);
  EXPECT_EQ(sets.a(2)[7], before);
  EXPECT_EQ(sets.b(2)[3], sets.b(0)[3]);
}

TEST(InputSets, what_was_taken_is_given_back_when_memory_runs_out) {
  for (const int most : {0, 1, 2}) {
    CountingBackend backend(most);
    EXPECT_THROW(InputSets(backend, Shape{8, 8, 8}, Distribution::kUniform, 1, 4), OutOfMemory);
    EXPECT_TRUE(backend.held.empty()) << most;
    EXPECT_THROW(HostSets(backend, Shape{8, 8, 8}, Distribution::kUniform, 1, HostMemory::kPageable, 4),
                 OutOfMemory);
    EXPECT_TRUE(backend.held.empty()) << most;
  }
}

TEST(InputSets, what_was_taken_is_given_back_in_the_end_and_when_filling_fails) {
  CountingBackend backend;
  {
    const InputSets sets(backend, Shape{8, 8, 8}, Distribution::kUniform, 1, 4);
    const HostSets host(backend, Shape{8, 8, 8}, Distribution::kUniform, 1, HostMemory::kPageable, 4);
    EXPECT_EQ(backend.held.size(), 6u);
  }
  EXPECT_TRUE(backend.held.empty());
  backend.fails_to_upload = true;
  EXPECT_THROW(InputSets(backend, Shape{8, 8, 8}, Distribution::kUniform, 1, 4), std::runtime_error);
  EXPECT_TRUE(backend.held.empty());
}

TEST(InputSets, host_sets_hold_what_the_devices_sets_hold) {
  CountingBackend backend;
  const Shape shape{5, 4, 3};
  const InputSets sets(backend, shape, Distribution::kNormal, 7, 8);
  HostSets host(backend, shape, Distribution::kNormal, 7, HostMemory::kPageable, 8);
  host.a(6)[2] = host.b(6)[1] = 99;
  host.restore(6);
  for (std::int64_t set = 0; set < 8; ++set) {
    EXPECT_EQ(host.rotation(set), sets.rotation(set));
    EXPECT_TRUE(std::equal(host.a(set), host.a(set) + shape.a_count(), sets.a(set))) << set;
    EXPECT_TRUE(std::equal(host.b(set), host.b(set) + shape.b_count(), sets.b(set))) << set;
  }
  for (std::int64_t i = 0; i < shape.c_count(); ++i) EXPECT_TRUE(std::isnan(host.c()[i]));
}

}  // namespace
}  // namespace gemmlab
