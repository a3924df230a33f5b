#pragma once

#include <string>
#include <vector>

#include "experiments/runner/catalogue.h"

namespace gemmlab::runner {

// Exit codes of the program.
inline constexpr int kExitDone = 0;
inline constexpr int kExitWrong = 1;  ///< incorrect, crashed, failed, or less precise than declared
inline constexpr int kExitUsage = 2;
inline constexpr int kExitInterrupted = 130;

struct RunOptions {
  std::vector<std::string> experiments;
  std::string output;
  std::string machine;
  bool dry_run = false;
  bool fresh = false;
  bool no_report = false;
  std::vector<std::string> arguments;  ///< as typed, for the record
};

int command_list(const Catalogue& catalogue, bool json);
int command_info(bool json);
int command_check(const Catalogue& catalogue, const std::vector<std::string>& patterns);
int command_run(const Catalogue& catalogue, const RunOptions& options);

}  // namespace gemmlab::runner
