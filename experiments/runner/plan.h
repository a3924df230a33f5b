#pragma once

// From definitions and what is recorded to what is left to do.

#include <memory>
#include <string>
#include <vector>

#include "experiments/runner/definition.h"
#include "experiments/runner/estimate.h"
#include "experiments/runner/store.h"

namespace gemmlab::runner {

/// One experiment with its results file.
struct Planned {
  Definition definition;
  std::unique_ptr<Store> store;
};

/// The folder that results go to: --output, else data/results/<machine>.
std::string results_folder(const std::string& output, const std::string& machine);

/// Loads every definition and opens its results file for reading. Throws UsageError before anything is
/// measured.
std::vector<Planned> plan_experiments(const std::vector<std::string>& names, const std::string& folder,
                                      const Catalogue& catalogue);

/// The points of a group that have no record with this fingerprint; all of them when `fresh`.
std::vector<Point> points_left(const Group& group, const Store& store, const std::string& fingerprint,
                               bool fresh);

/// Knows the times in the plan's own files, and for what they lack those of the committed reference machine.
Estimator make_estimator(const std::vector<Planned>& plan);

/// Prints points, memory and estimated time of each experiment; measures nothing.
void print_plan(const std::vector<Planned>& plan, const std::string& folder);

}  // namespace gemmlab::runner
