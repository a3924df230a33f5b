#pragma once

// Until the harness takes operations: rows and sessions of one.

#include <memory>
#include <vector>

#include "core/implementation.h"
#include "core/operation.h"

namespace gemmlab {

class OperationSession {
 public:
  virtual ~OperationSession() = default;
  virtual void run(const Operands& operands) = 0;
  virtual int threads_actual() const { return 0; }
  virtual Facts chosen() const { return {}; }
  virtual Facts resources() const { return {}; }
};

class OperationImplementation {
 public:
  virtual ~OperationImplementation() = default;
  virtual const Description& description() const = 0;
  virtual std::string unavailable() const { return {}; }
  virtual std::string why_not(const Instance& instance, const Parameters& parameters) const = 0;
  virtual double moved_bytes(const Instance&, const Parameters&) const { return 0; }
  virtual std::unique_ptr<OperationSession> prepare(const Instance& instance,
                                                    const Parameters& parameters) const = 0;
};

}  // namespace gemmlab
