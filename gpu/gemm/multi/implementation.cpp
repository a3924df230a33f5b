#include "gpu/gemm/multi/implementation.h"

#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "core/session_row.h"
#include "gpu/gemm/multi/parameters.h"
#include "gpu/gemm/multi/session.h"
#include "gpu/gemm/multi/split.h"
#include "gpu/gemm/session.h"

namespace gemmlab::gpu {
namespace {

constexpr std::int64_t kMostChunks = 16;

Start start_of(const Parameters& parameters) {
  const std::string operands = text(parameters, "operands");
  return operands == "first" ? Start::kFirst : operands == "sharded" ? Start::kSharded : Start::kHost;
}

Split split_for(const Shape& shape, const Parameters& parameters) {
  const int cards = static_cast<int>(integer(parameters, "gpus"));
  const int parts = static_cast<int>(integer(parameters, "chunks"));
  const Start start = start_of(parameters);
  if (start == Start::kHost) return {shape, cards, {parts, 1}};
  if (cards == 1) return {shape, cards, {}};  // its operands are there, and C is made where it is to lie
  return {shape, cards, start == Start::kSharded ? Cuts{1, parts} : Cuts{parts, 1}};
}

/// Shapes of all products of all cards.
std::vector<Shape> shapes_of(const Split& split) {
  std::vector<Shape> shapes;
  for (int card = 0; card < split.cards(); ++card) {
    for (const Block& block : split.blocks(card))
      shapes.push_back({block.rows.count, block.cols.count, split.shape().k});
  }
  return shapes;
}

std::vector<ParameterSpec> multi_parameters(std::int64_t usual_chunks) {
  ParameterSpec chunks;
  chunks.name = "chunks";
  chunks.summary =
      "sharded: into how many parts a card's last block is cut, each being sent to C while the next is "
      "multiplied; first, "
      "host: in how many parts a card's operands come, each being multiplied while the next comes";
  chunks.minimum = 1;
  chunks.maximum = kMostChunks;
  chunks.default_value = usual_chunks;
  return {
      gpus_parameter(),
      choice("operands",
             "first: A and B lie on the first card, and their way to the others counts; sharded: each card "
             "has its own part of A and B before the clock starts; host: A and B lie in page-locked memory "
             "of the host, from which each card gets its part, and C goes there. C always goes to the first "
             "card",
             {std::string("first"), std::string("sharded"), std::string("host")}, std::string("first")),
      chunks};
}

}  // namespace

MultiImplementation::MultiImplementation(Description description, const GemmImplementation& inner,
                                         std::int64_t usual_chunks)
    : description_(std::move(description)), inner_(inner) {
  description_.parameters = multi_parameters(usual_chunks);
}

std::string MultiImplementation::why_not(const Shape& shape, const Parameters& parameters) const {
  if (std::string reason = too_long(shape); !reason.empty()) return reason;
  if (std::string reason = too_few_cards(parameters); !reason.empty()) return reason;
  const Parameters usual = complete(inner_.description(), {});
  for (const Shape& part : shapes_of(split_for(shape, parameters))) {
    if (std::string reason = inner_.why_not(part, usual); !reason.empty()) return reason;
  }
  return {};
}

double MultiImplementation::moved_bytes(const Shape& shape, const Parameters& parameters) const {
  const Parameters usual = complete(inner_.description(), {});
  double bytes = 0;
  for (const Shape& part : shapes_of(split_for(shape, parameters))) bytes += inner_.moved_bytes(part, usual);
  return bytes;
}

bool MultiImplementation::operands_resident(const Parameters& parameters) const {
  return start_of(parameters) != Start::kFirst;
}

std::unique_ptr<Session> MultiImplementation::prepare(const Shape& shape,
                                                      const Parameters& parameters) const {
  if (const std::string reason = too_few_cards(parameters); !reason.empty()) throw std::runtime_error(reason);
  return std::make_unique<MultiSession>(split_for(shape, parameters), inner_, start_of(parameters));
}

}  // namespace gemmlab::gpu
