#include "gpu/table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "operations/gemm/implementation.h"
#include "tests/gemm_forms.h"

namespace gemmlab {
namespace {

TEST(GpuTable, is_empty_exactly_where_cuda_was_not_built) {
  EXPECT_EQ(gpu::implementations().empty(), !gpu::built_with_cuda());
}

TEST(GpuTable, ids_are_unique_and_begin_with_the_device) {
  std::set<std::string> ids;
  for (const Implementation* implementation : gpu::implementations()) {
    const Description& description = implementation->description();
    EXPECT_EQ(description.id.rfind("gpu.", 0), 0u) << description.id;
    EXPECT_EQ(description.device, Device::kGpu) << description.id;
    EXPECT_TRUE(ids.insert(description.id).second) << description.id << " is there twice";
  }
}

TEST(GpuTable, every_row_says_what_it_is_and_where_it_comes_from) {
  for (const Implementation* implementation : gpu::implementations()) {
    const Description& description = implementation->description();
    EXPECT_FALSE(description.summary.empty()) << description.id;
    EXPECT_EQ(description.summary.find('\n'), std::string::npos) << description.id;
    EXPECT_FALSE(description.source.empty()) << description.id;
    if (!description.counterpart.empty()) {
      EXPECT_EQ(description.counterpart.rfind("cpu.", 0), 0u) << description.id;
    }
  }
}

TEST(GpuTable, defaults_are_allowed_and_choices_rise) {
  for (const Implementation* implementation : gpu::implementations()) {
    for (const ParameterSpec& parameter : implementation->description().parameters) {
      SCOPED_TRACE(implementation->description().id + " " + parameter.name);
      EXPECT_TRUE(parameter.allows(parameter.default_value));
      EXPECT_FALSE(parameter.summary.empty());
      const auto& choices = parameter.choices;
      EXPECT_EQ(std::set<ParameterValue>(choices.begin(), choices.end()).size(), choices.size());
      // words stand in their own order, as the steps of a ladder do
      if (std::holds_alternative<std::string>(parameter.default_value)) continue;
      EXPECT_TRUE(std::is_sorted(choices.begin(), choices.end()));
    }
  }
}

/// Records, pairs and tables of every device take `threads` to mean threads of the CPU.
TEST(GpuTable, threads_are_the_processors) {
  for (const Implementation* row : gpu::implementations()) {
    EXPECT_EQ(row->description().find("threads"), nullptr) << row->description().id;
  }
}

TEST(GpuTable, operands_are_resident_where_a_parameter_says_so_and_nowhere_else) {
  int resident = 0;
  for (const Implementation* implementation : of_operation(gpu::implementations(), "gemm")) {
    for (const Parameters& parameters : all_choices(implementation->description())) {
      SCOPED_TRACE(implementation->description().id);
      const auto operands = parameters.find("operands");
      const auto says = [&](const char* word) {
        return operands != parameters.end() && operands->second == ParameterValue(std::string(word));
      };
      const bool converted = says("resident");
      EXPECT_EQ(implementation->operands_resident(parameters), converted || says("sharded"));
      EXPECT_FALSE(converted && as_accurate_as_fp32(implementation->description().precision));
      resident += converted;
    }
    const Parameters defaults = complete(implementation->description(), {});
    EXPECT_FALSE(implementation->operands_resident(defaults)) << implementation->description().id;
  }
  EXPECT_EQ(resident > 0, gpu::built_with_cuda());
}

TEST(GpuTable, references_stand_last) {
  std::set<std::string> operations;
  for (const Implementation* one : gpu::implementations()) operations.insert(one->description().operation);
  for (const std::string& operation : operations) {
    const auto all = of_operation(gpu::implementations(), operation);
    EXPECT_TRUE(std::is_partitioned(all.begin(), all.end(), [](const Implementation* implementation) {
      return !implementation->description().reference;
    })) << operation;
  }
}

bool no_such_kernel(const Implementation& row, const Parameters& parameters) {
  return parameters != complete(row.description(), {}) &&
         row.why_not(taken_at(row, {1, 1, 1}), parameters).rfind("has no kernel '", 0) == 0;
}

TEST(GpuTable, every_choice_takes_the_smallest_shape_and_refuses_a_side_of_over_two_thousand_million) {
  for (const Implementation* implementation : of_operation(gpu::implementations(), "gemm")) {
    for (const Parameters& parameters : all_choices(implementation->description())) {
      SCOPED_TRACE(implementation->description().id);
      const std::string& id = implementation->description().id;
      if (id == "gpu.cublasxt" || id == "gpu.cublasmp") {  // whose short calls no graph can hold
        EXPECT_NE(implementation->why_not(gemm_at({1, 1, 1}), parameters).find("graph"), std::string::npos);
        EXPECT_EQ(implementation->why_not(gemm_at({8192, 8192, 8192}), parameters), "");
      } else if (parameters.count("exchange") != 0 && text(parameters, "exchange") == "nccl") {
        const std::string reason = implementation->why_not(gemm_at({1, 1, 1}), parameters);
        EXPECT_TRUE(reason.empty() || reason.rfind("exchange = nccl: NCCL was not found (", 0) == 0)
            << reason;
      } else if (id == "gpu.matrix_tuned" && no_such_kernel(*implementation, parameters)) {
        continue;  // of another type, or it does not split
      } else {
        EXPECT_EQ(implementation->why_not(taken_at(*implementation, {1, 1, 1}), parameters), "");
        EXPECT_EQ(implementation->why_not(taken_at(*implementation, {2'000'000'000, 1, 1}), parameters), "");
      }
      EXPECT_NE(implementation->why_not(taken_at(*implementation, {2'000'000'001, 1, 1}), parameters), "");
      EXPECT_NE(implementation->why_not(taken_at(*implementation, {1, 1, std::int64_t{1} << 33}), parameters),
                "");
    }
  }
}

TEST(GpuTable, what_must_be_moved_is_known_for_kernels_alone_and_is_never_less_than_a_b_and_c_once) {
  const Shape shapes[] = {{1, 1, 1}, {17, 31, 5}, {128, 128, 128}, {16, 4096, 4096}, {4096, 16, 33}};
  for (const Implementation* implementation : of_operation(gpu::implementations(), "gemm")) {
    for (const Parameters& parameters : all_choices(implementation->description())) {
      SCOPED_TRACE(implementation->description().id);
      if (no_such_kernel(*implementation, parameters)) continue;
      for (const Shape& shape : shapes) {
        const Instance instance = taken_at(*implementation, shape);
        const double bytes = implementation->moved_bytes(instance, parameters);
        if (implementation->description().reference) {
          EXPECT_EQ(bytes, 0);
        } else {
          EXPECT_GE(bytes, gemm().least_bytes(instance));
        }
      }
      // no tile is smaller than one element of C
      const double everything = 4.0 * (2.0 * 96 * 80 * 64 + 96 * 80);
      EXPECT_LE(implementation->moved_bytes(taken_at(*implementation, {96, 80, 64}), parameters), everything);
    }
  }
}

TEST(GpuTable, a_kernel_moves_a_once_for_each_column_of_tiles_and_b_once_for_each_row) {
  const Shape shape{96, 80, 64};
  const double a = 96 * 64;
  const double b = 64 * 80;
  const double c = 96 * 80;
  const std::map<std::string, double> expected = {
      {"gpu.naive", 4 * (a * 80 + b * 96 + c)},
      {"gpu.naive_uncoalesced", 4 * (a * 80 + b * 96 + c)},
      {"gpu.tiled", 4 * (a * 5 + b * 6 + c)},  // block = 16
      {"gpu.register_tiled", 4 * (a + b + c)}  // one tile of 128×128 holds all of C
  };
  std::size_t seen = 0;
  for (const Implementation* implementation : of_operation(gpu::implementations(), "gemm")) {
    const auto row = expected.find(implementation->description().id);
    if (row == expected.end()) continue;
    const Parameters defaults = complete(implementation->description(), {});
    EXPECT_EQ(implementation->moved_bytes(gemm_at(shape), defaults), row->second) << row->first;
    ++seen;
  }
  EXPECT_EQ(seen, gpu::built_with_cuda() ? expected.size() : 0u);
}

TEST(GpuTable, a_machine_without_a_gpu_says_why_and_has_nothing) {
  const std::string reason = gpu::unavailable();
  if (reason.empty()) GTEST_SKIP() << "a GPU is here";
  EXPECT_TRUE(gpu::measure_ceilings().empty());
  EXPECT_TRUE(gpu::measure_costs().empty());
  for (const Implementation* implementation : gpu::implementations()) {
    EXPECT_EQ(implementation->unavailable(), reason) << implementation->description().id;
  }
  try {
    gpu::make_backend();
    FAIL() << "a backend without a GPU";
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string(error.what()).find(reason), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace gemmlab
