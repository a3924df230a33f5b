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

GemmTypes types_of(const Instance& instance) {
  GemmTypes types;
  types.type = element_type_from(std::get<std::string>(instance.option("type")));
  const auto& result = std::get<std::string>(instance.option("result"));
  types.result = result == kSame ? types.type : element_type_from(result);
  return types;
}

std::string wrong_types(const Instance& instance) {
  const GemmTypes types = types_of(instance);
  // else one product would go by two names
  if (instance.option("result") == instance.option("type"))
    return std::string("'result' is ") + to_string(types.result) + " as 'type' is; say same";
  const auto refused = [&](const char* allowed) {
    return std::string("'result' is ") + to_string(types.result) + " of type " + to_string(types.type) +
           "; allowed: " + allowed;
  };
  if (types.type == ElementType::kInt8) {
    if (types.result != ElementType::kInt32) return refused("int32");
    const GemmForm form = form_of(instance);
    if (form.alpha != 1 || form.beta != 0)
      return "products of int8 take no alpha or beta: they are not scaled";
    if (shape_of(instance).k > kMostInt8Terms)
      return "k is " + std::to_string(shape_of(instance).k) + "; allowed of int8: up to " +
             std::to_string(kMostInt8Terms) + ", whose sum an int32 holds";
    return {};
  }
  if (types.type == ElementType::kFloat32) return types.plain() ? "" : refused("float32");
  const bool one_byte = bytes_of(types.type) == 1;
  if (types.result == ElementType::kFloat32 || types.result == ElementType::kBfloat16 ||
      types.result == ElementType::kFloat16)
    return one_byte || types.result == ElementType::kFloat32 || types.result == types.type
               ? ""
               : refused("same, float32");
  return refused(one_byte ? "float32, bfloat16, float16" : "same, float32");
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
  if (const GemmTypes types = types_of(instance); !types.plain())
    return "multiplies float32, and this is " + describe(types);
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
