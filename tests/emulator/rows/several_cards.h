#pragma once

// A row on several emulated cards, for the tests of such rows.

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "cpu/table.h"
#include "operations/gemm/implementation.h"
#include "runner/commands/emulated.h"
#include "tests/operation_case.h"

namespace gemmlab::emulation {

inline const Implementation& emulated_row(const std::string& id) {
  for (const Implementation* row : emulated_rows()) {
    if (row->description().id == id) return *row;
  }
  throw std::runtime_error(id + " is not among the emulated rows");
}

class OnSeveralCards : public ::testing::Test {
 protected:
  ~OnSeveralCards() override { unsetenv("GEMMLAB_EMULATED_DEVICES"); }
  static void emulate(int devices) { setenv("GEMMLAB_EMULATED_DEVICES", std::to_string(devices).c_str(), 1); }
  /// Twice by one session, which is staged where it asks for that.
  static void expect_right(const Implementation& row, const Shape& shape, const Parameters& parameters) {
    std::string trace = row.description().id + " at " + to_string(gemm_at(shape));
    for (const auto& [name, value] : parameters) trace += ", " + name + " = " + to_string(value);
    SCOPED_TRACE(trace);
    ASSERT_EQ(row.why_not(gemm_at(shape), parameters), "");
    expect_right_by_calls(row, shape, parameters);
  }
  /// Also where it is refused because a graph would be made of it.
  static void expect_right_by_calls(const Implementation& row, const Shape& shape,
                                    const Parameters& parameters) {
    SCOPED_TRACE(to_string(gemm_at(shape)) + " on " + to_string(parameters.at("gpus")));
    const Instance instance = gemm_at(shape);
    static const DoubleProduct product = cpu::double_product();
    OperationCase one(instance, product);
    const auto session = row.prepare(instance, parameters);
    for (const std::int64_t set : {0, 1}) {  // other memory, other values, the same session
      one.fill(set);
      try {
        session->run(one.operands());
      } catch (const std::exception& error) {
        FAIL() << error.what();
      }
      EXPECT_TRUE(one.verdict(set) == Verdict::kOk);
    }
  }
};

}  // namespace gemmlab::emulation
