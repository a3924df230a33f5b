// The methods of rows.txt as rows of the table: each with what it was compiled to for every isa.

#include <omp.h>

#include "cpu/device/variants.h"
#include "cpu/spmv/method.h"
#include "lists/cpu_methods.h"
#include "operations/spmv/structure.h"

namespace gemmlab::cpu {

#define GEMMLAB_DECLARE(name) extern const SpmvMethod name;
GEMMLAB_EACH_ISA(GEMMLAB_DECLARE_ISA, GEMMLAB_SPMV_METHODS)

namespace {

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
  explicit SpmvRow(const std::vector<Variant<SpmvMethod>>& variants)
      : variants_(variants), description_(variants_.description("spmv")) {
    description_.reference = *variants_.any().library_version != '\0';
    description_.parameters.push_back(variants_.isa());
    if (!variants_.any().threaded) return;
    description_.parameters.push_back(
        threads_parameter(description_.reference ? kThreadsOfLibrary : "threads, exactly"));
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
    const SpmvMethod& method = variants_.of(description_, parameters);
    const int threads = method.threaded ? static_cast<int>(integer(parameters, "threads")) : 1;
    return std::make_unique<SpmvSession>(method, instance, threads);
  }

 private:
  Variants<SpmvMethod> variants_;
  Description description_;
};

}  // namespace

#define GEMMLAB_ROW(name)                             \
  const Implementation& name() {                      \
    static const SpmvRow row(GEMMLAB_VARIANTS(name)); \
    return row;                                       \
  }
GEMMLAB_SPMV_METHODS(GEMMLAB_ROW)

}  // namespace gemmlab::cpu
