// gpu.multi, gpu.multi_tensor and their peers on all the cards that are here, at least two.

#include <algorithm>
#include <cstdio>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "operations/gemm/implementation.h"
#include "tests/gpu/on_gpu.h"

namespace gemmlab {
namespace {

class SeveralCards : public OnGpu {
 protected:
  void SetUp() override {
    OnGpu::SetUp();
    if (IsSkipped()) return;
    cards_ = static_cast<std::int64_t>(gpu::gpus().size());
  }

  /// `check` of every row on 2 cards and on all, wherever its operands begin and however they are exchanged.
  template <typename Check>
  void with_every_choice(const Check& check) {
    if (cards_ < 2) GTEST_SKIP() << "one GPU is here, and two are needed";
    for (const Implementation* row : of_operation(gpu::implementations(), "gemm")) {
      if (row->description().find("gpus") == nullptr || !row->unavailable().empty()) continue;
      for (const std::int64_t gpus : std::set<std::int64_t>{2, std::min<std::int64_t>(cards_, 8)}) {
        for (Parameters parameters : all_choices(row->description())) {
          parameters["gpus"] = gpus;
          const std::string refused = row->why_not(gemm_at({8192, 8192, 8192}), parameters);
          if (!refused.empty()) {
            std::printf("%s: %s\n", row->description().id.c_str(), refused.c_str());
            continue;
          }
          SCOPED_TRACE(named(*row, parameters));
          check(*row, parameters);
        }
      }
    }
  }
  static std::string named(const Implementation& row, const Parameters& parameters) {
    std::string name = row.description().id;
    for (const auto& [parameter, value] : parameters) name += ", " + parameter + " " + to_string(value);
    return name;
  }

  void expect_exact(const Implementation& row, const Parameters& parameters, const Shape& shape) {
    SCOPED_TRACE("m=" + std::to_string(shape.m) + " n=" + std::to_string(shape.n) +
                 " k=" + std::to_string(shape.k));
    const auto host_a = integer_matrix(shape.m, shape.k, Operand::kA, 1, shape.k);
    const auto host_b = integer_matrix(shape.k, shape.n, Operand::kB, 1, shape.k);
    expect_product(row, parameters, shape, host_a, host_b, plain_product(host_a, host_b, shape));
  }

  /// By a call, and, where a graph can hold them, by a graph of two of them.
  void expect_product(const Implementation& row, const Parameters& parameters, const Shape& shape,
                      const std::vector<float>& host_a, const std::vector<float>& host_b,
                      const std::vector<float>& expected) {
    const Room room = room_of(parameters);
    Guarded a(*backend_, shape.a_count(), 0, room);
    Guarded b(*backend_, shape.b_count(), 0, room);
    Guarded c(*backend_, shape.c_count(), 0, room);
    a.write(host_a);
    b.write(host_b);
    c.poison();
    const auto session = row.prepare(gemm_at(shape), parameters);
    if (row.operands_resident(parameters)) session->stage({gemm_operands(a.data(), b.data(), nullptr)});
    const auto call = [&] { multiply(*session, a.data(), b.data(), c.data()); };
    call();
    backend_->synchronize();
    EXPECT_EQ(different(c.read(), expected), 0);
    EXPECT_EQ(c.changed_outside(), 0);
    if (row.why_not(gemm_at(shape), parameters).find("graph") != std::string::npos) return;
    c.poison();
    backend_->sample({call, call}, Scope::kKernel, Timing::kGraph, 1);
    backend_->synchronize();
    EXPECT_EQ(different(c.read(), expected), 0) << "as a graph";
    EXPECT_EQ(c.changed_outside(), 0) << "as a graph";
    backend_->drop_graphs();
    EXPECT_EQ(different(a.read(), host_a), 0) << "A was written";
    EXPECT_EQ(different(b.read(), host_b), 0) << "B was written";
  }

  /// On one card, by FP32 units.
  std::vector<float> product_of_one_card(const Shape& shape, const std::vector<float>& host_a,
                                         const std::vector<float>& host_b) {
    Guarded a(*backend_, shape.a_count()), b(*backend_, shape.b_count()), c(*backend_, shape.c_count());
    a.write(host_a);
    b.write(host_b);
    const Implementation& row = row_of("gpu.pipelined");
    const auto session = row.prepare(gemm_at(shape), complete(row.description(), {}));
    multiply(*session, a.data(), b.data(), c.data());
    backend_->synchronize();
    return c.read();
  }

  std::int64_t cards_ = 0;
};

/// Libraries at one shape: to make cuBLASMp's session takes seconds.
TEST_F(SeveralCards, are_exact_at_odd_shapes) {
  const std::vector<Shape> shapes = {{1023, 514, 300}, {1, 1, 1},     {3, 5, 2},   {257, 131, 67},
                                     {1, 5000, 12},    {5000, 1, 12}, {3, 5, 7001}};
  with_every_choice([&](const Implementation& row, const Parameters& parameters) {
    for (const Shape& shape : shapes) {
      expect_exact(row, parameters, shape);
      if (row.description().reference) break;
    }
  });
}

/// So large that blocks are multiplied by digits where the card and the data allow it. Rows of C begin at odd places.
TEST_F(SeveralCards, are_exact_where_blocks_share_what_is_split_and_write_c_on_the_first_card) {
  if (cards_ < 2) GTEST_SKIP() << "one GPU is here, and two are needed";
  const Implementation& row = row_of("gpu.multi_tensor");
  if (!row.unavailable().empty()) GTEST_SKIP() << row.unavailable();
  const Shape shape{2081, 1565, 2603};
  const auto host_b = integer_matrix(shape.k, shape.n, Operand::kB, 1, shape.k);
  for (const bool sparse : {false, true}) {  // the lower half of A: digits do not hold there
    auto host_a = integer_matrix(shape.m, shape.k, Operand::kA, 1, shape.k);
    for (std::size_t i = host_a.size() / 2; sparse && i < host_a.size(); ++i) {
      if (i % 20 != 0) host_a[i] = 0;
    }
    const auto expected = product_of_one_card(shape, host_a, host_b);
    for (const auto& [operands, most] :
         {std::pair{"first", 4}, std::pair{"sharded", 3}, std::pair{"host", 5}}) {
      for (std::int64_t chunks = 1; chunks <= most; ++chunks) {
        const Parameters parameters =
            complete(row.description(),
                     {{"gpus", std::int64_t{2}}, {"operands", std::string(operands)}, {"chunks", chunks}});
        SCOPED_TRACE(named(row, parameters) + (sparse ? ", sparse" : ""));
        expect_product(row, parameters, shape, host_a, host_b, expected);
      }
    }
  }
}

/// On one, too.
TEST_F(SeveralCards, stream_from_the_host_what_is_larger_than_they_may_hold) {
  for (const Implementation* row : of_operation(gpu::implementations(), "gemm")) {
    if (row->description().find("memory_mib") == nullptr || !row->unavailable().empty()) continue;
    for (std::int64_t gpus = 1; gpus <= std::min<std::int64_t>(cards_, 8); ++gpus) {
      for (const std::int64_t chunks : {1, 4, 9}) {
        SCOPED_TRACE(row->description().id + " on " + std::to_string(gpus) + " in " + std::to_string(chunks));
        const auto with = [&](std::int64_t memory_mib) {
          return complete(row->description(), {{"gpus", gpus},
                                               {"operands", std::string("host")},
                                               {"chunks", chunks},
                                               {"memory_mib", memory_mib}});
        };
        expect_exact(*row, with(0), {257, 131, 67});
        expect_exact(*row, with(1), {131, 257, 5003});
        expect_exact(*row, with(4), {1023, 1514, 701});
      }
    }
  }
}

/// On one card nothing is exchanged, but the library is opened and makes its communicator.
TEST_F(SeveralCards, exchange_by_nccl_where_it_is_found) {
  for (const Implementation* row : of_operation(gpu::implementations(), "gemm")) {
    if (row->description().find("exchange") == nullptr || !row->unavailable().empty()) continue;
    const Parameters parameters = complete(
        row->description(), {{"gpus", std::min<std::int64_t>(cards_, 2)}, {"exchange", std::string("nccl")}});
    if (const std::string refused = row->why_not(gemm_at({64, 64, 64}), parameters); !refused.empty())
      GTEST_SKIP() << refused;
    SCOPED_TRACE(named(*row, parameters));
    expect_exact(*row, parameters, {257, 131, 67});
    const Facts facts = row->prepare(gemm_at({64, 64, 64}), parameters)->chosen();
    EXPECT_NE(std::get<std::string>(facts.at("version")), "");
    std::printf("NCCL %s, %s\n", std::get<std::string>(facts.at("version")).c_str(),
                std::get<std::string>(facts.at("library")).c_str());
  }
}

/// On one, too, where it is found.
TEST_F(SeveralCards, multiply_by_cublasmp_where_it_is_found) {
  for (const Implementation* row : of_operation(gpu::implementations(), "gemm")) {
    if (row->description().id != "gpu.cublasmp") continue;
    if (!row->unavailable().empty()) GTEST_SKIP() << row->unavailable();
    for (Parameters parameters : all_choices(row->description())) {
      parameters["gpus"] = std::min<std::int64_t>(cards_, 2);
      SCOPED_TRACE(named(*row, parameters));
      for (const Shape& shape : {Shape{257, 131, 67}, Shape{1023, 514, 300}})
        expect_exact(*row, parameters, shape);
    }
  }
}

TEST_F(SeveralCards, give_the_same_bits_in_twenty_calls) {
  with_every_choice([&](const Implementation& row, const Parameters& parameters) {
    if (row.operands_resident(parameters) || room_of(parameters) == Room::kHost) return;
    if (row.description().reference) return;  // theirs to promise
    for (const Shape& shape : {Shape{1000, 1000, 1000}, Shape{2049, 2047, 515}})
      expect_same_bits(*backend_, *row.prepare(gemm_at(shape), parameters), shape, 20);
  });
}

}  // namespace
}  // namespace gemmlab
