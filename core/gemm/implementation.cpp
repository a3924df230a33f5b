#include "core/gemm/implementation.h"

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

Operands gemm_operands(const float* a, const float* b, float* c) {
  return Operands({const_cast<float*>(a), const_cast<float*>(b), c});
}

void multiply(Session& session, const float* a, const float* b, float* c) {
  session.run(gemm_operands(a, b, c));
}

void GemmSession::stage(const std::vector<Operands>& operands) {
  std::vector<OperandPair> pairs;
  for (const Operands& one : operands) pairs.push_back({one.in<float>(0), one.in<float>(1)});
  stage(pairs);
}

double GemmImplementation::moved_bytes(const Shape&, const Parameters&) const {
  return 0;
}

std::string GemmImplementation::why_not(const Instance& instance, const Parameters& parameters) const {
  return why_not(shape_of(instance), parameters);
}

double GemmImplementation::moved_bytes(const Instance& instance, const Parameters& parameters) const {
  return moved_bytes(shape_of(instance), parameters);
}

std::unique_ptr<Session> GemmImplementation::prepare(const Instance& instance,
                                                     const Parameters& parameters) const {
  return prepare(shape_of(instance), parameters);
}

}  // namespace gemmlab
