#pragma once

// What the emulator found in a submission's kernels, and what verdict follows from it.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "submissions/judge/failures/failure.h"

namespace gemmlab::submissions {

/// One finding of emulator/exports.h, of all threads that met it.
struct KernelFinding {
  std::string kind;                    ///< "race", "out-of-bounds", "misaligned", ...
  std::string kernel;                  ///< as launched: "multiply<16>"
  int line = 0;                        ///< of the submission; 0: unknown
  int other_line = 0;                  ///< of the other thread's access; 0: none
  std::string array;                   ///< "A", "B", "C" or as the submission calls it
  std::string operation;               ///< "read", "write", "atomic" or empty
  std::optional<std::int64_t> offset;  ///< bytes from the array's start
  std::int64_t array_bytes = 0;
  std::int64_t times = 0;
  bool fatal = false;  ///< the kernel ended by it
  std::string text;    ///< one sentence for its author, line included
  Shape shape;         ///< the first at which it was met

  /// Is it no fault by itself, such as a launch that was refused where another was made instead?
  bool needs_wrong_result() const;
};

/// The findings of a report with lines; those of a form that is not known are left out, as are all beyond the
/// first hundred: the process that wrote it ran submitted code.
std::vector<KernelFinding> findings_from(const std::string& report, const Shape& shape);

/// Adds findings to those known: the same one at another shape is no other.
void merge(std::vector<KernelFinding>& known, const std::vector<KernelFinding>& more);

/// How surely it explains what else is found: 0 the most.
int rank_of(const KernelFinding& finding);

/// What a finding makes of the verdict; empty where its kind is not known.
std::optional<Failure> failure_of(const KernelFinding& finding);

}  // namespace gemmlab::submissions
