#include "gpu/gemm/wmma/typed_row.h"

#include "gpu/device/check.h"
#include "gpu/device/device.h"
#include "gpu/device/resources.h"
#include "gpu/device/stream.h"
#include "gpu/gemm/session.h"
#include "gpu/table.h"

namespace gemmlab::gpu {
namespace {

constexpr std::int64_t kAlignment = 16;

int compute_capability() {
  return 10 * device_attribute(cudaDevAttrComputeCapabilityMajor) +
         device_attribute(cudaDevAttrComputeCapabilityMinor);
}

bool rows_aligned(const Shape& shape, const GemmTypes& types) {
  const auto of_inputs = kAlignment / static_cast<std::int64_t>(bytes_of(types.type));
  const auto of_result = kAlignment / static_cast<std::int64_t>(bytes_of(types.result));
  return shape.k % of_inputs == 0 && shape.n % of_inputs == 0 && shape.n % of_result == 0;
}

class TypedSession : public Session {
 public:
  TypedSession(const TypedPlan& plan, const Shape& shape, const GemmTypes& types)
      : plan_(plan),
        shape_(shape),
        rows_aligned_(plan.aligned_kernel != nullptr && rows_aligned(shape, types)) {
    last_ = rows_aligned_ ? plan_.aligned_kernel : plan_.kernel;
    for (const void* kernel : {plan_.kernel, plan_.aligned_kernel}) {
      if (kernel == nullptr || plan_.shared_bytes == 0) continue;
      GEMMLAB_CUDA_CHECK(
          cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, plan_.shared_bytes));
    }
  }

  void run(const Operands& operands) override {
    const void* a = operands.at(0);
    const void* b = operands.at(1);
    void* c = operands.at(2);
    const bool aligned = rows_aligned_ && at_16_bytes(a) && at_16_bytes(b) && at_16_bytes(c);
    last_ = aligned ? plan_.aligned_kernel : plan_.kernel;
    int m = static_cast<int>(shape_.m);
    int n = static_cast<int>(shape_.n);
    int k = static_cast<int>(shape_.k);
    void* parameters[] = {&a, &b, &c, &m, &n, &k};
    GEMMLAB_CUDA_CHECK(cudaLaunchKernel(
        last_, dim3(static_cast<unsigned>(tiles_of(shape_, plan_.BM, plan_.BN))), dim3(plan_.threads),
        parameters, static_cast<std::size_t>(plan_.shared_bytes), current_stream()));
  }

  Facts chosen() const override {
    Facts facts = {{"tile", std::to_string(plan_.BM) + "x" + std::to_string(plan_.BN)},
                   {"threads_per_block", std::int64_t{plan_.threads}}};
    if (plan_.aligned_kernel != nullptr)
      facts["load_bytes"] = std::int64_t{last_ == plan_.aligned_kernel ? 16 : 2};
    return facts;
  }
  Facts resources() const override {
    return kernel_resources(last_, static_cast<int>(plan_.threads),
                            static_cast<std::size_t>(plan_.shared_bytes));
  }

 private:
  TypedPlan plan_;
  Shape shape_;
  bool rows_aligned_;
  const void* last_;  ///< what ran last, or will if the pointers are aligned
};

}  // namespace

std::string types_taken(const std::function<bool(const GemmTypes&)>& takes) {
  std::string all;
  for (const Options& options : gemm().odd_options()) {
    const GemmTypes types = types_of(instance_of(gemm(), {1, 1, 1}, options));
    if (takes(types)) all += (all.empty() ? "" : ", ") + describe(types);
  }
  return all;
}

std::string TypedImplementation::unavailable() const {
  return gpu::unavailable();
}

std::string TypedImplementation::why_not(const Instance& instance, const Parameters&) const {
  if (std::string reason = gemm().why_not(instance); !reason.empty()) return reason;
  const Shape shape = shape_of(instance);
  const GemmTypes types = types_of(instance);
  const TypedPlan plan = planner_(types);
  if (plan.kernel == nullptr)
    return "multiplies " + types_taken([&](const GemmTypes& of) { return planner_(of).kernel != nullptr; }) +
           ", and this is " + describe(types);
  if (const GemmForm form = form_of(instance); !is_plain(shape, form))
    return "computes C = A·B alone, and this is " + describe(shape, form);
  if (std::string reason = too_long(shape); !reason.empty()) return reason;
  if (std::string reason = too_many_tiles(shape, plan.BM, plan.BN); !reason.empty()) return reason;
  if (gpu::unavailable().empty() && compute_capability() < plan.compute_capability)
    return describe(types) + " takes compute capability " + std::to_string(plan.compute_capability / 10) +
           "." + std::to_string(plan.compute_capability % 10) + ", and this card has " +
           std::to_string(compute_capability() / 10) + "." + std::to_string(compute_capability() % 10);
  return {};
}

double TypedImplementation::moved_bytes(const Instance& instance, const Parameters&) const {
  const GemmTypes types = types_of(instance);
  const TypedPlan plan = planner_(types);
  return plan.kernel == nullptr ? 0 : tiled_bytes(shape_of(instance), plan.BM, plan.BN, types);
}

std::unique_ptr<Session> TypedImplementation::prepare(const Instance& instance, const Parameters&) const {
  const GemmTypes types = types_of(instance);
  return std::make_unique<TypedSession>(planner_(types), shape_of(instance), types);
}

}  // namespace gemmlab::gpu
