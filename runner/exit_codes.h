#pragma once

// How the program says by its exit status how it ended.

namespace gemmlab::runner {

// THE list of the exit codes of the program; docs/commands.md explains them.
inline constexpr int kExitDone = 0;
inline constexpr int kExitWrong = 1;  ///< incorrect, crashed, failed, or less precise than declared
inline constexpr int kExitUsage = 2;
inline constexpr int kExitBySignal =
    128;  ///< and the number of the signal: 130 after Ctrl-C, 143 after SIGTERM

}  // namespace gemmlab::runner
