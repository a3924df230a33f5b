#pragma once

// The last step of a product whose K was split: the sum of its parts.

#include "gpu/gemm/pipelined/candidates.h"

namespace gemmlab::gpu {

struct PipelinedArguments;

/// Behind `candidate`'s kernel, into the same stream: adds up the tiles of C that several blocks have
/// computed parts of.
void launch_add_partials(const PipelinedArguments& arguments, const PipelinedCandidate& candidate);

}  // namespace gemmlab::gpu
