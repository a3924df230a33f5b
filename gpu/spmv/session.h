#pragma once

// What a kernel file of spmv needs besides its kernel.

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "core/implementation.h"

namespace gemmlab::gpu {

/// y = A·x in device memory. A (m, n) in CSR with nnz entries: those of row r are offsets[r] to
/// offsets[r + 1]; columns in any order; float32. y (m) is overwritten, never read; no overlap. m, n and nnz
/// are at most 2·10⁹, so that an index rounded up to a tile still is an int.
struct SpmvProblem {
  const float* values;
  const int* columns;
  const int* offsets;
  const float* x;
  float* y;
  int m;
  int n;
  int nnz;
};

/// What the sessions of this operation have in common: the operands by name.
class SpmvSession : public Session {
 public:
  explicit SpmvSession(const Instance& instance);
  void run(const Operands& operands) final;

 protected:
  virtual void multiply(const SpmvProblem& problem) = 0;
  const SpmvProblem& shape() const { return shape_; }  ///< m, n and nnz; no addresses
  SpmvProblem problem_of(const Operands& operands) const;

 private:
  SpmvProblem shape_;
};

/// A kernel of ours as a row of the table.
class SpmvRow : public Implementation {
 public:
  using Make = std::unique_ptr<Session> (*)(const Instance& instance, const Parameters& parameters);
  /// `reads_of_offsets`: how often a call reads them.
  SpmvRow(Description description, Make make, double reads_of_offsets = 1);

  const Description& description() const override { return description_; }
  std::string unavailable() const override;
  std::string why_not(const Instance&, const Parameters&) const override { return {}; }
  /// Of each entry its value, its column and an element of x; y once.
  double moved_bytes(const Instance& instance, const Parameters& parameters) const override;
  std::unique_ptr<Session> prepare(const Instance& instance, const Parameters& parameters) const override {
    return make_(instance, parameters);
  }

 private:
  Description description_;
  Make make_;
  double reads_of_offsets_;
};

}  // namespace gemmlab::gpu
