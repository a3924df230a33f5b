#pragma once

// Products that one after another take the same A, or the same B, as blocks of one matrix do.

#include <memory>

#include "operations/gemm/implementation.h"

namespace gemmlab::gpu {

/// Of the sessions that multiply one after another, round by round, those in front of another one; nullptr where there is none.
struct SessionsBefore {
  const Session* first = nullptr;   ///< with which a round begins
  const Session* same_a = nullptr;  ///< that multiplies the same A
  const Session* same_b = nullptr;
};

/// What a GemmImplementation is, too, whose sessions make something of A and B that others can use.
class SharesOperands {
 public:
  virtual ~SharesOperands() = default;
  /// As prepare_form(), for a session that takes what those before it have made. In each round all of them have to multiply in
  /// one stream and in this order; no other product by `before.same_a`, or `before.same_b`, may come between. The same A means the
  /// same values, lda, form and K. The session is not to multiply once one of them has ended.
  virtual std::unique_ptr<Session> prepare_after(const SessionsBefore& before, const Shape& shape,
                                                 const GemmForm& form,
                                                 const Parameters& parameters) const = 0;
  /// Does a session for this make anything that others can use?
  virtual bool shares(const Shape& shape, const GemmForm& form, const Parameters& parameters) const = 0;
};

}  // namespace gemmlab::gpu
