// Every implementation with every choice of its parameters, as the table has them.

#include <algorithm>
#include <cctype>
#include <cstring>
#include <ostream>
#include <stdexcept>

#include "operations/gemm/implementation.h"
#include "tests/gpu/on_gpu.h"

namespace gemmlab {
namespace {

struct Choice {
  const Implementation* implementation;
  Parameters parameters;
};

std::vector<Choice> every_choice() {
  std::vector<Choice> choices;
  for (const Implementation* implementation : of_operation(gpu::implementations(), "gemm")) {
    for (const Parameters& parameters : all_choices(implementation->description())) {
      choices.push_back({implementation, parameters});
    }
  }
  return choices;
}

std::string letters_of(const Choice& choice) {
  std::string name = choice.implementation->description().id.substr(std::strlen("gpu."));
  for (const auto& [parameter, value] : choice.parameters) name += "_" + parameter + "_" + to_string(value);
  std::replace_if(
      name.begin(), name.end(), [](unsigned char c) { return !std::isalnum(c); }, '_');
  return name;
}

std::string name_of(const ::testing::TestParamInfo<Choice>& info) {
  return letters_of(info.param);
}

// without this GoogleTest prints the bytes of the pointers, and a test has another name in each process
void PrintTo(const Choice& choice, std::ostream* stream) {
  *stream << letters_of(choice);
}

std::string describe(const Shape& shape) {
  return "m=" + std::to_string(shape.m) + " n=" + std::to_string(shape.n) + " k=" + std::to_string(shape.k);
}

class GpuImplementation : public OnGpu, public ::testing::WithParamInterface<Choice> {
 protected:
  void SetUp() override {
    OnGpu::SetUp();
    if (IsSkipped()) return;
    if (const std::string reason = GetParam().implementation->unavailable(); !reason.empty()) {
      GTEST_SKIP() << reason;
    }
    // such as a library that this machine lacks, or calls that are too short
    const std::string refused = GetParam().implementation->why_not(gemm_at({1, 1, 1}), GetParam().parameters);
    if (!refused.empty()) GTEST_SKIP() << refused;
  }

  std::unique_ptr<Session> prepare(const Shape& shape) const {
    EXPECT_EQ(GetParam().implementation->why_not(gemm_at(shape), GetParam().parameters), "");
    return GetParam().implementation->prepare(gemm_at(shape), GetParam().parameters);
  }

  bool is_resident() const { return GetParam().implementation->operands_resident(GetParam().parameters); }
  void stage(Session& session, Guarded& a, Guarded& b) const {
    if (is_resident()) session.stage({gemm_operands(a.data(), b.data(), nullptr)});
  }

  void expect_exact(const Shape& shape, std::int64_t offset = 0) {
    SCOPED_TRACE(describe(shape));
    const auto host_a = integer_matrix(shape.m, shape.k, Operand::kA, 1, shape.k);
    const auto host_b = integer_matrix(shape.k, shape.n, Operand::kB, 1, shape.k);
    Guarded a(*backend_, shape.a_count(), offset);
    Guarded b(*backend_, shape.b_count(), offset);
    Guarded c(*backend_, shape.c_count(), offset);
    a.write(host_a);
    b.write(host_b);
    const auto session = prepare(shape);
    stage(*session, a, b);
    multiply(*session, a.data(), b.data(), c.data());
    backend_->synchronize();
    EXPECT_EQ(different(c.read(), plain_product(host_a, host_b, shape)), 0) << "elements of C are wrong";
    EXPECT_EQ(c.changed_outside(), 0) << "floats around C were written";
    EXPECT_EQ(different(a.read(), host_a), 0) << "A was written";
    EXPECT_EQ(different(b.read(), host_b), 0) << "B was written";
  }
};

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(GpuImplementation);

TEST_P(GpuImplementation, is_exact_on_small_and_prime_sides) {
  const std::int64_t sides[] = {1, 2, 3, 5, 17, 31};
  for (std::int64_t m : sides) {
    for (std::int64_t n : sides) {
      for (std::int64_t k : {1, 4, 29}) expect_exact({m, n, k});
    }
  }
}

TEST_P(GpuImplementation, is_exact_one_below_at_and_above_each_tile) {
  for (std::int64_t tile : {4, 8, 16, 32, 64, 128}) {
    expect_exact({tile, tile, tile});
    expect_exact({tile - 1, tile + 1, tile});
    expect_exact({tile + 1, tile, tile - 1});
    expect_exact({tile, tile - 1, tile + 1});
  }
}

TEST_P(GpuImplementation, is_exact_on_several_tiles_with_three_different_sides) {
  expect_exact({257, 131, 67});
  expect_exact({200, 332, 52});  // all multiples of 4, none of per tile
  expect_exact({256, 384, 128});
  expect_exact({130, 260, 13});
  expect_exact({131, 129, 20});
}

TEST_P(GpuImplementation, is_exact_on_skinny_flat_and_deep_shapes) {
  expect_exact({16, 4096, 37});
  expect_exact({4096, 16, 37});
  expect_exact({1, 5000, 12});
  expect_exact({5000, 1, 12});
  expect_exact({3, 5, 70001});
  expect_exact({128, 128, 4100});
}

TEST_P(GpuImplementation, is_exact_on_more_tiles_than_a_grid_has_in_y) {
  // over 65535 tiles of 128, so over as many of every smaller one
  constexpr std::int64_t kLong = 65535 * 128 + 3;
  expect_exact({kLong, 2, 2});
  expect_exact({2, kLong, 2});
}

TEST_P(GpuImplementation, is_exact_on_matrices_that_start_between_multiples_of_16_bytes) {
  for (std::int64_t offset : {1, 2, 3}) {
    expect_exact({128, 128, 16}, offset);
    expect_exact({129, 66, 19}, offset);
  }
}

TEST_P(GpuImplementation, sees_a_and_b_that_changed_between_two_multiplies_of_one_session) {
  const Shape shape{70, 133, 41};
  Guarded a(*backend_, shape.a_count());
  Guarded b(*backend_, shape.b_count());
  Guarded c(*backend_, shape.c_count());
  const auto session = prepare(shape);
  for (std::uint64_t seed : {1, 2, 3}) {
    const auto host_a = integer_matrix(shape.m, shape.k, Operand::kA, seed, shape.k);
    const auto host_b = integer_matrix(shape.k, shape.n, Operand::kB, seed, shape.k);
    a.write(host_a);
    b.write(host_b);
    c.poison();
    stage(*session, a, b);
    multiply(*session, a.data(), b.data(), c.data());
    backend_->synchronize();
    EXPECT_EQ(different(c.read(), plain_product(host_a, host_b, shape)), 0) << "seed " << seed;
  }
}

TEST_P(GpuImplementation, refuses_operands_that_were_not_staged_exactly_where_they_are_to_be_resident) {
  const Shape shape{70, 133, 41};
  Guarded a(*backend_, shape.a_count());
  Guarded b(*backend_, shape.b_count());
  Guarded other_b(*backend_, shape.b_count());
  Guarded c(*backend_, shape.c_count());
  const auto session = prepare(shape);
  const auto call = [&] { multiply(*session, a.data(), b.data(), c.data()); };
  if (is_resident()) {
    EXPECT_THROW(call(), std::logic_error);
    session->stage({gemm_operands(a.data(), other_b.data(), nullptr)});
    EXPECT_THROW(call(), std::logic_error) << "another pair was staged";
  } else {
    EXPECT_NO_THROW(call());
  }
  backend_->synchronize();
}

TEST_P(GpuImplementation, gives_the_same_in_a_replayed_graph) {
  for (const Shape& shape : {Shape{65, 130, 33}, Shape{256, 256, 256}}) {
    SCOPED_TRACE(describe(shape));
    Guarded a(*backend_, shape.a_count());
    Guarded b(*backend_, shape.b_count());
    Guarded c(*backend_, shape.c_count());
    const auto session = prepare(shape);
    const Backend::Call call = [&] { multiply(*session, a.data(), b.data(), c.data()); };
    for (std::uint64_t seed : {1, 2}) {  // the second replays what the first captured, on other numbers
      const auto host_a = integer_matrix(shape.m, shape.k, Operand::kA, seed, shape.k);
      const auto host_b = integer_matrix(shape.k, shape.n, Operand::kB, seed, shape.k);
      a.write(host_a);
      b.write(host_b);
      c.poison();
      stage(*session, a, b);
      EXPECT_GT(backend_->sample({call, call}, Scope::kKernel, Timing::kGraph, 7), 0);
      EXPECT_EQ(different(c.read(), plain_product(host_a, host_b, shape)), 0) << "seed " << seed;
    }
    backend_->drop_graphs();
  }
}

TEST_P(GpuImplementation, gives_the_same_bits_every_time) {
  const Shape shape{259, 260, 1031};
  expect_same_bits(*backend_, *prepare(shape), shape, 5);
}

TEST_P(GpuImplementation, states_its_resources_and_spills_nothing) {
  const auto session = prepare({256, 256, 256});
  const Facts resources = session->resources();
  if (GetParam().implementation->description().reference) {
    EXPECT_FALSE(std::get<std::string>(session->chosen().at("version")).empty());
    EXPECT_FALSE(std::get<std::string>(session->chosen().at("library")).empty());
    return;
  }
  EXPECT_GT(std::get<std::int64_t>(resources.at("registers")), 0);
  EXPECT_EQ(std::get<std::int64_t>(resources.at("spill_bytes")), 0);
  EXPECT_GE(std::get<std::int64_t>(resources.at("shared_bytes")), 0);
  EXPECT_EQ(std::get<std::int64_t>(resources.at("shared_bytes")),
            std::get<std::int64_t>(resources.at("static_shared_bytes")) +
                std::get<std::int64_t>(resources.at("dynamic_shared_bytes")));
  EXPECT_GT(std::get<std::int64_t>(resources.at("blocks_per_sm")), 0);
  EXPECT_GT(std::get<double>(resources.at("occupancy")), 0);
  EXPECT_LE(std::get<double>(resources.at("occupancy")), 1);
}

INSTANTIATE_TEST_SUITE_P(Every, GpuImplementation, ::testing::ValuesIn(every_choice()), name_of);

}  // namespace
}  // namespace gemmlab
