#pragma once

// The facts of a card on which the choice of a kernel depends.

#include "gpu/gemm/pipelined/choose.h"

namespace gemmlab::gpu {

/// What the choice needs to know of the current card. Asked for once: why_not() is to cost no more than a comparison.
const PipelinedCard& this_card();

}  // namespace gemmlab::gpu
