#pragma once

// The commands of the program, and their options.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "operations/gemm/implementation.h"
#include "runner/catalogue.h"
#include "runner/exit_codes.h"

namespace gemmlab::runner {

struct RunOptions {
  std::vector<std::string> experiments;
  std::vector<std::string> traces;  ///< files of GEMMLAB_TRACE, each an experiment, too
  std::string output;
  std::string machine;
  std::string gpu;                   ///< a number or a uuid; empty: the first
  std::optional<std::string> shard;  ///< "3/16"
  bool all = false;                  ///< every experiment after those that are named, the shortest first
  double hours = 0;                  ///< within which all that is begun is likely to end; 0: no limit
  bool dry_run = false;
  bool fresh = false;
  bool no_report = false;
  bool verbose = false;                ///< one line per point
  std::vector<std::string> arguments;  ///< as typed, for the record
};

struct TuneOptions {
  std::vector<Shape> shapes;  ///< empty: a set that covers squares, rectangles, odd and skinny ones
  double seconds = 4;         ///< of timed work that each choice gets at most
  bool forget = false;
  std::string gpu;  ///< as of RunOptions
};

/// `name`: of one implementation alone, its id or what others call it; empty for all.
int command_list(const Catalogue& catalogue, const std::string& name, bool json);
/// `gpu`, here and below: as of RunOptions.
int command_info(bool json, const std::string& gpu);
/// GPU implementations are emulated where no GPU can be used, or where `emulate` asks for it.
int command_check(const Catalogue& catalogue, const std::vector<std::string>& asked, bool emulate,
                  const std::string& gpu);
int command_run(const Catalogue& catalogue, const RunOptions& options);

/// Measures every choice of the implementations that choose for themselves, and stores the best ones in the
/// user's table, which these implementations use from then on.
int command_tune(const Catalogue& catalogue, const TuneOptions& options);

/// The points of an experiment, one JSON object each: what `gemmlab profile` chooses from.
int command_points(const Catalogue& catalogue, const std::string& experiment);

/// Of each build in the JSON list that run lines bear: fingerprints() of these sources, in the same order.
/// What the report finds stale points by (report/machine/stale.py).
int command_fingerprints(const std::string& builds);

struct MultiplyOptions {
  std::string implementation;
  std::string parameters = "{}";  ///< a JSON object; defaults fill it up
  /// "--m", "4096", ...: dimensions (those of size 1024 where none is given) and options of the
  /// implementation's operation.
  std::vector<std::string> instance;
  bool counters = false;  ///< of the processor, for a CPU implementation
};
/// With `counters`, a second line: a JSON object with the counts per call of as many calls as take a tenth of a second.
/// Prepares, warms up, and computes once inside the profiled range, in this process, so that the profiler
/// that started it sees the kernels. Prints the verdict on the result.
int command_multiply(const Catalogue& catalogue, const MultiplyOptions& options);

struct CountsOptions {
  MultiplyOptions call;
  std::uint64_t blocks = 0;  ///< of each grid that are run; 0: all
};
/// Runs one call by emulation and prints what it asks of a card, as JSON: what a prediction of its time starts from.
int command_counts(const Catalogue& catalogue, const CountsOptions& options);

}  // namespace gemmlab::runner
