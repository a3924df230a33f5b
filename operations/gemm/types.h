#pragma once

// The types of a product: of A's and B's elements, and of C's. Read by .cu files: C++17, and no code in this
// header.

#include <cstdint>
#include <string>

#include "core/element_type.h"
#include "core/inputs/inputs.h"
#include "operations/gemm/shape.h"

namespace gemmlab {

struct GemmTypes {
  ElementType type = ElementType::kFloat32;    ///< of A and B
  ElementType result = ElementType::kFloat32;  ///< of C

  /// All float32, as rows take it that say nothing of types?
  bool plain() const { return type == ElementType::kFloat32 && result == ElementType::kFloat32; }
  /// Does C hold less of a sum than float32?
  bool narrow_result() const { return !is_integer(result) && result != ElementType::kFloat32; }
  bool operator==(const GemmTypes& other) const { return type == other.type && result == other.result; }
  bool operator!=(const GemmTypes& other) const { return !(*this == other); }
};

/// "bfloat16", "bfloat16 to float32": what tables and reasons call them.
std::string describe(const GemmTypes& types);

/// Elements of A, B or C as they are drawn: those of inputs.h, rounded to the type, so that a reference in
/// double is exact in them. int8 is drawn over its whole range: 127 times a value of at most 1, and 127/4 times
/// one that has no bound, the few beyond its range at its ends.
void draw(float* values, std::int64_t first, std::int64_t count, ElementType type, Distribution distribution,
          std::uint64_t seed, Operand operand, std::int32_t limit);
float drawn(ElementType type, Distribution distribution, std::uint64_t seed, Operand operand,
            std::int64_t index, std::int32_t limit);

/// The largest magnitude of whole numbers of a product: as integer_limit(k) has it for float32, and whole
/// numbers of the type; 127 of int8, whose sums are whole whatever is drawn.
std::int32_t integer_limit(const GemmTypes& types, Distribution distribution, std::int32_t of_form);

}  // namespace gemmlab
