#pragma once

// Libraries that multiply matrices, as rows of the table.

#include <memory>
#include <string>

#include "cpu/libraries/blas.h"
#include "operations/gemm/implementation.h"

namespace gemmlab::cpu {

/// What those rows have in common: the file, and `threads`, an upper limit.
class LibraryImplementation : public GemmImplementation {
 public:
  const Description& description() const override { return description_; }
  std::string unavailable() const override { return library_().missing(); }
  std::string why_not(const Shape& shape, const Parameters& parameters) const override;
  std::string why_not_form(const Shape& shape, const GemmForm& form,
                           const Parameters& parameters) const override;
  std::unique_ptr<Session> prepare(const Shape& shape, const Parameters& parameters) const override {
    return prepare_form(shape, form_of(shape), parameters);
  }

 protected:
  enum class Dimensions { k32Bits, k64Bits };
  using GetLibrary = Library& (*)();
  LibraryImplementation(Description description, GetLibrary library, Dimensions dimensions);

 private:
  std::string too_long(std::int64_t largest) const;

  Description description_;
  GetLibrary library_;
  Dimensions dimensions_;
};

/// cpu.LIBRARY: cblas_sgemm of a BLAS library.
class CblasGemm : public LibraryImplementation {
 public:
  /// Why the library does not compute a form that BLAS has; empty where it does.
  using Refuse = std::string (*)(const GemmForm& form);
  CblasGemm(const Blas& blas, const std::string& counterpart, Refuse refuse = nullptr);

  std::string why_not_form(const Shape& shape, const GemmForm& form,
                           const Parameters& parameters) const override;
  std::unique_ptr<Session> prepare_form(const Shape& shape, const GemmForm& form,
                                        const Parameters& parameters) const override;

 private:
  const Blas& blas_;
  Refuse refuse_;
};

}  // namespace gemmlab::cpu
