#pragma once

// What the rungs share that transpose B by a kernel of its own before they multiply.

#include <memory>
#include <utility>

#include "gpu/device/device.h"
#include "gpu/device/stream.h"
#include "gpu/gemm/session.h"

namespace gemmlab::gpu {

/// Puts Bt = Bᵀ into the current stream. B (K, N), Bt (N, K), row-major.
using Transpose = void (*)(const float* b, float* bt, const Shape& shape);

/// Transposes B in every multiply. How long that alone takes is measured once, on memory of its own, and
/// stands in the record beside the whole call's time, of which it is part.
class TransposedBSession : public KernelSession {
 public:
  TransposedBSession(const LaunchPlan& plan, Transpose transpose, const Shape& shape)
      : KernelSession(plan, shape),
        transpose_(transpose),
        shape_(shape),
        bt_(shape.b_count() * sizeof(float)) {
    const DeviceMemory b(bt_.bytes());
    EventTimer timer;
    transpose(b.floats(), bt_.floats(), shape);  // loads the kernel as well
    timer.start(current_stream());
    for (int call = 0; call < kTimedCalls; ++call) transpose(b.floats(), bt_.floats(), shape);
    transpose_s_ = timer.stop_s(current_stream()) / kTimedCalls;
  }

  void multiply(const float* a, const float* b, float* c) override {
    transpose_(b, bt_.floats(), shape_);
    KernelSession::multiply(a, bt_.floats(), c);
  }

  Facts chosen() const override {
    Facts facts = KernelSession::chosen();
    facts["transpose_s"] = transpose_s_;
    facts["workspace_bytes"] = static_cast<std::int64_t>(bt_.bytes());
    return facts;
  }

 private:
  static constexpr int kTimedCalls = 10;
  Transpose transpose_;
  Shape shape_;
  DeviceMemory bt_;
  double transpose_s_ = 0;
};

/// A row of the table whose plan's kernel takes Bt in B's place.
class TransposedB : public KernelImplementation {
 public:
  TransposedB(Description description, Planner planner, Transpose transpose)
      : KernelImplementation(std::move(description), planner), planner_(planner), transpose_(transpose) {}

  /// B is read and Bᵀ written once besides.
  double moved_bytes(const Shape& shape, const Parameters& parameters) const override {
    return KernelImplementation::moved_bytes(shape, parameters) + 2.0 * sizeof(float) * shape.b_count();
  }
  std::unique_ptr<Session> prepare(const Shape& shape, const Parameters& parameters) const override {
    return std::make_unique<TransposedBSession>(planner_(parameters), transpose_, shape);
  }

 private:
  Planner planner_;
  Transpose transpose_;
};

}  // namespace gemmlab::gpu
