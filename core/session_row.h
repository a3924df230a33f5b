#pragma once

// Rows of a device's table: one whose sessions are all of one class, and one that a function computes. Read by
// .cu files: C++17 only.

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/implementation.h"
#include "core/operation.h"

namespace gemmlab {

/// A parameter with listed choices.
/// `told`: see ParameterSpec.
inline ParameterSpec choice(std::string name, std::string summary, std::vector<ParameterValue> choices,
                            ParameterValue default_value, std::string told = {}) {
  ParameterSpec spec;
  spec.name = std::move(name);
  spec.summary = std::move(summary);
  spec.choices = std::move(choices);
  spec.default_value = std::move(default_value);
  spec.told = std::move(told);
  return spec;
}

/// OneSession is made of an instance and parameters, and says in kResident whether it wants Session::stage().
template <typename OneSession>
class SessionRow : public Implementation {
 public:
  /// Why the implementation refuses what the operation allows; empty where it does not.
  using Refuse = std::string (*)(const Instance& instance, const Parameters& parameters);
  using Unavailable = std::string (*)();

  explicit SessionRow(Description description, Refuse refuse = nullptr, Unavailable absent = nullptr)
      : description_(std::move(description)), refuse_(refuse), absent_(absent) {}

  const Description& description() const override { return description_; }
  std::string unavailable() const override { return absent_ ? absent_() : std::string(); }
  std::string why_not(const Instance& instance, const Parameters& parameters) const override {
    if (std::string reason = instance.operation->why_not(instance); !reason.empty()) return reason;
    return refuse_ ? refuse_(instance, parameters) : std::string();
  }
  bool operands_resident(const Parameters&) const override { return OneSession::kResident; }
  std::unique_ptr<Session> prepare(const Instance& instance, const Parameters& parameters) const override {
    return std::make_unique<OneSession>(instance, parameters);
  }

 private:
  Description description_;
  Refuse refuse_;
  Unavailable absent_;
};

/// A row that a function computes, which returns the number of threads that took part, 0 on a GPU. It refuses
/// nothing: of an operation with types or options a row derives from the operation's own class instead
/// (operations/gemm/implementation.h), which refuses what the row does not take.
class FunctionRow : public Implementation {
 public:
  using Run = int (*)(const Instance& instance, const Operands& operands);
  using Unavailable = std::string (*)();

  explicit FunctionRow(Description description, Run run, Unavailable absent = nullptr)
      : description_(std::move(description)), run_(run), absent_(absent) {}

  const Description& description() const override { return description_; }
  std::string unavailable() const override { return absent_ ? absent_() : std::string(); }
  std::string why_not(const Instance& instance, const Parameters&) const override {
    return instance.operation->why_not(instance);
  }
  std::unique_ptr<Session> prepare(const Instance& instance, const Parameters&) const override {
    return std::make_unique<FunctionSession>(instance, run_);
  }

 private:
  class FunctionSession : public Session {
   public:
    FunctionSession(const Instance& instance, Run how) : instance_(instance), run_(how) {}
    void run(const Operands& operands) override { threads_actual_ = run_(instance_, operands); }
    int threads_actual() const override { return threads_actual_; }

   private:
    Instance instance_;
    Run run_;
    int threads_actual_ = 0;
  };

  Description description_;
  Run run_;
  Unavailable absent_;
};

}  // namespace gemmlab
