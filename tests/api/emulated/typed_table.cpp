// gpu/table.h where kernels run on a CPU, with a row for other types than float32: the tensor cores' rows have no emulation. It takes
// what they take, A·B and A·Bᵀ, by the CPU's plain loops.

#include "cpu/table.h"
#include "emulated_rows.h"
#include "gpu/describe.h"
#include "gpu/table.h"
#include "operations/gemm/implementation.h"

namespace gemmlab::gpu {
namespace {

const Implementation& loops() {
  for (const Implementation* one : cpu::implementations()) {
    if (one->description().id == "cpu.widened") return *one;
  }
  throw std::logic_error("there is no cpu.widened");
}

class Planted : public Implementation {
 public:
  const Description& description() const override { return description_; }
  bool meant_for(const Instance& instance) const override { return !types_of(instance).plain(); }
  std::string why_not(const Instance& instance, const Parameters&) const override {
    if (std::string reason = gemm().why_not(instance); !reason.empty()) return reason;
    const GemmForm form = form_of(instance);
    const GemmForm least = form_of(shape_of(instance), false, form.transpose_b);
    const bool takes = !form.transpose_a && form.alpha == 1 && form.beta == 0 && form.lda == least.lda &&
                       form.ldb == least.ldb && form.ldc == least.ldc;
    return takes ? "" : "takes A·B and A·Bᵀ alone";
  }
  std::unique_ptr<Session> prepare(const Instance& instance, const Parameters&) const override {
    return loops().prepare(instance, complete(loops().description(), {{"threads", std::int64_t{1}}}));
  }

 private:
  Description description_ = describe({.id = "gpu.planted", .name = "planted"});
};

const Implementation& planted() {
  static const Planted row;
  return row;
}

}  // namespace

#define GEMMLAB_DECLARE(name) const Implementation& name();
GEMMLAB_EMULATED_ROWS(GEMMLAB_DECLARE)
#undef GEMMLAB_DECLARE

const std::vector<const Implementation*>& implementations() {
#define GEMMLAB_ENTRY(name) &name(),
  static const std::vector<const Implementation*> table = {GEMMLAB_EMULATED_ROWS(GEMMLAB_ENTRY) & planted()};
#undef GEMMLAB_ENTRY
  return table;
}

const std::vector<KnownRow>& known_rows() {
  static const std::vector<KnownRow> none;
  return none;
}

}  // namespace gemmlab::gpu
