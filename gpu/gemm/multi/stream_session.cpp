#include "gpu/gemm/multi/stream_session.h"

#include <string>
#include <utility>

#include "gpu/device/cards_at_work.h"
#include "gpu/device/check.h"
#include "gpu/device/stream.h"

namespace gemmlab::gpu {

StreamSession::StreamSession(const StreamPlan& plan, const GemmImplementation& inner,
                             std::unique_ptr<NcclExchange> nccl)
    : plan_(plan), peers_(enable_peers(plan.split().cards())), nccl_(std::move(nccl)) {
  for (int card = 0; card < plan_.split().cards(); ++card) {
    const OnCard here(card);
    cards_.push_back(std::make_unique<StreamCard>(plan_, card, inner));
  }
}

void StreamSession::multiply(const float* a, const float* b, float* c) {
  const cudaStream_t stream = current_stream();
  timed_ = !is_captured(stream);
  fork_.record(stream);
  for (const auto& card : cards_) card->begin(fork_);
  for (std::size_t step = 0; step < plan_.steps().size(); ++step) {
    for (const auto& card : cards_) card->load(step, {a, b}, cards_);
    if (nccl_) {
      exchange(*nccl_, cards_, step, -1, true, cards_);
    } else {
      for (const auto& card : cards_) card->fetch(step, cards_);
    }
    for (const auto& card : cards_) card->multiply(step, c);
  }
  for (const auto& card : cards_) card->join(stream);
  cards_at_work() = plan_.split().cards();
}

Facts StreamSession::resources() const {
  const Session* const inner = inner_session_of(cards_);
  return inner ? inner->resources() : Facts();
}

Facts StreamSession::chosen() const {
  const CardGrid grid = plan_.split().grid();
  const Session* const inner = inner_session_of(cards_);
  Facts facts = inner ? inner->chosen() : Facts();
  const auto bytes = [](std::int64_t floats) { return static_cast<std::int64_t>(bytes_of(floats)); };
  facts["grid"] = std::to_string(grid.rows) + "x" + std::to_string(grid.cols);
  facts["loaded_bytes"] = bytes(plan_.loaded());
  facts["exchanged_bytes"] = bytes(plan_.exchanged());
  facts["bytes_on_card"] = bytes(plan_.a_floats() + plan_.b_floats() + plan_.c_floats());
  facts["row_blocks"] = std::int64_t{plan_.row_blocks()};
  facts["col_blocks"] = std::int64_t{plan_.col_blocks()};
  facts["products_per_card"] = static_cast<std::int64_t>(plan_.steps().size());
  facts["peer_pairs"] = std::int64_t{peers_};
  if (nccl_) NcclExchange::add_to(facts);
  if (timed_) add_times_of(cards_, facts);
  return facts;
}

}  // namespace gemmlab::gpu
