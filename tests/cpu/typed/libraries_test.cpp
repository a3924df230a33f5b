// The libraries' rows of other types than float32: right in every form that they take.

#include "cpu/table.h"
#include "operations/gemm/implementation.h"
#include "tests/operations.h"

namespace gemmlab::cpu {
namespace {

TEST(TypedLibraries, are_right_in_every_form_that_they_take) {
  const auto word = [](const char* text) { return OptionValue(std::string(text)); };
  int taken = 0;
  for (const Implementation* row : implementations()) {
    const std::string& id = row->description().id;
    if ((id != "cpu.onednn_typed" && id != "cpu.mkl_typed") || !row->unavailable().empty()) continue;
    const Parameters parameters = complete(row->description(), {{"threads", std::int64_t{2}}});
    for (Options options : gemm().odd_options()) {
      for (const char* transposed : {"no", "yes"}) {
        for (const double alpha : {1.0, -2.0}) {
          options["transpose_a"] = word(transposed);
          options["transpose_b"] = word(transposed);
          options["lda_extra"] = std::int64_t{3};
          options["ldc_extra"] = std::int64_t{2};
          if (std::get<std::string>(options["type"]) != "int8") options["alpha"] = alpha;
          const Instance instance = instance_of(gemm(), {33, 50, 70}, options);
          if (!row->why_not(instance, parameters).empty()) continue;
          ++taken;
          const auto session = row->prepare(instance, parameters);
          test::expect_right(
              instance, [&](test::HostOperands& host) { session->run(host.operands()); }, 0, id);
          if (HasFatalFailure()) return;
        }
      }
    }
  }
  if (taken == 0) GTEST_SKIP() << "neither oneDNN nor MKL was found";
}

}  // namespace
}  // namespace gemmlab::cpu
