#pragma once

// Which of several cards is measured: `--gpu N|UUID`.

#include <string>
#include <vector>

#include "core/record.h"
#include "experiments/runner/supervisor.h"
#include "gpu/cards.h"

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

/// "4 GPUs are here; this one alone is used: NVIDIA H200, GPU-1a2b3c4d-….", of the facts above; empty where
/// there is one at most.
std::string choice_text(const Json& facts);

}  // namespace gemmlab::runner
