// The methods of rows.h as rows of the table: each with what it was compiled to for every isa.

#include <omp.h>

#include <algorithm>
#include <stdexcept>

#include "core/implementation.h"
#include "core/machine.h"
#include "core/spmv/structure.h"
#include "cpu/gemm/plain.h"
#include "cpu/isa.h"
#include "cpu/spmv/method.h"
#include "cpu/spmv/rows.h"

namespace gemmlab::cpu {

#define GEMMLAB_DECLARE_METHOD(name) extern const SpmvMethod name;
#define GEMMLAB_DECLARE_ISA(isa, ...)          \
  namespace isa {                              \
  GEMMLAB_SPMV_METHODS(GEMMLAB_DECLARE_METHOD) \
  }
GEMMLAB_EACH_ISA(GEMMLAB_DECLARE_ISA, )

namespace {

struct SpmvVariant {
  const char* isa;
  const SpmvMethod* method;
};

class SpmvSession : public Session {
 public:
  SpmvSession(const SpmvMethod& method, const Instance& instance, int threads)
      : method_(method), problem_{nullptr, nullptr,           nullptr,           nullptr,
                                  nullptr, instance.dim("m"), instance.dim("n"), instance.dim("nnz"),
                                  threads} {}

  void run(const Operands& operands) override {
    omp_set_dynamic(0);  // else the runtime could start fewer than were asked for
    problem_.values = operands.in<float>(sparse::kValues);
    problem_.columns = operands.in<std::int32_t>(sparse::kColumns);
    problem_.offsets = operands.in<std::int32_t>(sparse::kOffsets);
    problem_.x = operands.in<float>(sparse::kX);
    problem_.y = operands.out<float>(sparse::kY);
    threads_actual_ = method_.multiply(problem_);
  }
  int threads_actual() const override { return threads_actual_; }
  Facts chosen() const override {
    if (*method_.library_version == '\0') return {};
    return {{"version", std::string(method_.library_version)}};
  }

 private:
  const SpmvMethod& method_;
  SpmvProblem problem_;
  int threads_actual_ = 0;
};

class SpmvRow : public Implementation {
 public:
  explicit SpmvRow(const std::vector<SpmvVariant>& variants) {
    const auto& machine = cpu_info().isa;
    ParameterSpec isa;
    isa.name = "isa";
    isa.summary = "instructions that the source is compiled for";
    for (const SpmvVariant& variant : variants) {
      if (std::find(machine.begin(), machine.end(), variant.isa) == machine.end()) continue;
      variants_.push_back(variant);
      isa.choices.emplace_back(std::string(variant.isa));
    }
    isa.default_value = isa.choices.back();
    const SpmvMethod& method = *variants_.at(0).method;
    description_.id = method.id;
    description_.operation = "spmv";
    description_.device = Device::kCpu;
    description_.summary = method.summary;
    description_.source = method.source;
    description_.counterpart = method.counterpart;
    description_.reference = *method.library_version != '\0';
    description_.parameters.push_back(isa);
    if (!method.threaded) return;
    description_.parameters.push_back(threads_parameter(
        description_.reference ? "threads at most; the library may take fewer" : "threads, exactly"));
  }

  const Description& description() const override { return description_; }
  std::string why_not(const Instance&, const Parameters&) const override { return {}; }
  /// Of each entry its value, its column and an element of x; offsets and y once.
  double moved_bytes(const Instance& instance, const Parameters&) const override {
    if (description_.reference) return 0;
    return 4 *
           (3 * static_cast<double>(instance.dim("nnz")) + 2 * static_cast<double>(instance.dim("m")) + 1);
  }
  std::unique_ptr<Session> prepare(const Instance& instance, const Parameters& parameters) const override {
    const std::string isa = text(parameters, "isa");
    for (const SpmvVariant& variant : variants_) {
      if (isa != variant.isa) continue;
      const int threads = variant.method->threaded ? static_cast<int>(integer(parameters, "threads")) : 1;
      return std::make_unique<SpmvSession>(*variant.method, instance, threads);
    }
    throw std::invalid_argument(description_.id + ": this machine cannot run isa " + isa);
  }

 private:
  std::vector<SpmvVariant> variants_;  ///< those that this machine can run
  Description description_;
};

}  // namespace

#define GEMMLAB_VARIANT(isa, name) {#isa, &isa::name},
#define GEMMLAB_METHOD_ROW(name)                                                    \
  const Implementation& name() {                                                    \
    static const SpmvRow implementation({GEMMLAB_EACH_ISA(GEMMLAB_VARIANT, name)}); \
    return implementation;                                                          \
  }
GEMMLAB_SPMV_METHODS(GEMMLAB_METHOD_ROW)

}  // namespace gemmlab::cpu
