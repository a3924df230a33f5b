#include <fmt/format.h>

#include <cmath>

#include "submissions/diagnosis/diagnosis.h"
#include "submissions/diagnosis/words.h"
#include "submissions/solve_shape.h"

namespace gemmlab::submissions {
namespace {

/// Errors of rounded inputs grow with the root of the number of terms, and eta is relative to all of them. In
/// these units inputs rounded to 11 bits (half, TF32) leave up to about 2¹⁴ to 2¹⁵, to 8 bits (bfloat16)
/// eight times that.
const char* suspect(double in_one_term) {
  if (in_one_term > 45e3) {
    return "The size of the error fits inputs in bfloat16, or sums kept in half precision: look for "
           "{gpu:nv_bfloat16, __half or wmma accumulators}{cpu:__bf16, _Float16 or bit masks on floats}.";
  }
  if (in_one_term > 2e3) {
    return "The size of the error fits inputs in half precision{gpu: or TF32}: look for {gpu:__half, wmma or "
           "tensor-core "
           "modes of a library}{cpu:_Float16, or bits of floats that are cut off}.";
  }
  return "The error is too small for inputs in half precision, bfloat16 or TF32: look for sums kept in less "
         "than float, inputs split into parts, or approximate arithmetic (-ffast-math{gpu:, "
         "--use_fast_math}).";
}

}  // namespace

Diagnosis reduced_precision(const Shape& shape, std::int64_t row, std::int64_t col, double expected,
                            double got, double eta_max, const GemmTypes& types) {
  Diagnosis diagnosis;
  diagnosis.pattern = "reduced-precision";
  diagnosis.row = row;
  diagnosis.col = col;
  diagnosis.expected = expected;
  diagnosis.got = got;
  if (!types.plain()) {
    diagnosis.summary = fmt::format(
        "Right for small integers, but at {} other values are off by up to {:.0f} roundings of float beyond "
        "what {} of C rounds away, where sums in float stay under 16.",
        in_students_words(shape), eta_max, to_string(types.result));
    diagnosis.hint = fmt::format(
        "A and B are {}, but sums must be float until they are stored: look for "
        "{{gpu:accumulators of half (wmma::fragment<wmma::accumulator, ..., half>), __hfma and "
        "__hadd}}{{cpu:a sum in a variable of 16 bits}}.",
        to_string(types.type));
    return diagnosis;
  }
  diagnosis.summary = fmt::format(
      "Right for small integers, but at {} other values are off by up to {:.0f} roundings of float, where "
      "sums in float stay under 16.",
      in_students_words(shape), eta_max);
  diagnosis.hint = fmt::format("{} Inputs, products and sums must be float throughout.",
                               suspect(eta_max * std::sqrt(static_cast<double>(shape.k))));
  return diagnosis;
}

}  // namespace gemmlab::submissions
