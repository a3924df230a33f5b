#pragma once

// Definitions with their results files, and what is left of them to do: how long it takes, and a listing.

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "runner/definition/definition.h"
#include "runner/planning/estimate.h"
#include "runner/recording/store.h"

namespace gemmlab::runner {

/// One experiment with its results file.
struct Planned {
  Definition definition;
  std::unique_ptr<Store> store;
};

/// The folder that results go to: --output, else data/results/<machine>.
std::string results_folder(const std::string& output, const std::string& machine);

/// Opens the definitions' results files in `folder` for reading, and those of their other shards. Throws
/// UsageError for one that is not an ordinary file, and where another shard was cut from another plan.
std::vector<Planned> plan_experiments(std::vector<Definition> definitions, const std::string& folder);

/// Knows the times in the plan's own files; for what they lack, those of the other experiments in `folder`
/// and of the committed reference machine.
Estimator make_estimator(const std::vector<Planned>& plan, const std::string& folder);

/// Prints points, memory and estimated time of each experiment, and which points are recorded already (with
/// `fresh`, none counts); measures nothing. `fingerprint_of` tells the mark that a record must bear to count
/// for a definition.
void print_plan(const std::vector<Planned>& plan, const std::string& folder, bool fresh,
                const std::function<std::string(const Definition&)>& fingerprint_of);

}  // namespace gemmlab::runner
