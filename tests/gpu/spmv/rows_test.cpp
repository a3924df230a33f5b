#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "core/implementation.h"
#include "gpu/table.h"
#include "tests/gpu/on_gpu.h"
#include "tests/spmv_cases.h"

namespace gemmlab::sparse {
namespace {

/// 32-bit words as the floats that Guarded carries.
template <typename Word>
std::vector<float> as_floats(const std::vector<Word>& words) {
  static_assert(sizeof(Word) == sizeof(float));
  std::vector<float> floats(words.size());
  std::memcpy(floats.data(), words.data(), words.size() * sizeof(Word));
  return floats;
}

/// A case in device memory, between guards; all arrays start `offset` floats behind a boundary of 256 bytes.
class OnDevice {
 public:
  OnDevice(Backend& backend, const SpmvCase& problem, std::int64_t offset)
      : values_(backend, static_cast<std::int64_t>(problem.values.size()), offset),
        columns_(backend, static_cast<std::int64_t>(problem.columns.size()), offset),
        offsets_(backend, problem.m + 1, offset),
        x_(backend, problem.n, offset),
        y_(backend, problem.m, offset) {
    values_.write(problem.values);
    columns_.write(as_floats(problem.columns));
    offsets_.write(as_floats(problem.offsets));
    x_.write(problem.x);
    y_.poison();
  }
  Operands operands() {
    return Operands({values_.data(), columns_.data(), offsets_.data(), x_.data(), y_.data()});
  }
  void poison() { y_.poison(); }
  std::vector<float> y() const { return y_.read(); }
  std::int64_t changed_outside() const { return y_.changed_outside(); }

 private:
  Guarded values_;
  Guarded columns_;
  Guarded offsets_;
  Guarded x_;
  Guarded y_;
};

std::vector<const Implementation*> spmv_rows() {
  std::vector<const Implementation*> rows;
  for (const Implementation* row : gpu::implementations()) {
    if (row->description().operation == "spmv") rows.push_back(row);
  }
  return rows;
}

class GpuSpmv : public OnGpu {};

TEST_F(GpuSpmv, every_row_of_the_table_multiplies_every_case_exactly) {
  for (const Implementation* row : spmv_rows()) {
    if (!row->unavailable().empty()) continue;
    for (const Parameters& parameters : all_choices(row->description())) {
      for (const SpmvCase& problem : spmv_cases()) {
        for (const std::int64_t offset : {0, 1}) {
          OnDevice device(*backend_, problem, offset);
          const auto session = row->prepare(problem.instance(), parameters);
          session->stage({device.operands()});
          session->run(device.operands());
          backend_->synchronize();
          EXPECT_EQ(different(device.y(), problem.product()), 0)
              << row->description().id << ", " << problem.name << ", offset " << offset;
          EXPECT_EQ(device.changed_outside(), 0) << row->description().id << ", " << problem.name;
        }
      }
    }
  }
}

TEST_F(GpuSpmv, our_kernels_and_csr2_give_the_same_bits_in_every_call) {
  SpmvCase problem = spmv_case("fractions", 4001, std::vector<std::int32_t>(501, 701));
  for (float& value : problem.values) value *= 0.1f;
  for (const Implementation* row : spmv_rows()) {
    if (!row->unavailable().empty()) continue;
    for (const Parameters& parameters : all_choices(row->description())) {
      if (parameters.count("algorithm") != 0 && text(parameters, "algorithm") != "csr2") continue;
      OnDevice device(*backend_, problem, 0);
      const auto session = row->prepare(problem.instance(), parameters);
      session->stage({device.operands()});
      std::vector<float> first;
      for (int call = 0; call < 5; ++call) {
        device.poison();
        session->run(device.operands());
        backend_->synchronize();
        if (call == 0) first = device.y();
        EXPECT_EQ(different(device.y(), first), 0) << row->description().id << ", call " << call;
      }
    }
  }
}

TEST_F(GpuSpmv, a_session_follows_other_addresses_and_other_entries) {
  const SpmvCase first = spmv_case("first", 300, std::vector<std::int32_t>(200, 9));
  SpmvCase second = first;
  std::rotate(second.x.begin(), second.x.begin() + 1, second.x.end());
  second.offsets[1] = 0;  // the first row's entries now belong to the second
  for (const Implementation* row : spmv_rows()) {
    if (!row->unavailable().empty()) continue;
    OnDevice on_first(*backend_, first, 0);
    OnDevice on_second(*backend_, second, 0);
    const auto session = row->prepare(first.instance(), complete(row->description(), {}));
    session->run(on_first.operands());
    session->run(on_second.operands());
    backend_->synchronize();
    EXPECT_EQ(different(on_first.y(), first.product()), 0) << row->description().id;
    EXPECT_EQ(different(on_second.y(), second.product()), 0) << row->description().id;
  }
}

}  // namespace
}  // namespace gemmlab::sparse
