#pragma once

// Libraries that multiply in the types of their operands, as rows of the table.

#include <memory>
#include <string>

#include "cpu/libraries/library.h"
#include "operations/gemm/implementation.h"

namespace gemmlab::cpu {

/// What a library's row of other types than float32 is made of.
struct TypedLibrary {
  const char* id;
  const char* name;
  const char* summary;
  const char* source;
  Library& (*library)();
  /// Has the library a function for these types, be it for this processor or another?
  bool (*takes)(const GemmTypes& types);
  const char* taken;  ///< "bfloat16, float16 and int8": what it takes
  /// Why the library does not compute the product in this form, or on this processor; empty where it does.
  std::string (*refuse)(const GemmTypes& types, const Shape& shape, const GemmForm& form);
  std::unique_ptr<Session> (*prepare)(const GemmTypes& types, const Shape& shape, const GemmForm& form,
                                      int threads);
};

class TypedLibraryRow : public Implementation {
 public:
  explicit TypedLibraryRow(const TypedLibrary& library);

  const Description& description() const override { return description_; }
  std::string unavailable() const override { return library_.library().missing(); }
  std::string why_not(const Instance& instance, const Parameters& parameters) const override;
  bool meant_for(const Instance& instance) const override { return library_.takes(types_of(instance)); }
  std::unique_ptr<Session> prepare(const Instance& instance, const Parameters& parameters) const override;

 private:
  TypedLibrary library_;
  Description description_;
};

}  // namespace gemmlab::cpu
