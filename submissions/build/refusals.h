#pragma once

// Why a file is not built, in one line each.

#include <string>
#include <vector>

#include "submissions/build/commands.h"

namespace gemmlab::submissions {

void refuse(Build& result, const std::string& reason, const std::string& hint);

/// The first error becomes the reason; without one, `otherwise` does. True where there is a reason now. `wanted`: the signature.
bool refuse_by_message(Build& result, const std::string& otherwise, const std::string& wanted);

/// Headers that the rule forbids, whether this machine has them or not; `messages` name those it lacks.
bool refuse_headers(Build& result, const std::vector<CompilerMessage>& messages, const Rule& rule,
                    const BuildFiles& files, const std::string& scratch);

/// Files that the compiler or the assembler read (#include, .incbin) outside `folders`, the toolchain's and the hand-in's own. The
/// sandbox shows none; this is what holds where there is none.
bool refuse_foreign_files(Build& result, const BuildFiles& files, const std::vector<std::string>& folders,
                          const std::string& scratch);

/// A solve that our own declaration contradicts is an error in our words.
void name_signature_conflicts(std::vector<CompilerMessage>& messages);

/// The last line of a compiler's output that is not empty.
std::string last_line(const std::string& output);

}  // namespace gemmlab::submissions
