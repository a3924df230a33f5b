#pragma once

// What gpu.tensor does with shapes for which tensor cores are not worth it.

#include <memory>
#include <string>

#include "gpu/gemm/pipelined/session.h"
#include "gpu/gemm/session.h"

namespace gemmlab::gpu {

/// The session of gpu.pipelined for shapes at which it is faster.
class InFp32 : public GemmSession {
 public:
  InFp32(const Shape& shape, const GemmForm& form)
      : session_(row().prepare_form(shape, form, complete(row().description(), {}))) {}

  void multiply(const float* a, const float* b, float* c) override { gemmlab::multiply(*session_, a, b, c); }
  Facts chosen() const override {
    Facts facts = session_->chosen();
    facts["kernels"] = row().description().id;
    facts["arithmetic"] = std::string("plain FP32");
    return facts;
  }
  Facts resources() const override { return session_->resources(); }

  static const GemmImplementation& row() { return dynamic_cast<const GemmImplementation&>(pipelined()); }

 private:
  std::unique_ptr<Session> session_;
};

}  // namespace gemmlab::gpu
