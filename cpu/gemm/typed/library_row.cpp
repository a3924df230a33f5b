#include "cpu/gemm/typed/library_row.h"

#include "cpu/device/variants.h"
#include "cpu/gemm/plain.h"
#include "cpu/gemm/typed/features.h"

namespace gemmlab::cpu {

TypedLibraryRow::TypedLibraryRow(const TypedLibrary& library)
    : library_(library),
      description_({.id = library.id,
                    .name = library.name,
                    .summary = library.summary,
                    .source = library.source,
                    .counterpart = "gpu.cublas_typed",
                    .reference = true,
                    .parameters = {threads_parameter(kThreadsOfLibrary)}}) {}

std::string TypedLibraryRow::why_not(const Instance& instance, const Parameters&) const {
  if (std::string reason = gemm().why_not(instance); !reason.empty()) return reason;
  const Shape shape = shape_of(instance);
  if (std::string reason = why_not_shape(shape); !reason.empty()) return reason;
  const GemmTypes types = types_of(instance);
  if (!library_.takes(types))
    return std::string("multiplies ") + library_.taken + ", and this is " + describe(types);
  if (is_integer(types.type) && !adds_bytes_in_32_bits())
    return "int8 needs a processor with VNNI: without, the library's sums saturate";
  return library_.refuse(types, shape, form_of(instance));
}

std::unique_ptr<Session> TypedLibraryRow::prepare(const Instance& instance,
                                                  const Parameters& parameters) const {
  return library_.prepare(types_of(instance), shape_of(instance), form_of(instance),
                          static_cast<int>(integer(parameters, "threads")));
}

}  // namespace gemmlab::cpu
