#include "cpu/gemm/plain.h"

#include <omp.h>

#include <algorithm>
#include <stdexcept>

#include "core/machine.h"
#include "cpu/gemm/scale.h"

namespace gemmlab::cpu {
namespace {

constexpr std::int64_t kMostThreads = 4096;

class PlainSession : public GemmSession {
 public:
  PlainSession(const Method& method, const Shape& shape, const GemmForm& form, int threads,
               std::int64_t block)
      : method_(method), problem_{nullptr, nullptr, nullptr, shape.m, shape.n,
                                  shape.k, threads, block,   {},      form} {
    if (method.plan == nullptr) return;
    const CpuInfo& cpu = cpu_info();
    problem_.plan = method.plan(problem_, {cpu.cores, cpu.l1d_bytes, cpu.l2_bytes});
  }

  void multiply(const float* a, const float* b, float* c) override {
    omp_set_dynamic(
        0);  // OMP_DYNAMIC in the environment would let the runtime start fewer than were asked for
    problem_.a = a;
    problem_.b = b;
    problem_.c = c;
    threads_actual_ = method_.multiply(problem_);
  }
  int threads_actual() const override { return threads_actual_; }
  Facts chosen() const override {
    Facts facts;
    if (*method_.library_version != '\0') facts["version"] = std::string(method_.library_version);
    if (const Plan& plan = problem_.plan; method_.plan != nullptr) {
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
  Problem problem_;
  int threads_actual_ = 0;
};

ParameterSpec isa_parameter(const std::vector<Variant>& variants) {
  ParameterSpec spec;
  spec.name = "isa";
  spec.summary = "instructions that the source is compiled for";
  for (const Variant& variant : variants) spec.choices.emplace_back(std::string(variant.isa));
  spec.default_value = spec.choices.back();
  return spec;
}

ParameterSpec block_parameter(const Method& method) {
  ParameterSpec spec;
  spec.name = "block";
  spec.summary = "rows and columns of a block";
  spec.choices.assign(method.blocks, method.blocks + method.block_count);
  spec.default_value = method.default_block;
  return spec;
}

}  // namespace

ParameterSpec threads_parameter(const std::string& summary) {
  ParameterSpec spec;
  spec.name = "threads";
  spec.summary = summary;
  spec.minimum = 1;
  spec.maximum = kMostThreads;
  spec.default_value = static_cast<std::int64_t>(cpu_info().cores);
  return spec;
}

std::string why_not_shape(const Shape& shape) {
  if (shape.m >= 1 && shape.n >= 1 && shape.k >= 1) return {};
  return "m, n and k must be at least 1, and are " + std::to_string(shape.m) + ", " +
         std::to_string(shape.n) + " and " + std::to_string(shape.k);
}

double moved_row_by_row(const Problem& p) {
  const auto m = static_cast<double>(p.m);
  const auto n = static_cast<double>(p.n);
  const auto k = static_cast<double>(p.k);
  return sizeof(float) * (m * k + m * n * k + m * n);
}

PlainImplementation::PlainImplementation(const std::vector<Variant>& variants) {
  const auto& machine = cpu_info().isa;
  for (const Variant& variant : variants) {
    if (std::find(machine.begin(), machine.end(), variant.isa) != machine.end()) variants_.push_back(variant);
  }
  const Method& method = *variants_.at(0).method;
  description_.id = method.id;
  description_.device = Device::kCpu;
  description_.summary = method.summary;
  description_.source = method.source;
  description_.counterpart = method.counterpart;
  if (method.blocks != nullptr) description_.parameters.push_back(block_parameter(method));
  description_.parameters.push_back(isa_parameter(variants_));
  if (method.threaded) {
    const char* meaning = "threads, exactly";
    if (*method.library_version != '\0') meaning = "threads at most; the library may take fewer";
    if (method.plan != nullptr) meaning = "threads at most; fewer where more would be slower";
    description_.parameters.push_back(threads_parameter(meaning));
  }
}

std::string PlainImplementation::why_not(const Shape& shape, const Parameters&) const {
  return why_not_shape(shape);
}

double PlainImplementation::moved_bytes(const Shape& shape, const Parameters& parameters) const {
  const Method& method = *variants_.at(0).method;
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
  if (!variants_.at(0).method->takes_forms) return GemmImplementation::why_not_form(shape, form, parameters);
  return wrong_form(shape, form);
}

std::unique_ptr<Session> PlainImplementation::prepare_form(const Shape& shape, const GemmForm& form,
                                                           const Parameters& parameters) const {
  if (const std::string reason = why_not_form(shape, form, parameters); !reason.empty()) {
    throw std::invalid_argument(description_.id + ": " + reason);
  }
  if (scales_only(shape, form)) return make_scale_session(shape, form);
  const std::string isa = text(parameters, "isa");
  for (const Variant& variant : variants_) {
    if (isa != variant.isa) continue;
    const Method& method = *variant.method;
    const int threads = method.threaded ? static_cast<int>(integer(parameters, "threads")) : 1;
    return std::make_unique<PlainSession>(method, shape, form, threads,
                                          method.blocks == nullptr ? 0 : integer(parameters, "block"));
  }
  throw std::invalid_argument(description_.id + ": this machine cannot run isa " + isa +
                              "; allowed: " + description_.find("isa")->allowed());
}

}  // namespace gemmlab::cpu
