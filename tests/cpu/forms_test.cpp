// C = alpha·op(A)·op(B) + beta·C by every CPU implementation that takes it, held to the cases of
// the reference BLAS.

#include <gtest/gtest.h>

#include <set>

#include "cpu/table.h"
#include "tests/gemm_forms.h"

namespace gemmlab::cpu {
namespace {

/// What is wrong after one call; empty where nothing is.
std::string wrong_after(Session& session, const FormCase& one) {
  const FormProblem problem(one);
  std::vector<float> a = problem.a();
  std::vector<float> b = problem.b();
  std::vector<float> c = problem.c();
  constexpr std::int64_t kGuard = FormProblem::kGuard;
  multiply(session, a.data() + kGuard, b.data() + kGuard, c.data() + kGuard);
  const auto same = [](const std::vector<float>& x, const std::vector<float>& y) {
    return std::memcmp(x.data(), y.data(), x.size() * sizeof(float)) == 0;
  };
  if (!same(a, problem.a()) || !same(b, problem.b())) return name_of(one) + ": A or B was written";
  return problem.wrong(c);
}

std::vector<const GemmImplementation*> takers() {
  std::vector<const GemmImplementation*> taking;
  const Shape shape{2, 3, 4};
  GemmForm form = form_of(shape, true, true, 1, 1, 1);
  form.alpha = 0.7F;
  form.beta = 1.3F;
  for (const GemmImplementation* one : gemm_rows(implementations())) {
    if (one->why_not_form(shape, form, complete(one->description(), {})).empty()) taking.push_back(one);
  }
  return taking;
}

class CpuForms : public testing::TestWithParam<const GemmImplementation*> {
 protected:
  void SetUp() override {
    if (const auto reason = GetParam()->unavailable(); !reason.empty()) GTEST_SKIP() << reason;
  }
  /// Libraries that read what the reference BLAS does not are refused there.
  bool may_refuse(const FormCase& one) const {
    return GetParam()->description().reference && scales_only(one.shape, one.form);
  }
  bool holds(const FormCase& one, const Parameters& parameters) {
    const std::string refused = GetParam()->why_not_form(one.shape, one.form, parameters);
    if (may_refuse(one) && !refused.empty()) return true;
    EXPECT_EQ(refused, "") << name_of(one);
    if (!refused.empty()) return false;
    const std::string wrong = wrong_after(*GetParam()->prepare_form(one.shape, one.form, parameters), one);
    EXPECT_EQ(wrong, "");
    return wrong.empty();
  }
};

// without this GoogleTest prints the pointer, and a test has another name in each process
std::string id_of(const testing::TestParamInfo<const GemmImplementation*>& info) {
  return info.param->description().id.substr(std::string("cpu.").size());
}

TEST_P(CpuForms, hold_at_every_case_of_the_reference_blas) {
  for (const FormCase& one : form_cases(kFormSizes)) {
    if (!holds(one, complete(GetParam()->description(), {{"threads", std::int64_t{2}}}))) return;
  }
}

TEST_P(CpuForms, hold_with_every_choice_of_parameters) {
  for (const Parameters& choice : all_choices(GetParam()->description())) {
    for (const FormCase& one : form_cases({0, 3, 35})) {
      if (!holds(one, choice)) return;
    }
  }
}

TEST_P(CpuForms, hold_beyond_blocks_and_on_skinny_shapes) {
  std::vector<FormCase> cases;
  for (const Shape& shape : {Shape{300, 259, 331}, Shape{7, 1500, 2049}, Shape{1100, 19, 1030},
                             Shape{3, 5, 9000}, Shape{60, 1024, 1024}}) {
    append_forms(cases, shape);
  }
  for (const FormCase& one : cases) {
    if (one.form.alpha == 0 || (one.form.alpha == 1) != (one.form.beta == 0)) continue;
    if (!holds(one, complete(GetParam()->description(), {{"threads", std::int64_t{2}}}))) return;
  }
}

INSTANTIATE_TEST_SUITE_P(Takers, CpuForms, testing::ValuesIn(takers()), id_of);

TEST(CpuFormsOf, are_taken_by_packed_and_the_libraries_and_refused_by_the_teaching_rungs) {
  std::set<std::string> ids;
  for (const GemmImplementation* one : takers()) ids.insert(one->description().id);
  EXPECT_EQ(ids, (std::set<std::string>{"cpu.packed", "cpu.eigen", "cpu.openblas", "cpu.openblas_pypi",
                                        "cpu.blis", "cpu.onednn", "cpu.mkl"}));
  const Shape shape{2, 3, 4};
  for (const GemmImplementation* one : gemm_rows(implementations())) {
    if (ids.count(one->description().id) > 0) continue;
    const Parameters parameters = complete(one->description(), {});
    GemmForm form = form_of(shape, true, false);
    EXPECT_NE(one->why_not_form(shape, form, parameters).find("A transposed"), std::string::npos);
    EXPECT_THROW(one->prepare_form(shape, form, parameters), std::invalid_argument);
    EXPECT_EQ(one->why_not_form(shape, form_of(shape), parameters), one->why_not(gemm_at(shape), parameters));
  }
}

TEST(CpuFormsOf, with_rows_shorter_than_the_matrix_are_refused_by_all) {
  const Shape shape{2, 3, 4};
  for (const GemmImplementation* one : gemm_rows(implementations())) {
    for (std::int64_t GemmForm::*leading : {&GemmForm::lda, &GemmForm::ldb, &GemmForm::ldc}) {
      GemmForm form = form_of(shape);
      form.*leading -= 1;
      EXPECT_NE(one->why_not_form(shape, form, complete(one->description(), {})), "")
          << one->description().id;
    }
  }
}

/// The reference BLAS' loops with one of seven faults.
class Faulty : public GemmSession {
 public:
  enum Fault {
    kNone,
    kReadsC,
    kReadsAAtAlpha0,
    kNoAlpha,
    kNoBeta,
    kTightC,
    kWritesPadding,
    kWrongTranspose,
    kFaults
  };
  Faulty(const FormCase& one, Fault fault) : case_(one), fault_(fault) {}

  void multiply(const float* a, const float* b, float* c) override {
    const auto [m, n, k] = case_.shape;
    const GemmForm& form = case_.form;
    const std::int64_t ldc = fault_ == kTightC ? n : form.ldc;
    const float alpha = fault_ == kNoAlpha ? 1 : form.alpha;
    const float beta = fault_ == kNoBeta ? 0 : form.beta;
    for (std::int64_t row = 0; row < m; ++row) {
      for (std::int64_t col = 0; col < n; ++col) {
        float sum = 0;
        for (std::int64_t p = 0; p < k && (alpha != 0 || fault_ == kReadsAAtAlpha0); ++p) {
          const bool turned = form.transpose_a != (fault_ == kWrongTranspose && m == k);
          sum += a[turned ? p * form.lda + row : row * form.lda + p] *
                 b[form.transpose_b ? col * form.ldb + p : p * form.ldb + col];
        }
        float& to = c[row * ldc + col];
        to = alpha * sum + (beta != 0 || fault_ == kReadsC ? beta * to : 0);
      }
      if (fault_ == kWritesPadding && ldc > n && n > 0) c[row * ldc + n] = 0;
    }
  }

 private:
  FormCase case_;
  Fault fault_;
};

TEST(CpuFormsOf, a_planted_fault_is_found_and_the_reference_loops_are_not) {
  for (int fault = Faulty::kNone; fault < Faulty::kFaults; ++fault) {
    int found = 0;
    for (const FormCase& one : form_cases({0, 1, 2, 5})) {
      Faulty session(one, static_cast<Faulty::Fault>(fault));
      found += wrong_after(session, one).empty() ? 0 : 1;
    }
    if (fault == Faulty::kNone) {
      EXPECT_EQ(found, 0);
    } else {
      EXPECT_GT(found, 0) << "fault " << fault;
    }
  }
}

}  // namespace
}  // namespace gemmlab::cpu
