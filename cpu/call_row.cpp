#include "cpu/call_row.h"

#include <omp.h>

#include <algorithm>
#include <stdexcept>

#include "core/machine.h"
#include "cpu/gemm/plain.h"

namespace gemmlab::cpu {
namespace {

class CallSession : public Session {
 public:
  CallSession(const CallMethod& method, const Instance& instance, int threads)
      : method_(method), dims_(instance.dims) {
    call_.dims = dims_.data();
    call_.threads = threads;
    call_.last_cache_bytes = host_cache_bytes();
    for (const auto& [name, value] : instance.options) {
      if (const double* number = std::get_if<double>(&value)) call_.factor = static_cast<float>(*number);
      if (name == "transpose_a") call_.transposed = std::get<std::int64_t>(value) != 0;
    }
  }

  void run(const Operands& operands) override {
    // OMP_DYNAMIC in the environment would let the runtime start fewer than were asked for
    omp_set_dynamic(0);
    for (std::size_t i = 0; i < operands.size(); ++i) operands_[i] = operands.out<float>(i);
    call_.operands = operands_;
    threads_actual_ = method_.run(call_);
  }
  int threads_actual() const override { return threads_actual_; }

 private:
  static constexpr std::size_t kMostOperands = 3;
  const CallMethod& method_;
  std::vector<std::int64_t> dims_;
  float* operands_[kMostOperands] = {};
  Call call_{};
  int threads_actual_ = 0;
};

int threads_of(const CallMethod& method, const Instance& instance, const Parameters& parameters) {
  if (!method.threaded) return 1;
  const std::int64_t threads = integer(parameters, "threads");
  if (method.elements_per_thread == 0) return static_cast<int>(threads);
  const std::int64_t worth = instance.operation->count(instance, 0) / method.elements_per_thread;
  return static_cast<int>(std::clamp<std::int64_t>(worth, 1, threads));
}

}  // namespace

CallImplementation::CallImplementation(const Operation& operation, const std::vector<CallVariant>& variants) {
  const auto& machine = cpu_info().isa;
  for (const CallVariant& variant : variants) {
    if (std::find(machine.begin(), machine.end(), variant.isa) != machine.end()) variants_.push_back(variant);
  }
  const CallMethod& method = *variants_.at(0).method;
  description_.id = method.id;
  description_.operation = operation.name();
  description_.device = Device::kCpu;
  description_.summary = method.summary;
  description_.source = method.source;
  description_.counterpart = method.counterpart;
  ParameterSpec isa;
  isa.name = "isa";
  isa.summary = "instructions that the source is compiled for";
  for (const CallVariant& variant : variants_) isa.choices.emplace_back(std::string(variant.isa));
  isa.default_value = isa.choices.back();
  description_.parameters.push_back(isa);
  if (method.threaded) {
    description_.parameters.push_back(threads_parameter(
        method.elements_per_thread == 0 ? "threads, exactly"
                                        : "threads at most; fewer where more would be slower"));
  }
}

std::string CallImplementation::why_not(const Instance& instance, const Parameters&) const {
  return instance.operation->why_not(instance);
}

double CallImplementation::moved_bytes(const Instance& instance, const Parameters&) const {
  return instance.operation->least_bytes(instance);
}

std::unique_ptr<Session> CallImplementation::prepare(const Instance& instance,
                                                     const Parameters& parameters) const {
  const std::string isa = text(parameters, "isa");
  for (const CallVariant& variant : variants_) {
    if (isa != variant.isa) continue;
    return std::make_unique<CallSession>(*variant.method, instance,
                                         threads_of(*variant.method, instance, parameters));
  }
  throw std::invalid_argument(description_.id + ": this machine cannot run isa " + isa +
                              "; allowed: " + description_.find("isa")->allowed());
}

}  // namespace gemmlab::cpu
