// C = alpha·op(A)·op(B) + beta·C by every GPU implementation that takes it, held to the cases of
// the reference BLAS.

#include <set>

#include "gpu/table.h"
#include "tests/gemm_forms.h"
#include "tests/gpu/on_gpu.h"

namespace gemmlab {
namespace {

const GemmImplementation& of_id(const std::string& id) {
  return dynamic_cast<const GemmImplementation&>(row_of(id));
}

/// Device memory for the matrices of any case, kept from case to case.
class Places {
 public:
  explicit Places(Backend& backend) : backend_(backend) {}
  ~Places() { release(); }
  Places(const Places&) = delete;
  Places& operator=(const Places&) = delete;

  /// The values at the device, behind a boundary of 256 bytes and `offset` floats.
  float* place(int which, const std::vector<float>& values, std::int64_t offset) {
    const auto count = static_cast<std::int64_t>(values.size());
    if (count + offset > counts_[which]) {
      if (memory_[which] != nullptr) backend_.release(memory_[which]);
      memory_[which] = backend_.allocate<float>(2 * count + offset);
      counts_[which] = 2 * count + offset;
    }
    backend_.upload(memory_[which] + offset, values.data(), count);
    return memory_[which] + offset;
  }

 private:
  void release() {
    for (float* memory : memory_) {
      if (memory != nullptr) backend_.release(memory);
    }
  }
  Backend& backend_;
  float* memory_[3] = {};
  std::int64_t counts_[3] = {};
};

class GpuForms : public OnGpu {
 protected:
  void SetUp() override {
    OnGpu::SetUp();
    if (!IsSkipped()) places_ = std::make_unique<Places>(*backend_);
  }
  void TearDown() override { places_.reset(); }

  /// Does it hold? `most_eta` beyond the bound of FP32 for what declares less.
  bool holds(const GemmImplementation& implementation, const Parameters& parameters, const FormCase& one,
             std::int64_t offset = 0, double most_eta = kEtaBound) {
    const std::string refused = implementation.why_not_form(one.shape, one.form, parameters);
    const bool may_refuse = implementation.description().reference && scales_only(one.shape, one.form);
    if (may_refuse && !refused.empty()) return true;
    EXPECT_EQ(refused, "") << name_of(one);
    if (!refused.empty()) return false;
    const FormProblem problem(one);
    constexpr std::int64_t kGuard = FormProblem::kGuard;
    float* const a = places_->place(0, problem.a(), offset);
    float* const b = places_->place(1, problem.b(), offset);
    float* const c = places_->place(2, problem.c(), offset);
    multiply(*implementation.prepare_form(one.shape, one.form, parameters), a + kGuard, b + kGuard,
             c + kGuard);
    backend_->synchronize();
    std::vector<float> after(problem.c().size());
    backend_->download(after.data(), c, static_cast<std::int64_t>(after.size()));
    const std::string wrong = problem.wrong(after, most_eta);
    EXPECT_EQ(wrong, "") << implementation.description().id;
    return wrong.empty() && unchanged(a, problem.a(), one) && unchanged(b, problem.b(), one);
  }

  bool hold_all(const std::string& id, const std::vector<FormCase>& cases, const Parameters& given = {},
                std::int64_t offset = 0, double most_eta = kEtaBound) {
    const GemmImplementation& implementation = of_id(id);
    if (!implementation.unavailable().empty()) return true;
    const Parameters parameters = complete(implementation.description(), given);
    for (const FormCase& one : cases) {
      if (!holds(implementation, parameters, one, offset, most_eta)) return false;
    }
    return true;
  }

 private:
  bool unchanged(const float* at, const std::vector<float>& before, const FormCase& one) {
    std::vector<float> after(before.size());
    backend_->download(after.data(), at, static_cast<std::int64_t>(after.size()));
    const bool same = std::memcmp(after.data(), before.data(), before.size() * sizeof(float)) == 0;
    EXPECT_TRUE(same) << name_of(one) << ": A or B was written";
    return same;
  }

  std::unique_ptr<Places> places_;
};

Facts chosen_by_pipelined(const Shape& shape) {
  const GemmImplementation& pipelined = of_id("gpu.pipelined");
  return pipelined.prepare(shape, complete(pipelined.description(), {}))->chosen();
}

/// A third of the forms at every shape, another third at the next: all of them go round.
std::vector<FormCase> every_third(const std::vector<FormCase>& all) {
  std::vector<FormCase> some;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if ((i + i / 36) % 3 == 0) some.push_back(all[i]);
  }
  return some;
}

/// Shapes of several tiles, with K from 128, so that gpu.tensor multiplies by parts.
std::vector<FormCase> larger_cases() {
  std::vector<FormCase> cases;
  for (const Shape& shape : {Shape{130, 260, 300}, Shape{259, 131, 143}, Shape{256, 128, 256},
                             Shape{3, 500, 700}, Shape{600, 7, 400}}) {
    append_forms(cases, shape);
  }
  return cases;
}

TEST_F(GpuForms, of_pipelined_hold_at_the_cases_of_the_reference_blas) {
  hold_all("gpu.pipelined", every_third(form_cases(kFormSizes)));
}

TEST_F(GpuForms, of_tensor_hold_at_the_cases_of_the_reference_blas) {
  hold_all("gpu.tensor", every_third(form_cases(kFormSizes)));
}

TEST_F(GpuForms, of_cublas_hold_at_the_cases_of_the_reference_blas) {
  hold_all("gpu.cublas", every_third(form_cases({0, 1, 3, 9, 65})));
}

TEST_F(GpuForms, of_cublaslt_hold_where_it_has_algorithms) {
  std::vector<FormCase> cases;
  append_forms(cases, {65, 35, 9});
  append_forms(cases, {130, 260, 300});
  hold_all("gpu.cublaslt", every_third(cases));
}

TEST_F(GpuForms, of_cublas_in_tf32_hold_within_their_precision) {
  hold_all("gpu.cublas_tf32", every_third(larger_cases()), {}, 0, kEtaReduced);
}

TEST_F(GpuForms, hold_on_several_tiles) {
  for (const char* id : {"gpu.pipelined", "gpu.tensor", "gpu.cublas"}) hold_all(id, larger_cases());
}

/// A few blocks each, so that a checker of races or of uninitialised memory comes to its end, too.
TEST_F(GpuForms, of_pipelined_hold_by_the_kernels_for_thin_products) {
  const std::vector<Shape> shapes = {{2, 40, 600}, {3, 130, 700}, {8, 37, 520}, {40, 5, 600}, {131, 2, 636}};
  for (const Shape& shape : shapes) {
    std::vector<FormCase> cases;
    append_forms(cases, shape);
    EXPECT_EQ(chosen_by_pipelined(shape).count("path"), 1u)
        << name_of({shape, form_of(shape)}) << ": by a tile";
    hold_all("gpu.pipelined", every_third(cases));
  }
}

TEST_F(GpuForms, of_pipelined_hold_by_blocks_that_share_a_tile_as_a_cluster) {
  const std::vector<Shape> shapes = {{40, 36, 300}, {33, 61, 513}, {60, 100, 257}};
  for (const Shape& shape : shapes) {
    std::vector<FormCase> cases;
    append_forms(cases, shape);
    const Facts chosen = chosen_by_pipelined(shape);
    ASSERT_EQ(chosen.count("cluster"), 1u);
    EXPECT_GT(std::get<std::int64_t>(chosen.at("cluster")), 1) << name_of({shape, form_of(shape)});
    hold_all("gpu.pipelined", every_third(cases));
  }
}

TEST_F(GpuForms, hold_with_every_tile_of_pipelined) {
  const ParameterSpec& tile = *of_id("gpu.pipelined").description().find("tile");
  for (const ParameterValue& value : tile.choices)
    hold_all("gpu.pipelined", every_third(larger_cases()), {{"tile", value}});
}

TEST_F(GpuForms, hold_with_every_choice_of_tensor) {
  for (const Parameters& choice : all_choices(of_id("gpu.tensor").description())) {
    hold_all("gpu.tensor", every_third(larger_cases()), choice);
  }
}

TEST_F(GpuForms, hold_for_matrices_that_start_between_multiples_of_16_bytes) {
  for (const char* id : {"gpu.pipelined", "gpu.tensor", "gpu.cublas"}) {
    for (const std::int64_t offset : {1, 2}) hold_all(id, every_third(larger_cases()), {}, offset);
  }
}

TEST_F(GpuForms, give_the_same_bits_every_time_and_in_a_graph) {
  const Shape shape{259, 131, 1031};
  GemmForm form = form_of(shape, true, true, 1, 3, 5);
  form.alpha = 0.7F;
  form.beta = 1.3F;
  const FormCase one{shape, form};
  const FormProblem problem(one);
  Places places(*backend_);
  constexpr std::int64_t kGuard = FormProblem::kGuard;
  for (const char* id : {"gpu.pipelined", "gpu.tensor"}) {
    const GemmImplementation& implementation = of_id(id);
    if (!implementation.unavailable().empty()) continue;
    const auto session = implementation.prepare_form(shape, form, complete(implementation.description(), {}));
    const float* a = places.place(0, problem.a(), 0) + kGuard;
    const float* b = places.place(1, problem.b(), 0) + kGuard;
    std::vector<float> first;
    for (int call = 0; call < 20; ++call) {
      float* c = places.place(2, problem.c(), 0);
      const Backend::Call call_it = [&] { multiply(*session, a, b, c + kGuard); };
      if (call % 2 == 0) {
        call_it();
      } else {
        EXPECT_GT(backend_->sample({call_it}, Scope::kKernel, Timing::kGraph, 1), 0);
        // a graph's first sample may run it more than once
        c = places.place(2, problem.c(), 0);
        EXPECT_GT(backend_->sample({call_it}, Scope::kKernel, Timing::kGraph, 1), 0);
      }
      backend_->synchronize();
      std::vector<float> after(problem.c().size());
      backend_->download(after.data(), c, static_cast<std::int64_t>(after.size()));
      if (call == 0) first = after;
      ASSERT_EQ(different(after, first), 0) << id << " call " << call;
    }
    backend_->drop_graphs();
  }
}

/// A library's answer with a mistake in it has to be found, on this device as on the other.
TEST_F(GpuForms, are_found_wrong_where_a_factor_or_a_transpose_is_left_out) {
  const Shape shape{65, 65, 65};
  GemmForm asked = form_of(shape, true, false, 1, 1, 1);
  asked.alpha = 0.7F;
  asked.beta = 1.3F;
  for (int fault = 0; fault < 3; ++fault) {
    GemmForm done = asked;
    if (fault == 0) done.alpha = 1;
    if (fault == 1) done.beta = 1;
    if (fault == 2) done.transpose_a = false;
    const FormProblem problem({shape, asked});
    Places places(*backend_);
    constexpr std::int64_t kGuard = FormProblem::kGuard;
    float* const c = places.place(2, problem.c(), 0);
    const GemmImplementation& pipelined = of_id("gpu.pipelined");
    const auto session = pipelined.prepare_form(shape, done, complete(pipelined.description(), {}));
    multiply(*session, places.place(0, problem.a(), 0) + kGuard, places.place(1, problem.b(), 0) + kGuard,
             c + kGuard);
    backend_->synchronize();
    std::vector<float> after(problem.c().size());
    backend_->download(after.data(), c, static_cast<std::int64_t>(after.size()));
    EXPECT_NE(problem.wrong(after), "") << "fault " << fault;
  }
}

}  // namespace

// What needs no GPU: which rows take a form, and what the others say.
TEST(GpuFormsOf, are_taken_by_pipelined_tensor_and_the_libraries_and_refused_by_the_teaching_rungs) {
  const Shape shape{8000, 8100, 8200};  // cuBLASXt takes no small ones
  GemmForm form = form_of(shape, true, true, 1, 1, 1);
  form.alpha = 0.7F;
  form.beta = 1.3F;
  std::set<std::string> ids;
  for (const GemmImplementation* one : gemm_rows(gpu::implementations())) {
    const Parameters parameters = complete(one->description(), {});
    const std::string refused = one->why_not_form(shape, form, parameters);
    if (refused.empty()) {
      ids.insert(one->description().id);
    } else {
      EXPECT_NE(refused.find("A transposed, B transposed, alpha = 0.7, beta = 1.3"), std::string::npos)
          << refused;
      EXPECT_EQ(one->why_not_form(shape, form_of(shape), parameters), "") << one->description().id;
    }
    GemmForm wrong = form_of(shape);
    wrong.lda -= 1;
    EXPECT_NE(one->why_not_form(shape, wrong, parameters).find("lda"), std::string::npos)
        << one->description().id;
  }
  if (!gpu::built_with_cuda()) GTEST_SKIP() << "built without CUDA";
  EXPECT_EQ(ids, (std::set<std::string>{"gpu.pipelined", "gpu.tensor", "gpu.cublas", "gpu.cublaslt",
                                        "gpu.cublas_tf32"}));
}

}  // namespace gemmlab
