#include "operations/gemm/implementation.h"

#include <cmath>
#include <stdexcept>

namespace gemmlab {

Instance gemm_at(const Shape& shape) {
  Instance instance{&gemm(), {shape.m, shape.n, shape.k}, {}};
  for (const OptionSpec& spec : gemm().options()) instance.options.emplace(spec.name, spec.default_value);
  return instance;
}

Shape shape_of(const Instance& instance) {
  if (instance.operation != &gemm())
    throw std::invalid_argument("gemm's shape was asked of an instance of another operation");
  return {instance.dims.at(0), instance.dims.at(1), instance.dims.at(2)};
}

GemmForm form_of(const Instance& instance) {
  const auto yes = [&](const char* name) { return std::get<std::string>(instance.option(name)) == "yes"; };
  const auto extra = [&](const char* name) { return std::get<std::int64_t>(instance.option(name)); };
  const auto factor = [&](const char* name) {
    return static_cast<float>(std::get<double>(instance.option(name)));
  };
  GemmForm form = form_of(shape_of(instance), yes("transpose_a"), yes("transpose_b"), extra("lda_extra"),
                          extra("ldb_extra"), extra("ldc_extra"));
  form.alpha = factor("alpha");
  form.beta = factor("beta");
  return form;
}

std::string wrong_factor(const Instance& instance) {
  for (const char* name : {"alpha", "beta"}) {
    const double factor = std::get<double>(instance.option(name));
    if (std::isfinite(static_cast<float>(factor))) continue;
    return "'" + std::string(name) + "' is " + to_string(OptionValue(factor)) +
           ", which float32 does not hold";
  }
  return {};
}

Operands gemm_operands(const void* a, const void* b, void* c) {
  return Operands({const_cast<void*>(a), const_cast<void*>(b), c});
}

void multiply(Session& session, const void* a, const void* b, void* c) {
  session.run(gemm_operands(a, b, c));
}

double GemmImplementation::moved_bytes(const Shape&, const Parameters&) const {
  return 0;
}

std::string GemmImplementation::why_not_form(const Shape& shape, const GemmForm& form,
                                             const Parameters& parameters) const {
  if (std::string reason = wrong_form(shape, form); !reason.empty()) return reason;
  if (is_plain(shape, form)) return why_not(shape, parameters);
  return "computes C = A·B alone, and this is " + describe(shape, form);
}

std::unique_ptr<Session> GemmImplementation::prepare_form(const Shape& shape, const GemmForm& form,
                                                          const Parameters& parameters) const {
  if (const std::string reason = why_not_form(shape, form, parameters); !reason.empty()) {
    throw std::invalid_argument(description().id + ": " + reason);
  }
  return prepare(shape, parameters);
}

std::string GemmImplementation::why_not(const Instance& instance, const Parameters& parameters) const {
  const Shape shape = shape_of(instance);
  const GemmForm form = form_of(instance);
  return is_plain(shape, form) ? why_not(shape, parameters) : why_not_form(shape, form, parameters);
}

double GemmImplementation::moved_bytes(const Instance& instance, const Parameters& parameters) const {
  const Shape shape = shape_of(instance);
  return is_plain(shape, form_of(instance)) ? moved_bytes(shape, parameters) : 0;
}

std::unique_ptr<Session> GemmImplementation::prepare(const Instance& instance,
                                                     const Parameters& parameters) const {
  const Shape shape = shape_of(instance);
  const GemmForm form = form_of(instance);
  return is_plain(shape, form) ? prepare(shape, parameters) : prepare_form(shape, form, parameters);
}

}  // namespace gemmlab
