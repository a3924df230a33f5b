#pragma once

// Operations other than gemm as rows of the GPU's table.

#include <memory>
#include <string>
#include <utility>

#include "core/implementation.h"
#include "gpu/device/resources.h"
#include "gpu/table.h"

namespace gemmlab::gpu {

/// A row whose session a function makes.
class CallImplementation : public Implementation {
 public:
  using Make = std::unique_ptr<Session> (*)(const Instance& instance);
  /// Why an instance is refused that the operation itself allows; empty where it is not.
  using Refuse = std::string (*)(const Instance& instance);
  CallImplementation(const char* operation, Description description, Make make, Refuse refuse = nullptr)
      : description_(std::move(description)), make_(make), refuse_(refuse) {
    description_.operation = operation;
  }

  const Description& description() const override { return description_; }
  std::string unavailable() const override { return gpu::unavailable(); }
  std::string why_not(const Instance& instance, const Parameters&) const override {
    if (std::string reason = instance.operation->why_not(instance); !reason.empty()) return reason;
    return refuse_ == nullptr ? std::string() : refuse_(instance);
  }
  /// What the operation itself must move: every operand is read or written once.
  double moved_bytes(const Instance& instance, const Parameters&) const override {
    return instance.operation->least_bytes(instance);
  }
  std::unique_ptr<Session> prepare(const Instance& instance, const Parameters&) const override {
    return make_(instance);
  }

 private:
  Description description_;
  Make make_;
  Refuse refuse_;
};

}  // namespace gemmlab::gpu
