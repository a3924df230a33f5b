#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include "core/machine/machine.h"
#include "cpu/device/variants.h"
#include "cpu/gemm/method.h"
#include "cpu/table.h"
#include "operations/gemm/implementation.h"
#include "tests/cpu/fenced_floats.h"

namespace gemmlab::cpu {

#define GEMMLAB_DECLARE_PACKED(isa, ...) \
  namespace isa {                        \
  extern const Method packed;            \
  extern const Method blocked_packed;    \
  }
GEMMLAB_EACH_ISA(GEMMLAB_DECLARE_PACKED, )

namespace {

/// Those that this machine can run.
std::vector<Variant<Method>> variants() {
#define GEMMLAB_PACKED_VARIANT(isa, ...) {#isa, &isa::packed},
  const Variant<Method> all[] = {GEMMLAB_EACH_ISA(GEMMLAB_PACKED_VARIANT, )};
  std::vector<Variant<Method>> here;
  for (const Variant<Method>& variant : all) {
    if (machine_has(variant.isa)) here.push_back(variant);
  }
  return here;
}

using Random = std::mt19937;

std::int64_t between(Random& random, std::int64_t least, std::int64_t most) {
  return std::uniform_int_distribution<std::int64_t>(least, most)(random);
}

void fill_with_integers(Random& random, float* values, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) {
    const auto drawn = static_cast<int>(random() >> 27);  // 0 to 31
    values[i] = static_cast<float>(drawn < 15 ? drawn - 15 : drawn % 15 + 1);
  }
}

/// Sums of integers, exact in float.
void multiply_plainly(const Product& p, float* c) {
  std::fill(c, c + p.m * p.n, 0.0F);
  for (std::int64_t row = 0; row < p.m; ++row) {
    for (std::int64_t k = 0; k < p.k; ++k) {
      for (std::int64_t col = 0; col < p.n; ++col)
        c[row * p.n + col] += p.a[row * p.k + k] * p.b[k * p.n + col];
    }
  }
}

std::string text_of(const Variant<Method>& variant, const Product& p) {
  const Plan& plan = p.plan;
  std::string text = variant.isa;
  text += std::string(" ") + plan.path;
  for (const std::int64_t number : {p.m, p.n, p.k, plan.mr, plan.mc, plan.kc, plan.nc})
    text += " " + std::to_string(number);
  for (const int parts : {plan.over_m, plan.over_n, plan.over_k}) text += " " + std::to_string(parts);
  return text;
}

/// A plan that make_plan would make for other shapes and machines: small blocks, so that small
/// shapes have many.
Plan any_plan(Random& random, const Product& p, const char* path, std::int64_t most_rows) {
  constexpr std::int64_t kWidestTile = 32;
  Plan plan{};
  plan.path = path;
  plan.mr = between(random, 1, most_rows);
  plan.mc = between(random, 1, 40);
  plan.kc = between(random, 1, 40);
  plan.nc = between(random, 1, 100);
  plan.over_m = plan.over_n = plan.over_k = 1;
  // few rounds on two threads, which must wake each time, and each with the same team
  switch (between(random, 0, 24)) {
    case 0:
      plan.over_m = p.m > 1 ? 2 : 1;
      break;
    case 1:
      plan.over_n = p.n > kWidestTile ? 2 : 1;
      break;
    case 2:
      plan.over_k = p.k > 1 ? 2 : 1;
      break;
    default:
      break;
  }
  plan.threads = plan.over_m * plan.over_n * plan.over_k;
  return plan;
}

class PackedOnIsa : public testing::TestWithParam<int> {
 protected:
  void SetUp() override { variant_ = variants()[GetParam()]; }
  Variant<Method> variant_{};
};

TEST_P(PackedOnIsa, touches_nothing_beyond_a_b_and_c_on_any_path) {
  constexpr std::int64_t kMost = 90;
  FencedFloats a(kMost * kMost);
  FencedFloats b(kMost * kMost);
  FencedFloats c(kMost * kMost);
  std::vector<float> reference(kMost * kMost);
  const std::int64_t most_rows = variant_.method->plan(Product{}, {1, 32 << 10, 512 << 10}).mr;
  Random random(1);
  for (int round = 0; round < 1000; ++round) {
    for (const char* path : {"direct", "packed", "few_rows", "few_columns"}) {
      Product p{};
      // mostly small, so that edges outnumber whole tiles
      p.m = between(random, 1, round % 4 == 0 ? kMost : 20);
      p.n = between(random, 1, round % 4 == 1 ? kMost : 40);
      p.k = between(random, 1, round % 4 == 2 ? kMost : 20);
      float* a_values = a.place(p.m * p.k, random() % 2 == 0);
      float* b_values = b.place(p.k * p.n, random() % 2 == 0);
      fill_with_integers(random, a_values, p.m * p.k);
      fill_with_integers(random, b_values, p.k * p.n);
      p.a = a_values;
      p.b = b_values;
      p.c = c.place(p.m * p.n, random() % 2 == 0);
      p.form = form_of({p.m, p.n, p.k});
      std::fill(p.c, p.c + p.m * p.n, std::nanf(""));
      p.plan = any_plan(random, p, path, most_rows);
      multiply_plainly(p, reference.data());
      ASSERT_EQ(variant_.method->multiply(p), p.plan.threads);
      ASSERT_TRUE(std::equal(p.c, p.c + p.m * p.n, reference.data())) << text_of(variant_, p);
    }
  }
}

/// The product over all k of the first terms, and B's first columns, are those of the smaller shapes, too:
/// one reference serves 64 · 64 of them.
TEST_P(PackedOnIsa, is_exact_at_every_size_up_to_64_cubed) {
  constexpr std::int64_t kMost = 64;
  Random random(2);
  std::vector<float> all_a(kMost * kMost);
  std::vector<float> all_b(kMost * kMost);
  fill_with_integers(random, all_a.data(), kMost * kMost);
  fill_with_integers(random, all_b.data(), kMost * kMost);
  std::vector<float> reference(kMost * kMost, 0.0F);
  std::vector<float> a;
  std::vector<float> b;
  std::vector<float> c(kMost * kMost);
  const Machine machine{1, 32 << 10, 512 << 10};
  for (std::int64_t k = 1; k <= kMost; ++k) {
    a.clear();
    for (std::int64_t row = 0; row < kMost; ++row) {
      a.insert(a.end(), &all_a[row * kMost], &all_a[row * kMost] + k);
      for (std::int64_t col = 0; col < kMost; ++col) {
        reference[row * kMost + col] += all_a[row * kMost + k - 1] * all_b[(k - 1) * kMost + col];
      }
    }
    for (std::int64_t n = 1; n <= kMost; ++n) {
      b.clear();
      for (std::int64_t row = 0; row < k; ++row)
        b.insert(b.end(), &all_b[row * kMost], &all_b[row * kMost] + n);
      for (std::int64_t m = 1; m <= kMost; ++m) {
        Product p{a.data(), b.data(), c.data(), m, n, k, 1, 0, {}, form_of({m, n, k})};
        p.plan = variant_.method->plan(p, machine);
        std::fill(c.begin(), c.begin() + m * n, std::numeric_limits<float>::quiet_NaN());
        variant_.method->multiply(p);
        for (std::int64_t row = 0; row < m; ++row) {
          // the same bytes: no zero here is a negative one, and the reference has no NaN
          ASSERT_EQ(
              std::memcmp(&c[row * n], &reference[row * kMost], static_cast<std::size_t>(n) * sizeof(float)),
              0)
              << text_of(variant_, p) << " row " << row;
        }
      }
    }
  }
}

/// A narrow product's last columns may share a register between several terms, of which the last round has fewer: what
/// stands in for those that lack must not make an infinity no number.
TEST_P(PackedOnIsa, leaves_an_infinite_element_in_its_own_row_at_every_width) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  constexpr std::int64_t kRows = 7;
  for (std::int64_t n = 2; n <= 72; ++n) {
    for (std::int64_t k = 1; k <= 9; ++k) {
      std::vector<float> a(static_cast<std::size_t>(kRows * k), 1.0F);
      const std::vector<float> b(static_cast<std::size_t>(k * n), 2.0F);
      std::vector<float> c(static_cast<std::size_t>(kRows * n));
      a[static_cast<std::size_t>(3 * k + k - 1)] = kInfinity;
      Product p{a.data(), b.data(), c.data(), kRows, n, k, 1, 0, {}, form_of({kRows, n, k})};
      p.plan = variant_.method->plan(p, {1, 32 << 10, 512 << 10});
      variant_.method->multiply(p);
      for (std::int64_t i = 0; i < kRows * n; ++i) {
        const float expected = i / n == 3 ? kInfinity : 2.0F * static_cast<float>(k);
        ASSERT_EQ(c[static_cast<std::size_t>(i)], expected) << text_of(variant_, p) << " element " << i;
      }
    }
  }
}

TEST_P(PackedOnIsa, is_exact_where_its_own_plan_takes_each_path) {
  struct Case {
    std::int64_t m, n, k;
    const char* path;
  };
  const Case cases[] = {{100, 90, 80, "direct"},
                        {301, 270, 300, "packed"},
                        {16, 1501, 700, "few_rows"},
                        {1501, 17, 700, "few_columns"},
                        {40, 33, 20000, "packed"},
                        // rows of A that share cache sets: low tiles, copied panels, copied blocks
                        {35, 100, 6144, "packed"},
                        {70, 150, 2048, "packed"},
                        {35, 1200, 1024, "packed"},
                        {15, 1040, 2048, "few_rows"},
                        {13, 1224, 1100, "few_rows"},
                        {16, 1223, 1100, "few_rows"},
                        {30, 520, 2048, "packed"},
                        {300, 30, 2048, "few_columns"},
                        // few terms of a C beyond the caches
                        {2060, 2041, 5, "packed"},
                        {2050, 2113, 1, "packed"},
                        {2049, 2095, 23, "packed"},
                        // widths of one tile, which leaves its panel of B where it would lie packed
                        {1501, 16, 700, "few_columns"},
                        {1501, 32, 700, "few_columns"}};
  Random random(3);
  for (const Case& at : cases) {
    std::vector<float> a(static_cast<std::size_t>(at.m * at.k));
    std::vector<float> b(static_cast<std::size_t>(at.k * at.n));
    std::vector<float> c(static_cast<std::size_t>(at.m * at.n));
    std::vector<float> reference(c.size());
    fill_with_integers(random, a.data(), at.m * at.k);
    fill_with_integers(random, b.data(), at.k * at.n);
    Product p{a.data(), b.data(), c.data(), at.m, at.n, at.k, 1, 0, {}, form_of({at.m, at.n, at.k})};
    multiply_plainly(p, reference.data());
    for (const int threads : {1, 2, 5}) {
      p.threads = threads;
      p.plan = variant_.method->plan(p, {threads, 32 << 10, 512 << 10});
      if (threads == 1) {
        EXPECT_STREQ(p.plan.path, at.path) << text_of(variant_, p);
      }
      std::fill(c.begin(), c.end(), std::nanf(""));
      EXPECT_EQ(variant_.method->multiply(p), p.plan.threads) << text_of(variant_, p);
      EXPECT_EQ(c, reference) << text_of(variant_, p);
    }
  }
}

#ifndef __SANITIZE_ADDRESS__  // its malloc ends the program instead
/// A and B are never read: the copies of them, petabytes, come first.
TEST_P(PackedOnIsa, lack_of_memory_in_a_team_is_thrown_after_it_and_ends_no_process) {
  constexpr std::int64_t kHuge = std::int64_t{1} << 44;
  Product p{nullptr, nullptr, nullptr, 64, kHuge, kHuge, 2, 0, {}, form_of({64, kHuge, kHuge})};
  for (const char* path : {"direct", "packed", "few_rows", "few_columns"}) {
    for (const int threads : {1, 2}) {
      p.plan = {path, 4, 64, kHuge, 4096, threads, threads, 1, 1, nullptr};
      EXPECT_THROW(variant_.method->multiply(p), std::bad_alloc) << text_of(variant_, p);
    }
  }
  p.plan = {"packed", 4, 64, kHuge, 4096, 2, 1, 1, 2, nullptr};  // the sums of half of the terms
  EXPECT_THROW(variant_.method->multiply(p), std::bad_alloc) << text_of(variant_, p);
}

TEST(BlockedPacked, lack_of_memory_in_a_team_is_thrown_after_it_and_ends_no_process) {
  constexpr std::int64_t kHuge = std::int64_t{1} << 26;
  EXPECT_THROW(baseline::blocked_packed.multiply({nullptr, nullptr, nullptr, 3, kHuge, kHuge, 2, kHuge, {}}),
               std::bad_alloc);
}
#endif

/// More rows of A a multiple of 4 KiB apart than a set of L1 has lines throw each other out.
TEST_P(PackedOnIsa, makes_its_tiles_no_higher_than_cache_sets_hold_rows) {
  const auto rows_at = [&](std::int64_t n, std::int64_t k) {
    const Product p{nullptr, nullptr, nullptr, 4096, n, k, 1, 0, {}, form_of({4096, n, k})};
    return variant_.method->plan(p, {1, 32 << 10, 512 << 10}).mr;
  };
  const std::int64_t full = rows_at(16, 4000);
  EXPECT_EQ(rows_at(16, 4096), std::min<std::int64_t>(full, 8));
  EXPECT_EQ(rows_at(16, 3 * 1024), std::min<std::int64_t>(full, 8));
  EXPECT_GE(rows_at(16, 1), full);       // the rows are near each other, and narrow strips may be higher
  EXPECT_EQ(rows_at(4096, 4096), full);  // copied instead
}

INSTANTIATE_TEST_SUITE_P(Machine, PackedOnIsa, testing::Range(0, static_cast<int>(variants().size())),
                         [](const auto& row) { return std::string(variants()[row.param].isa); });

TEST(Packed, records_its_path_and_blocks_and_the_threads_that_ran) {
  const auto table = of_operation(implementations(), "gemm");
  const auto found = std::find_if(table.begin(), table.end(), [](const Implementation* implementation) {
    return implementation->description().id == "cpu.packed";
  });
  ASSERT_NE(found, table.end());
  const Shape shape{256, 256, 256};
  const std::vector<float> a(static_cast<std::size_t>(shape.a_count()), 1.0F);
  const std::vector<float> b(static_cast<std::size_t>(shape.b_count()), 2.0F);
  for (const std::int64_t threads : {1, 2, 64}) {
    std::vector<float> c(static_cast<std::size_t>(shape.c_count()), std::nanf(""));
    const auto session =
        (*found)->prepare(gemm_at(shape), complete((*found)->description(), {{"threads", threads}}));
    multiply(*session, a.data(), b.data(), c.data());
    EXPECT_EQ(std::count(c.begin(), c.end(), 512.0F), shape.c_count());
    EXPECT_LE(session->threads_actual(), std::min<std::int64_t>(threads, cpu_info().cores));
    const Facts facts = session->chosen();
    EXPECT_EQ(std::get<std::string>(facts.at("path")), "direct");
    for (const char* name : {"mr", "mc", "kc", "nc", "over_m", "over_n", "over_k"}) {
      EXPECT_GE(std::get<std::int64_t>(facts.at(name)), 1) << name;
    }
  }
}

}  // namespace
}  // namespace gemmlab::cpu
