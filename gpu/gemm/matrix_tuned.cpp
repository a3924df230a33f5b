// The tensor cores by wgmma, at every shape and in every type: tiles and parts of K are chosen by an estimate of the time, B of 8
// bits and rows that TMA cannot read are copied first, and sums of float8 leave the accumulators, which hold few bits, in time.

#include "gpu/describe.h"
#include "gpu/gemm/matrix_tuned/choose.h"
#include "gpu/gemm/matrix_tuned/plans.h"

namespace gemmlab::gpu {
namespace {

using namespace tensor_core;

constexpr const char* kAuto = "auto";

std::vector<ParameterValue> words(std::initializer_list<const char*> all) {
  return {all.begin(), all.end()};
}

std::vector<WgmmaPlan> plans_for(const GemmTypes& types, bool transpose_b) {
  switch (types.type) {
    case ElementType::kBfloat16:
      return bfloat16_plans(types, transpose_b);
    case ElementType::kFloat16:
      return float16_plans(types, transpose_b);
    case ElementType::kFloat8E4m3:
      return float8_e4m3_plans(types);
    case ElementType::kFloat8E5m2:
      return float8_e5m2_plans(types);
    case ElementType::kInt8:
      return int8_plans();
    default:
      return {};
  }
}

WgmmaChoice plan(const WgmmaAsked& asked, const Parameters& parameters) {
  const std::vector<WgmmaPlan> plans = plans_for(asked.types, asked.transpose_b);
  if (plans.empty()) return {};
  const std::string kernel = text(parameters, "kernel");
  return choose(plans, asked, kernel == kAuto ? "" : kernel,
                static_cast<int>(integer(parameters, "split_k")));
}

}  // namespace

const Implementation& matrix_tuned() {
  static const WgmmaImplementation row(
      describe(
          {.id = "gpu.matrix_tuned",
           .name = "matrix, tuned",
           .family = "matrix units",
           .summary = "wgmma in every type, the tile and the parts of K chosen by the shape",
           .source = "ours",
           .counterpart = "cpu.widened",
           .parameters = {{.name = "kernel",
                           .summary = "tile of C, and who multiplies it",
                           .choices = words({kAuto, "128x256", "128x256, pair", "128x192", "192x192, pair",
                                             "128x128", "128x128, pair", "128x128 in turn, pair",
                                             "64x128, pair", "64x64, pair", "64x64", "64x32"}),
                           .default_value = std::string(kAuto)},
                          {.name = "split_k",
                           .summary =
                               "parts of K for each of the last tiles, which do not fill the card; 0: chosen",
                           .choices = {std::int64_t{0}, std::int64_t{1}, std::int64_t{2}, std::int64_t{4},
                                       std::int64_t{8}, std::int64_t{16}, std::int64_t{32}, std::int64_t{64}},
                           .default_value = std::int64_t{0}}},
           .variant_of = "gpu.wgmma_persistent"}),
      plan);
  return row;
}

}  // namespace gemmlab::gpu
