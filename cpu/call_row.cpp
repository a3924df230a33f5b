#include "cpu/call_row.h"

#include <omp.h>

#include <algorithm>

#include "core/machine/machine.h"

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
    call_.operands = operands.begin();
    threads_actual_ = method_.run(call_);
  }
  int threads_actual() const override { return threads_actual_; }

 private:
  const CallMethod& method_;
  std::vector<std::int64_t> dims_;
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

CallImplementation::CallImplementation(const Operation& operation,
                                       const std::vector<Variant<CallMethod>>& variants)
    : variants_(variants), description_(variants_.description(operation.name())) {
  description_.parameters.push_back(variants_.isa());
  const CallMethod& method = variants_.any();
  if (!method.threaded) return;
  description_.parameters.push_back(threads_parameter(
      method.elements_per_thread == 0 ? "threads, exactly"
                                      : "threads at most; fewer where more would be slower"));
}

std::string CallImplementation::why_not(const Instance& instance, const Parameters&) const {
  return instance.operation->why_not(instance);
}

double CallImplementation::moved_bytes(const Instance& instance, const Parameters&) const {
  return instance.operation->least_bytes(instance);
}

std::unique_ptr<Session> CallImplementation::prepare(const Instance& instance,
                                                     const Parameters& parameters) const {
  const CallMethod& method = variants_.of(description_, parameters);
  return std::make_unique<CallSession>(method, instance, threads_of(method, instance, parameters));
}

}  // namespace gemmlab::cpu
