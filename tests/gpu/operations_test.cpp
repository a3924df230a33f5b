// dot, axpy, triad, gemv and batches of products on the GPU: every implementation, at odd sizes, off alignment, at every way
// of its plan.

#include "tests/operations.h"

#include <set>

#include "gpu/gemv/tuned.h"
#include "gpu/table.h"
#include "operations/gemm/implementation.h"
#include "tests/gpu/on_gpu.h"

namespace gemmlab {
const Operation& dot();
const Operation& gemv();
namespace gpu {
const Implementation& dot_tuned();
const Implementation& gemv_tuned();
const Implementation& gemv_warp();
const Implementation& matrix_tuned();
}  // namespace gpu

namespace {

using test::HostOperands;
using test::option_choices;

struct Row {
  const Operation* operation;
  const Implementation* implementation;
};

std::vector<Row> rows() {
  std::vector<Row> all;
  for (const Implementation* implementation : gpu::implementations()) {
    const Description& description = implementation->description();
    if (test::of_vectors(description) || description.operation == "batched_gemm")
      all.push_back({find_operation(description.operation), implementation});
  }
  return all;
}

/// Runs a session on guarded device memory whose operands start `offset` floats behind a boundary
/// of 256 bytes.
void run_on(Backend& backend, Session& session, HostOperands& host, std::int64_t offset) {
  std::vector<std::unique_ptr<Guarded>> device;
  std::vector<void*> at;
  for (std::size_t i = 0; i < host.size(); ++i) {
    device.push_back(std::make_unique<Guarded>(backend, host.count(i), offset));
    device[i]->write({host.data(i), host.data(i) + host.count(i)});
    at.push_back(device[i]->data());
  }
  session.run(Operands(at));
  backend.synchronize();
  for (std::size_t i = 0; i < host.size(); ++i) {
    const std::vector<float> values = device[i]->read();
    std::copy(values.begin(), values.end(), host.data(i));
    EXPECT_EQ(device[i]->changed_outside(), 0) << "operand " << i;
  }
}

class GpuOperation : public OnGpu {
 protected:
  /// False where the row does not take it.
  bool expect_right(const Row& row, const Instance& instance, std::int64_t offset,
                    const Parameters& given = {}) {
    const std::string id = row.implementation->description().id;
    SCOPED_TRACE(test::named(instance, id));
    const Parameters parameters = complete(row.implementation->description(), given);
    if (!row.implementation->why_not(instance, parameters).empty()) return false;
    const auto session = row.implementation->prepare(instance, parameters);
    test::expect_right(
        instance, [&](HostOperands& host) { run_on(*backend_, *session, host, offset); }, offset, id,
        row.implementation->precision(instance));
    return true;
  }
};

TEST_F(GpuOperation, is_right_at_every_odd_size_wherever_operands_start) {
  for (const Row& row : rows()) {
    if (!row.implementation->unavailable().empty()) continue;
    for (const auto& dims : row.operation->odd_dimensions()) {
      for (const Options& options : option_choices(*row.operation)) {
        for (const std::int64_t offset : {0, 1, 2, 4}) {
          expect_right(row, instance_of(*row.operation, dims, options), offset);
          if (HasFatalFailure()) return;
        }
      }
    }
  }
}

TEST_F(GpuOperation, gemm_is_right_in_every_type_that_a_row_takes) {
  std::vector<std::vector<std::int64_t>> shapes = gemm().odd_dimensions();
  // several tiles down and across, with and without whole 16-byte rows, and terms for every stage
  for (const auto& more :
       {std::vector<std::int64_t>{390, 520, 264}, {391, 521, 263}, {1100, 260, 40}, {128, 256, 96}})
    shapes.push_back(more);
  int tried = 0;
  for (const Implementation* implementation : of_operation(gpu::implementations(), "gemm")) {
    if (!implementation->unavailable().empty()) continue;
    for (const Options& options : gemm().odd_options()) {
      for (const auto& dims : shapes) {
        const Instance instance = instance_of(gemm(), dims, options);
        for (const std::int64_t offset : {0, 1, 4}) {
          if (offset > 0 && dims[0] > 64 && dims[0] != 391) continue;
          tried += implementation->why_not(instance, complete(implementation->description(), {})).empty();
          expect_right({&gemm(), implementation}, instance, offset);
          if (HasFatalFailure()) return;
        }
      }
    }
  }
  EXPECT_GT(tried, 0);
}

/// Each tile, alone and in parts of K, on B as it lies and stored as (N, K); last a C of more tiles than blocks at once.
TEST_F(GpuOperation, matrix_tuned_is_right_with_every_kernel_and_split) {
  const Implementation& row = gpu::matrix_tuned();
  if (!row.unavailable().empty()) GTEST_SKIP() << row.unavailable();
  const std::vector<std::vector<std::int64_t>> shapes = {
      {390, 520, 1032}, {131, 257, 1031}, {8, 384, 4096}, {2100, 2200, 72}};
  std::set<std::string> tried;
  for (const Options& options : gemm().odd_options()) {
    for (const std::string transposed : {"no", "yes"}) {
      Options of_form = options;
      of_form["transpose_b"] = transposed;
      for (const ParameterValue& kernel : row.description().find("kernel")->choices) {
        for (const std::int64_t splits : {1, 4}) {
          for (const auto& dims : shapes) {
            if (dims[0] > 2000 && (splits > 1 || options.count("result") != 0 || transposed == "yes"))
              continue;
            const Instance instance = instance_of(gemm(), dims, of_form);
            SCOPED_TRACE(to_string(kernel) + " in " + std::to_string(splits));
            if (expect_right({&gemm(), &row}, instance, 0, {{"kernel", kernel}, {"split_k", splits}}))
              tried.insert(to_string(kernel));
            if (HasFatalFailure()) return;
          }
        }
      }
    }
  }
  if (tried.empty()) GTEST_SKIP() << "there is no wgmma here";
  EXPECT_EQ(tried.size(), row.description().find("kernel")->choices.size());
}

TEST_F(GpuOperation, is_right_where_every_block_takes_several_turns) {
  for (const Row& row : rows()) {
    if (row.operation->dimensions().size() != 1 || !row.implementation->unavailable().empty()) continue;
    for (const std::int64_t n : {1 << 20, 5'000'011}) {
      for (const std::int64_t offset : {0, 1}) {
        expect_right(row, instance_of(*row.operation, {n}), offset);
        if (HasFatalFailure()) return;
      }
    }
  }
}

/// Rows, columns and how the tuned kernels go about them: few and many, with and without splits.
const std::vector<std::vector<std::int64_t>> kGemvShapes = {
    {1, 40'000}, {2, 40'001},   {40'000, 1},   {40'001, 4},  {64, 8192},   {8192, 64},
    {70, 8191},  {8191, 70},    {1024, 1024},  {9000, 520},  {9001, 132},  {257, 36},
    {12, 36},    {100'000, 12}, {12, 100'000}, {4097, 1023}, {4096, 2048}, {100'000, 133},
};

TEST_F(GpuOperation, gemv_is_right_at_every_way_of_its_plan) {
  std::set<std::pair<std::string, int>> seen;
  for (const auto& dims : kGemvShapes) {
    for (const bool aligned : {true, false}) {
      for (const auto& plan :
           {gpu::plan_rows(dims[0], dims[1], aligned), gpu::plan_columns(dims[0], dims[1], aligned)}) {
        seen.insert({std::string(plan.path) + (plan.splits > 1 ? ", split, " : ", ") +
                         std::to_string(plan.load_bytes) + " bytes",
                     plan.results_per_block});
      }
    }
    for (const Row& row : rows()) {
      if (row.operation != &gemv() || !row.implementation->unavailable().empty()) continue;
      for (const Options& options : option_choices(gemv())) {
        for (const std::int64_t offset : {0, 1}) {
          expect_right(row, instance_of(gemv(), dims, options), offset);
          if (HasFatalFailure()) return;
        }
      }
    }
  }
  // rows: teams of 8, 32 and 256 with one row or four; columns: 8 or 32 wide; each with 16 and 4 bytes,
  // most with splits
  EXPECT_GE(seen.size(), 16u);
}

TEST_F(GpuOperation, tuned_sums_have_the_same_bits_every_time) {
  const std::vector<std::pair<const Implementation*, Instance>> cases = {
      {&gpu::dot_tuned(), instance_of(dot(), {3'000'001})},
      {&gpu::gemv_tuned(), instance_of(gemv(), {3, 100'000})},
      {&gpu::gemv_tuned(), instance_of(gemv(), {100'000, 8}, {{"transpose_a", std::int64_t{1}}})},
  };
  for (const auto& [implementation, instance] : cases) {
    const auto session = implementation->prepare(instance, {});
    std::vector<float> first;
    for (int call = 0; call < 10; ++call) {
      HostOperands host(instance, 0);
      host.fill({Distribution::kUniform, 1}, 0);
      run_on(*backend_, *session, host, 0);
      const std::vector<float> result(host.data(2), host.data(2) + host.count(2));
      if (call == 0) first = result;
      EXPECT_EQ(different(result, first), 0) << implementation->description().id << " call " << call;
    }
  }
}

TEST_F(GpuOperation, one_session_goes_on_after_another_start_of_its_operands) {
  // the counters of a split sum are left at zero by aligned and by other operands alike
  const Instance instance = instance_of(gemv(), {2, 100'000});
  const auto session = gpu::gemv_tuned().prepare(instance, {});
  for (const std::int64_t offset : {0, 1, 0, 3, 0}) {
    test::expect_right(
        instance, [&](HostOperands& host) { run_on(*backend_, *session, host, offset); }, offset,
        "gemv_tuned");
  }
}

TEST_F(GpuOperation, a_row_that_is_left_out_is_found) {
  // what the harness would see of a kernel that forgot its last block
  const Instance instance = instance_of(gemv(), {130, 64});
  const auto session = gpu::gemv_tuned().prepare(instance, {});
  const InputValues values{Distribution::kUniform, 7};
  const auto reference = gemv().reference(instance, values, plain_double_product);
  HostOperands host(instance, 0);
  host.fill(values, 0);
  run_on(*backend_, *session, host, 0);
  ASSERT_EQ(overall(reference->check(host.operands(), 0)), Verdict::kOk);
  host.data(2)[129] = std::nanf("");
  const auto checks = reference->check(host.operands(), 0);
  EXPECT_EQ(overall(checks), Verdict::kIncorrect);
  EXPECT_EQ(checks.at(0).worst_row, 129);
}

TEST_F(GpuOperation, gemv_by_a_warp_per_row_refuses_the_transposed_form) {
  EXPECT_NE(gpu::gemv_warp().why_not(instance_of(gemv(), {3, 3}, {{"transpose_a", std::int64_t{1}}}), {}),
            "");
  EXPECT_EQ(gpu::gemv_warp().why_not(instance_of(gemv(), {3, 3}), {}), "");
}

}  // namespace
}  // namespace gemmlab
