#include "cpu/gemm/plain.h"

#include <omp.h>

#include <stdexcept>

#include "core/machine/machine.h"
#include "core/session_row.h"
#include "cpu/gemm/scale.h"

namespace gemmlab::cpu {
namespace {

class PlainSession : public GemmSession {
 public:
  PlainSession(const Method& method, const Shape& shape, const GemmForm& form, int threads,
               std::int64_t block)
      : method_(method), product_{nullptr, nullptr, nullptr, shape.m, shape.n,
                                  shape.k, threads, block,   {},      form} {
    if (method.plan == nullptr) return;
    const CpuInfo& cpu = cpu_info();
    product_.plan = method.plan(product_, {cpu.cores, cpu.l1d_bytes, cpu.l2_bytes});
  }

  void multiply(const float* a, const float* b, float* c) override {
    // OMP_DYNAMIC in the environment would let the runtime start fewer than were asked for
    if (product_.plan.whole == nullptr) omp_set_dynamic(0);
    product_.a = a;
    product_.b = b;
    product_.c = c;
    threads_actual_ = method_.multiply(product_);
  }
  int threads_actual() const override { return threads_actual_; }
  Facts chosen() const override {
    Facts facts;
    if (*method_.library_version != '\0') facts["version"] = std::string(method_.library_version);
    if (const Plan& plan = product_.plan; method_.plan != nullptr) {
      facts["path"] = std::string(plan.path);
      facts["mr"] = plan.mr;
      facts["mc"] = plan.mc;
      facts["kc"] = plan.kc;
      facts["nc"] = plan.nc;
      facts["over_m"] = std::int64_t{plan.over_m};
      facts["over_n"] = std::int64_t{plan.over_n};
      facts["over_k"] = std::int64_t{plan.over_k};
    }
    return facts;
  }

 private:
  const Method& method_;
  Product product_;
  int threads_actual_ = 0;
};

ParameterSpec block_parameter(const Method& method) {
  return choice("block", "rows and columns of a block", {method.blocks, method.blocks + method.block_count},
                method.default_block, " {block}");
}

}  // namespace

std::string why_not_shape(const Shape& shape) {
  if (shape.m >= 1 && shape.n >= 1 && shape.k >= 1) return {};
  return "m, n and k must be at least 1, and are " + std::to_string(shape.m) + ", " +
         std::to_string(shape.n) + " and " + std::to_string(shape.k);
}

double moved_row_by_row(const Product& p) {
  const auto m = static_cast<double>(p.m);
  const auto n = static_cast<double>(p.n);
  const auto k = static_cast<double>(p.k);
  return sizeof(float) * (m * k + m * n * k + m * n);
}

PlainImplementation::PlainImplementation(const std::vector<Variant<Method>>& variants)
    : variants_(variants), description_(variants_.description("gemm")) {
  const Method& method = variants_.any();
  if (method.blocks != nullptr) description_.parameters.push_back(block_parameter(method));
  description_.parameters.push_back(variants_.isa());
  if (!method.threaded) return;
  const char* meaning = "threads, exactly";
  if (*method.library_version != '\0') meaning = kThreadsOfLibrary;
  if (method.plan != nullptr) meaning = "threads at most; fewer where more would be slower";
  description_.parameters.push_back(threads_parameter(meaning));
}

std::string PlainImplementation::why_not(const Shape& shape, const Parameters&) const {
  return why_not_shape(shape);
}

double PlainImplementation::moved_bytes(const Shape& shape, const Parameters& parameters) const {
  const Method& method = variants_.any();
  if (method.moved_bytes == nullptr) return 0;
  const std::int64_t block = method.blocks == nullptr ? 0 : integer(parameters, "block");
  return method.moved_bytes({nullptr, nullptr, nullptr, shape.m, shape.n, shape.k, 1, block, {}, {}});
}

std::unique_ptr<Session> PlainImplementation::prepare(const Shape& shape,
                                                      const Parameters& parameters) const {
  return prepare_form(shape, form_of(shape), parameters);
}

std::string PlainImplementation::why_not_form(const Shape& shape, const GemmForm& form,
                                              const Parameters& parameters) const {
  if (!variants_.any().takes_forms) return GemmImplementation::why_not_form(shape, form, parameters);
  return wrong_form(shape, form);
}

std::unique_ptr<Session> PlainImplementation::prepare_form(const Shape& shape, const GemmForm& form,
                                                           const Parameters& parameters) const {
  if (const std::string reason = why_not_form(shape, form, parameters); !reason.empty()) {
    throw std::invalid_argument(description_.id + ": " + reason);
  }
  if (scales_only(shape, form)) return make_scale_session(shape, form);
  const Method& method = variants_.of(description_, parameters);
  const int threads = method.threaded ? static_cast<int>(integer(parameters, "threads")) : 1;
  return std::make_unique<PlainSession>(method, shape, form, threads,
                                        method.blocks == nullptr ? 0 : integer(parameters, "block"));
}

}  // namespace gemmlab::cpu
