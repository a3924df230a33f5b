#include "gpu/gemm/multi/implementation.h"

#include <cuda_runtime.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "core/session_row.h"
#include "gpu/device/check.h"
#include "gpu/gemm/multi/exchange.h"
#include "gpu/gemm/multi/on_card.h"
#include "gpu/gemm/multi/parameters.h"
#include "gpu/gemm/multi/session.h"
#include "gpu/gemm/multi/split.h"
#include "gpu/gemm/multi/stream_plan.h"
#include "gpu/gemm/multi/stream_session.h"
#include "gpu/gemm/session.h"
#include "gpu/libraries/nccl.h"

namespace gemmlab::gpu {
namespace {

constexpr std::int64_t kMostChunks = 16;
constexpr std::int64_t kMostMemoryMib = std::int64_t{1} << 20;
constexpr std::int64_t kFloatsPerMib = (std::int64_t{1} << 20) / static_cast<std::int64_t>(sizeof(float));

bool from_host(const Parameters& parameters) {
  return text(parameters, "operands") == "host";
}

bool sharded(const Parameters& parameters) {
  return text(parameters, "operands") == "sharded";
}

bool by_nccl(const Parameters& parameters) {
  return text(parameters, "exchange") == "nccl";
}

int cards_of(const Parameters& parameters) {
  return static_cast<int>(integer(parameters, "gpus"));
}

/// Of operands that lie on the cards.
Split split_for(const Shape& shape, const Parameters& parameters, const MultiImplementation::Inner& inner) {
  const int cards = cards_of(parameters);
  const int parts = static_cast<int>(integer(parameters, "chunks"));
  if (cards == 1) return {shape, 1, {}};  // its operands are there, and C is made where it is to lie
  if (sharded(parameters)) return {shape, cards, {1, parts}};
  return {shape, cards, {parts, 1, parts == 1 ? rows_ahead(shape, cards, inner.ahead_flops_per_byte) : 0}};
}

/// Of operands on the host; `free_floats`: what a card may hold where the parameters do not say.
StreamPlan plan_for(const Shape& shape, const Parameters& parameters, std::int64_t free_floats,
                    Slower slower) {
  const std::int64_t asked = integer(parameters, "memory_mib");
  return {shape, cards_of(parameters), static_cast<int>(integer(parameters, "chunks")),
          asked > 0 ? asked * kFloatsPerMib : free_floats, slower};
}

/// A quarter of the card with the least memory, so that sessions beside this one find room, too: with more, nothing is faster.
std::int64_t floats_on_every_card(int cards) {
  std::size_t least = std::numeric_limits<std::size_t>::max();
  for (int card = 0; card < cards; ++card) {
    const OnCard here(card);
    std::size_t free = 0;
    std::size_t total = 0;
    GEMMLAB_CUDA_CHECK(cudaMemGetInfo(&free, &total));
    least = std::min({least, total / 4, free / 10 * 9});
  }
  return static_cast<std::int64_t>(least / sizeof(float));
}

/// A product of one card.
struct Part {
  Shape shape;
  GemmForm form;
};

/// Those of all cards.
std::vector<Part> parts_of(const Shape& shape, const Parameters& parameters,
                           const MultiImplementation::Inner& inner) {
  std::vector<Part> parts;
  if (from_host(parameters)) {
    const StreamPlan plan = plan_for(shape, parameters, StreamPlan::kNoLimit, inner.slower);
    for (const StreamStep& step : plan.steps()) {
      for (int card = 0; card < plan.split().cards(); ++card) {
        const Shape part{plan.rows(card, step).count, plan.cols(card, step).count, step.k.count};
        if (part.m > 0 && part.n > 0) parts.push_back({part, plan.form(part, step)});
      }
    }
    return parts;
  }
  const Split split = split_for(shape, parameters, inner);
  for (int card = 0; card < split.cards(); ++card) {
    for (const Block& block : split.blocks(card)) {
      const Shape part{block.rows.count, block.cols.count, shape.k};
      GemmForm form = form_of(part);
      if (inner.writes_far) form.ldc = shape.n;
      parts.push_back({part, form});
    }
  }
  return parts;
}

std::vector<ParameterSpec> multi_parameters(std::int64_t usual_chunks) {
  ParameterSpec chunks;
  chunks.name = "chunks";
  chunks.summary =
      "sharded: into how many parts a card's last block is cut, each being sent to C while the next is "
      "multiplied; first: in how many parts a card's operands come, each being multiplied while the next "
      "comes; host: in how many panels the first of them come";
  chunks.minimum = 1;
  chunks.maximum = kMostChunks;
  chunks.default_value = usual_chunks;
  chunks.told = ", {chunks} chunks";
  ParameterSpec memory;
  memory.name = "memory_mib";
  memory.summary =
      "host: MiB of A, B and C that a card may hold at a time (the inner product's own memory comes on top); "
      "0: a quarter of the card's memory";
  memory.minimum = 0;
  memory.maximum = kMostMemoryMib;
  memory.default_value = std::int64_t{0};
  memory.told = ", {memory_mib} MiB per card";
  return {
      gpus_parameter(),
      choice(
          "operands",
          "first: A and B lie on the first card, and their way to the others counts; sharded: each card "
          "has its own part of A and B before the clock starts; C goes to the first card. host: A, B and C "
          "lie in page-locked memory of the host, and stream through the cards",
          {std::string("first"), std::string("sharded"), std::string("host")}, std::string("first"),
          ", {operands}"),
      choice("exchange",
             "how cards get pieces of A and B from each other: by copies, which leave all SMs to the "
             "product, or "
             "by NCCL's sends, which are kernels; what the first card deals out is copied in both, and C "
             "where products do not write it there",
             {std::string("copies"), std::string("nccl")}, std::string("copies"), ", {exchange}"),
      chunks, memory};
}

}  // namespace

MultiImplementation::MultiImplementation(Description description, const Inner& inner)
    : description_(std::move(description)), inner_(inner) {
  description_.parameters = multi_parameters(inner.usual_chunks);
}

std::string MultiImplementation::why_not(const Shape& shape, const Parameters& parameters) const {
  if (std::string reason = too_long(shape); !reason.empty()) return reason;
  if (std::string reason = too_few_cards(parameters); !reason.empty()) return reason;
  if (by_nccl(parameters) && !nccl().why_not().empty()) return "exchange = nccl: " + nccl().why_not();
  const std::int64_t memory = integer(parameters, "memory_mib");
  if (memory > 0 && !from_host(parameters))
    return "memory_mib = " + std::to_string(memory) + ": for operands = host alone";
  const Parameters usual = complete(inner_.row.description(), {});
  try {
    for (const Part& part : parts_of(shape, parameters, inner_)) {
      const std::string reason = is_plain(part.shape, part.form)
                                     ? inner_.row.why_not(part.shape, usual)
                                     : inner_.row.why_not_form(part.shape, part.form, usual);
      if (!reason.empty()) return reason;
    }
  } catch (const std::invalid_argument& error) {
    return "memory_mib = " + std::to_string(memory) + ": " + error.what();
  }
  return {};
}

double MultiImplementation::moved_bytes(const Shape& shape, const Parameters& parameters) const {
  const Parameters usual = complete(inner_.row.description(), {});
  double bytes = 0;
  for (const Part& part : parts_of(shape, parameters, inner_)) {
    const double read_again =
        part.form.beta != 0 ? sizeof(float) * static_cast<double>(part.shape.c_count()) : 0;
    bytes += inner_.row.moved_bytes(part.shape, usual) + read_again;
  }
  return bytes;
}

bool MultiImplementation::operands_resident(const Parameters& parameters) const {
  return sharded(parameters);
}

std::unique_ptr<Session> MultiImplementation::prepare(const Shape& shape,
                                                      const Parameters& parameters) const {
  if (const std::string reason = too_few_cards(parameters); !reason.empty()) throw std::runtime_error(reason);
  std::unique_ptr<NcclExchange> exchange;
  if (by_nccl(parameters) && !nccl().why_not().empty()) throw std::runtime_error(nccl().why_not());
  if (by_nccl(parameters)) exchange = std::make_unique<NcclExchange>(cards_of(parameters));
  if (from_host(parameters)) {
    const std::int64_t floats = floats_on_every_card(cards_of(parameters));
    return std::make_unique<StreamSession>(plan_for(shape, parameters, floats, inner_.slower), inner_.row,
                                           std::move(exchange));
  }
  return std::make_unique<MultiSession>(split_for(shape, parameters, inner_), inner_.row,
                                        sharded(parameters) ? Start::kSharded : Start::kFirst,
                                        inner_.writes_far, std::move(exchange));
}

}  // namespace gemmlab::gpu
