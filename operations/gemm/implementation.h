#pragma once

// C = A·B as most implementations of gemm know it: a shape, and multiply(a, b, c); and what BLAS has beside
// it: a form. Read by .cu files: C++17 only.

#include <memory>
#include <string>
#include <vector>

#include "core/implementation.h"
#include "operations/gemm/form.h"
#include "operations/gemm/types.h"

namespace gemmlab {

/// gemm, as core/operation.h has it, and its instances at a shape.
const Operation& gemm();
Instance gemm_at(const Shape& shape);
/// Throws std::invalid_argument for an instance of another operation.
Shape shape_of(const Instance& instance);
/// The options "transpose_a", "transpose_b", "alpha", "beta" and "lda_extra", "ldb_extra", "ldc_extra".
GemmForm form_of(const Instance& instance);
/// "'alpha' is 1e+300, which float32 does not hold" where the option "alpha" or "beta" is such; empty otherwise.
std::string wrong_factor(const Instance& instance);

/// The options "type" and "result".
GemmTypes types_of(const Instance& instance);
inline constexpr char kSame[] = "same";  ///< the result of the inputs' type
/// Why no product is computed in these types; empty where one is: of int8 to int32, unscaled, of at most
/// kMostInt8Terms; of others to float32 or 16 bits.
std::string wrong_types(const Instance& instance);
inline constexpr std::int64_t kMostInt8Terms = 1 << 17;  ///< whose sum an int32 holds

Operands gemm_operands(const void* a, const void* b, void* c);

/// C = A·B by a session of gemm, for those who hold the three matrices.
void multiply(Session& session, const void* a, const void* b, void* c);

/// A and B of one multiplication, where they lie in the device's memory.
template <typename In>
struct OperandPairOf {
  const In* a = nullptr;
  const In* b = nullptr;
};

/// A session of gemm with A and B of one type, and C of one.
template <typename In, typename Out>
class GemmSessionOf : public Session {
 public:
  /// C = A·B, or what the form says that the session was prepared for. Pointers lie in the memory of the
  /// implementation's device; C is overwritten, and read for a beta alone that is not 0. On the GPU the call
  /// returns once the work is in the backend's stream. Throws std::runtime_error on failure.
  virtual void multiply(const In* a, const In* b, Out* c) = 0;
  /// See Session::stage.
  virtual void stage(const std::vector<OperandPairOf<In>>&) {}

  void run(const Operands& operands) override {
    multiply(operands.in<In>(0), operands.in<In>(1), operands.out<Out>(2));
  }
  void stage(const std::vector<Operands>& operands) override {
    std::vector<OperandPairOf<In>> pairs;
    for (const Operands& one : operands) pairs.push_back({one.in<In>(0), one.in<In>(1)});
    stage(pairs);
  }
};

using OperandPair = OperandPairOf<float>;
using GemmSession = GemmSessionOf<float, float>;

/// An implementation of the plain product, and of more where it says so.
class GemmImplementation : public Implementation {
 public:
  virtual std::string why_not(const Shape& shape, const Parameters& parameters) const = 0;
  virtual double moved_bytes(const Shape& shape, const Parameters& parameters) const;
  virtual std::unique_ptr<Session> prepare(const Shape& shape, const Parameters& parameters) const = 0;

  /// The same for any form, dimensions of 0 included. Without an answer of its own an implementation takes
  /// the plain product alone.
  virtual std::string why_not_form(const Shape& shape, const GemmForm& form,
                                   const Parameters& parameters) const;
  /// Throws std::invalid_argument where why_not_form refuses.
  virtual std::unique_ptr<Session> prepare_form(const Shape& shape, const GemmForm& form,
                                                const Parameters& parameters) const;

  std::string why_not(const Instance& instance, const Parameters& parameters) const override;
  bool meant_for(const Instance& instance) const override { return types_of(instance).plain(); }
  /// 0, unknown, for what is not plain.
  double moved_bytes(const Instance& instance, const Parameters& parameters) const override;
  std::unique_ptr<Session> prepare(const Instance& instance, const Parameters& parameters) const override;
};

}  // namespace gemmlab
