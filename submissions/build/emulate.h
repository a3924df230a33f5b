#pragma once

// GPU code for this processor: what is compiled, and what g++'s words over it mean.

#include <string>
#include <vector>

#include "submissions/build/commands.h"

namespace gemmlab::submissions {

/// Adds the rewritten copy of the student's `text`, CUDA's words for g++ and the emulator to the files in
/// `scratch`. Throws CannotBeJudged where this program was installed without them.
void lay_out_emulation(BuildFiles& files, const std::string& text, const std::string& scratch);
/// Takes away again what only the compiler reads: it is not the submission's, whose files are counted.
void clear_emulation(const BuildFiles& files);

/// Is solve marked __global__? To g++ that mark means nothing.
bool solve_is_a_kernel(const std::string& text);

/// "line 41: inline PTX cannot be run without a GPU", of the first thing that no emulator runs; empty where the
/// messages name none. `rewritten`: what was compiled.
std::string cannot_be_emulated(const std::vector<CompilerMessage>& messages, const std::string& rewritten);
/// The header that a message says cannot be run ("mma.h"); empty for others.
std::string refused_header(const CompilerMessage& message);

/// Says in CUDA's words what g++ says of the rewritten text.
void put_in_cuda_words(std::vector<CompilerMessage>& messages);

}  // namespace gemmlab::submissions
