#pragma once

// Which of several cards is measured: `--gpu N|UUID`.

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/records/record.h"
#include "gpu/device/watching/cards.h"
#include "runner/definition/definition.h"
#include "runner/execution/supervisor.h"

namespace gemmlab::runner {

/// A card that `--gpu` can name.
struct Choice {
  int index = 0;  ///< as nvidia-smi counts
  std::string uuid;
  std::string name;
  bool visible = false;  ///< to CUDA in this process's environment
};

/// The cards that the driver lists, with those that a worker sees among them (`visible`: the "gpus" of its
/// facts). Where the driver lists none, those of the worker, numbered in its order.
std::vector<Choice> choices(const std::vector<gpu::Card>& cards, const Json& visible);

/// The uuid of the card that is asked for by its number or by its uuid, of which the first letters are enough.
/// Throws UsageError with what is here where there is no such card, or where this process may not use it.
std::string chosen_uuid(const std::string& asked, const std::vector<Choice>& choices);

/// Facts of a worker that sees one GPU alone: the one asked for or, of several, CUDA's first. From then on all
/// workers of this process see that one alone (CUDA_VISIBLE_DEVICES), so that records name the card that
/// measured. The facts are the worker's as it is where nothing is asked for and at most one GPU is here.
Json facts_of_one_gpu(Supervisor& supervisor, const std::string& asked);

/// The most cards that a point of these asks for (parameter gpus), at least 1.
std::int64_t gpus_wanted(const std::vector<Definition>& definitions);

/// The same for a run that shares products over so many cards: it sees the first ones, or those of the list that is
/// asked for ("0,2"), and what runs on one card runs on the first of them. Fewer are no error here: a point says by itself
/// that it lacks cards.
Json facts_of_gpus(Supervisor& supervisor, const std::string& asked, std::int64_t wanted);

/// "The GPU here (Tesla T4) is not used: built without CUDA.", of a card that the driver lists or a worker sees; empty
/// where one is used, none is here or CUDA_VISIBLE_DEVICES hides all.
std::string unused_text(const Json& facts, const std::vector<gpu::Card>& cards);

/// The same or, of the facts above, "4 GPUs are here; this one alone is used: NVIDIA H200, GPU-1a2b3c4d-…." ("these are
/// used: …" of several); empty where all are used.
std::string choice_text(const Json& facts);

}  // namespace gemmlab::runner
