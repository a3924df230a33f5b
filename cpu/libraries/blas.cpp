#include "cpu/libraries/blas.h"

#include <algorithm>
#include <map>
#include <utility>

#include "core/int_dimensions.h"
#include "cpu/device/variants.h"

namespace gemmlab::cpu {
namespace {

class BlasSession : public Session {
 public:
  BlasSession(const LoadedBlas& blas, const BlasCall& call, const Instance& instance, int threads)
      : function_(blas, call.function, threads), run_(call.run), instance_(instance) {}

  void run(const Operands& operands) override {
    function_.run<void()>(
        [&](auto* function) { run_(reinterpret_cast<void*>(function), instance_, operands); });
  }
  int threads_actual() const override { return function_.threads_actual(); }
  Facts chosen() const override { return function_.chosen(); }

 private:
  BlasFunction function_;
  void (*run_)(void*, const Instance&, const Operands&);
  Instance instance_;
};

}  // namespace

const LoadedBlas& loaded(const Blas& blas, const std::string& kernel) {
  static std::map<std::pair<std::string, std::string>, LoadedBlas> loads;
  const std::pair<std::string, std::string> key(blas.id, kernel);
  auto found = loads.find(key);
  if (found == loads.end()) found = loads.emplace(key, blas.open(kernel)).first;
  return found->second;
}

const LoadedBlas& loaded(const Blas& blas) {
  return loaded(blas, blas.parameters.empty() ? "" : to_string(blas.parameters.front().default_value));
}

std::string kernel_of(const Blas& blas, const Parameters& parameters) {
  return blas.parameters.empty() ? std::string() : text(parameters, "kernel");
}

Facts BlasFunction::chosen() const {
  return {{"library", blas_.library->path()},
          {"loaded_from", file_of(address_)},
          {"version", blas_.version},
          {"kernel", blas_.kernel}};
}

BlasImplementation::BlasImplementation(const Blas& blas, const BlasCall& call)
    : blas_(blas),
      call_(call),
      description_{.id = std::string("cpu.") + blas.id + "_" + call.operation,
                   .name = blas.name,
                   .summary = std::string(blas.name) + ", " + call.function,
                   .source = blas.source,
                   .counterpart = call.counterpart,
                   .reference = true,
                   .parameters = {threads_parameter(kThreadsOfLibrary)},
                   .operation = call.operation} {
  description_.parameters.insert(description_.parameters.end(), blas.parameters.begin(),
                                 blas.parameters.end());
}

std::string BlasImplementation::why_not(const Instance& instance, const Parameters&) const {
  if (std::string reason = instance.operation->why_not(instance); !reason.empty()) return reason;
  return too_long_for_int(*std::max_element(instance.dims.begin(), instance.dims.end()));
}

std::unique_ptr<Session> BlasImplementation::prepare(const Instance& instance,
                                                     const Parameters& parameters) const {
  return std::make_unique<BlasSession>(loaded(blas_, kernel_of(blas_, parameters)), call_, instance,
                                       static_cast<int>(integer(parameters, "threads")));
}

}  // namespace gemmlab::cpu
