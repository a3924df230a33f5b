#include "cpu/gemm/typed/row.h"

#include <omp.h>

#include <algorithm>
#include <stdexcept>

#include "core/machine/machine.h"
#include "core/rounding.h"
#include "cpu/device/variants.h"
#include "cpu/gemm/matrix/layout.h"
#include "cpu/gemm/matrix/panel_memory.h"
#include "cpu/gemm/matrix/unit.h"
#include "cpu/gemm/plain.h"
#include "cpu/gemm/typed/features.h"
#include "operations/gemm/implementation.h"

namespace gemmlab::cpu {
namespace {

std::int64_t panels_bytes(std::int64_t lines, std::int64_t terms, ElementType type) {
  return rounded_up(lines, kPanel) * rounded_up(terms * static_cast<std::int64_t>(bytes_of(type)), 64);
}

struct BlockSides {
  std::int64_t rows;
  std::int64_t cols;
};
/// Of C's blocks: three a thread or more, unless they became so small that the third-level cache would be asked for too much; but one
/// a thread where C has as many panels.
BlockSides block_sides(const Shape& shape, int threads) {
  constexpr std::int64_t kRows = 256;
  constexpr std::int64_t kCols = 512;
  constexpr std::int64_t kLeast = 128 * 128;
  constexpr std::int64_t kBlocksAThread = 3;
  BlockSides sides{kRows, kCols};
  const auto count = [&] { return ceil_div(shape.m, sides.rows) * ceil_div(shape.n, sides.cols); };
  const auto halve_while = [&](std::int64_t wanted, std::int64_t least) {
    while (count() < wanted && sides.rows * sides.cols > least)
      (sides.cols >= sides.rows ? sides.cols : sides.rows) /= 2;
  };
  if (threads == 1) return sides;
  halve_while(kBlocksAThread * threads, kLeast);
  halve_while(threads, kPanel * kPanel);
  return sides;
}

class TypedSession : public Session {
 public:
  TypedSession(const TypedMethod& method, const Instance& instance, int threads) : method_(method) {
    const Shape shape = shape_of(instance);
    const GemmTypes types = types_of(instance);
    const std::int64_t blocks = ceil_div(shape.m, kPanel) * ceil_div(shape.n, kPanel);
    const BlockSides sides = block_sides(shape, threads);
    const GemmForm form = form_of(instance);
    product_ = {.a = nullptr,
                .b = nullptr,
                .c = nullptr,
                .m = shape.m,
                .n = shape.n,
                .k = form.alpha == 0 ? 0 : shape.k,
                .threads = static_cast<int>(std::min<std::int64_t>(blocks, threads)),
                .form = form,
                .type = types.type,
                .result = types.result,
                .panels_a = nullptr,
                .panels_b = nullptr,
                .block_rows = sides.rows,
                .block_cols = sides.cols};
    if (!method.packs) return;
    const std::int64_t bytes_of_a = panels_bytes(shape.m, shape.k, types.type);
    const std::int64_t bytes_of_b = panels_bytes(shape.n, shape.k, types.type);
    panels_a_ = panel_memory(bytes_of_a);
    panels_b_ = panel_memory(bytes_of_b);
    workspace_bytes_ = bytes_of_a + bytes_of_b;
    product_.panels_a = panels_a_.get();
    product_.panels_b = panels_b_.get();
  }

  void run(const Operands& operands) override {
    // OMP_DYNAMIC in the environment would let the runtime start fewer than were asked for
    omp_set_dynamic(0);
    product_.a = static_cast<const char*>(operands.at(0));
    product_.b = static_cast<const char*>(operands.at(1));
    product_.c = static_cast<char*>(operands.at(2));
    threads_actual_ = method_.multiply(product_);
  }
  int threads_actual() const override { return threads_actual_; }
  Facts chosen() const override { return {{"workspace_bytes", workspace_bytes_}}; }

 private:
  const TypedMethod& method_;
  TypedProduct product_ = {};
  std::int64_t workspace_bytes_ = 0;
  PanelMemory panels_a_;
  PanelMemory panels_b_;
  int threads_actual_ = 0;
};

}  // namespace

std::string dots_missing(ElementType type) {
  const bool avx512 = cpu_info().isa.back() == "avx512";
  constexpr unsigned kBfloat16 = 5;  // EAX of subleaf 1
  if (type == ElementType::kInt8) {
    return avx512 && has_feature(0, Register::kEcx, kVnni) ? "" : "int8 needs a processor with AVX-512 VNNI";
  }
  return avx512 && has_feature(1, Register::kEax, kBfloat16) ? "" : "needs a processor with AVX-512 BF16";
}

std::string tiles_missing(ElementType type) {
  constexpr unsigned kInt8 = 25;     // EDX
  constexpr unsigned kFloat16 = 21;  // EAX of subleaf 1
  if (const std::string& reason = matrix_unit_missing(); !reason.empty()) return reason;
  if (type == ElementType::kInt8 && !has_feature(0, Register::kEdx, kInt8))
    return "int8 needs a processor with amx_int8";
  if (type == ElementType::kFloat16 && !has_feature(1, Register::kEax, kFloat16))
    return "float16 needs a processor with amx_fp16";
  return {};
}

TypedRow::TypedRow(const TypedMethod& method, MissingFor missing, bool takes_float16)
    : method_(method),
      missing_(missing),
      takes_float16_(takes_float16),
      description_(
          {.id = method.id,
           .name = method.name,
           .family = method.family,
           .summary = method.summary,
           .source = method.source,
           .counterpart = method.counterpart,
           .parameters = {threads_parameter("threads at most; fewer where C has fewer parts of 32×32")}}) {}

bool TypedRow::takes(const GemmTypes& types) const {
  return types.type == ElementType::kBfloat16 || types.type == ElementType::kInt8 ||
         (takes_float16_ && types.type == ElementType::kFloat16);
}

bool TypedRow::meant_for(const Instance& instance) const {
  return takes(types_of(instance));
}

std::string TypedRow::why_not(const Instance& instance, const Parameters&) const {
  if (std::string reason = gemm().why_not(instance); !reason.empty()) return reason;
  if (std::string reason = why_not_shape(shape_of(instance)); !reason.empty()) return reason;
  const GemmTypes types = types_of(instance);
  if (!takes(types)) {
    return std::string("multiplies bfloat16") + (takes_float16_ ? ", float16" : "") +
           " and int8, and this is " + describe(types);
  }
  // without any, unavailable() tells
  return unavailable().empty() ? missing_(types.type) : std::string();
}

std::unique_ptr<Session> TypedRow::prepare(const Instance& instance, const Parameters& parameters) const {
  // also asks for permission, which another process may have been given so far
  if (const std::string reason = missing_(types_of(instance).type); !reason.empty())
    throw std::runtime_error(description_.id + " " + reason);
  return std::make_unique<TypedSession>(method_, instance, static_cast<int>(integer(parameters, "threads")));
}

}  // namespace gemmlab::cpu
