#include "cpu/blas.h"

#include <algorithm>
#include <climits>

#include "cpu/gemm/plain.h"

namespace gemmlab::cpu {
namespace {

class BlasSession : public Session {
 public:
  BlasSession(const LoadedBlas& blas, const BlasCall& call, const Instance& instance, int threads)
      : blas_(blas),
        run_(call.run),
        function_(reinterpret_cast<void*>(blas.library->symbol<void()>(call.function, blas.load))),
        instance_(instance),
        threads_(threads) {}

  void run(const Operands& operands) override {
    // one pool serves every session, and setting it takes a lock and may start threads
    if (blas_.get_threads() != threads_) blas_.set_threads(threads_);
    run_(function_, instance_, operands);
    threads_actual_ = blas_.get_threads();
  }
  /// What the library was held to; it takes fewer where it sees fit and does not say so.
  int threads_actual() const override { return threads_actual_; }
  Facts chosen() const override {
    return {{"library", blas_.library->path()},
            {"loaded_from", file_of(function_)},
            {"version", blas_.version},
            {"kernel", blas_.kernel}};
  }

 private:
  LoadedBlas blas_;
  void (*run_)(void*, const Instance&, const Operands&);
  void* function_;
  Instance instance_;
  int threads_;
  int threads_actual_ = 0;
};

}  // namespace

BlasImplementation::BlasImplementation(const Blas& blas, const BlasCall& call) : blas_(blas), call_(call) {
  description_.id = "cpu." + blas.id + "_" + call.operation;
  description_.operation = call.operation;
  description_.device = Device::kCpu;
  description_.summary = blas.name + ", " + call.function;
  description_.source = blas.source;
  description_.counterpart = call.counterpart;
  description_.reference = true;
  description_.parameters = {threads_parameter("threads at most; the library may take fewer")};
  description_.parameters.insert(description_.parameters.end(), blas.parameters.begin(),
                                 blas.parameters.end());
}

std::string BlasImplementation::why_not(const Instance& instance, const Parameters&) const {
  if (std::string reason = instance.operation->why_not(instance); !reason.empty()) return reason;
  const std::int64_t largest = *std::max_element(instance.dims.begin(), instance.dims.end());
  if (largest <= INT_MAX) return {};
  return "its interface has 32-bit dimensions: " + std::to_string(largest) + " is above " +
         std::to_string(INT_MAX);
}

std::unique_ptr<Session> BlasImplementation::prepare(const Instance& instance,
                                                     const Parameters& parameters) const {
  const std::string kernel = blas_.parameters.empty() ? std::string() : text(parameters, "kernel");
  return std::make_unique<BlasSession>(blas_.load(kernel), call_, instance,
                                       static_cast<int>(integer(parameters, "threads")));
}

}  // namespace gemmlab::cpu
