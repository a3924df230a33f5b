#pragma once

// Products that one after another take the same A, or the same B, as blocks of one matrix do.

#include <memory>

#include "core/gemm/implementation.h"

namespace gemmlab::gpu {

/// Sessions that multiply before another one does, in each of its rounds; nullptr where there is none.
struct SessionsBefore {
  const Session* first = nullptr;  ///< of a round
  const Session* same_a = nullptr;
  const Session* same_b = nullptr;
};

/// What a GemmImplementation is, too, whose sessions make something of A and B that others can use.
class SharesOperands {
 public:
  virtual ~SharesOperands() = default;
  /// As prepare_form(). Each product by the session has to follow, in its stream, one of `before.first`, since which none by
  /// that has been; and since which `before.same_a` has multiplied the same A, in the same form and with the same K, and
  /// `before.same_b` the same B, and nothing else. All of these outlive it, and were prepared so themselves, or first.
  virtual std::unique_ptr<Session> prepare_after(const SessionsBefore& before, const Shape& shape,
                                                 const GemmForm& form,
                                                 const Parameters& parameters) const = 0;
};

}  // namespace gemmlab::gpu
