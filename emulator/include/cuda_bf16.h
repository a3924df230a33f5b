#pragma once

// CUDA's bfloat16 floats: __nv_bfloat16 and __nv_bfloat162.

#include "gemmlab_cuda_small_floats.h"

using __nv_bfloat16 = gemmlab::emulation::SmallFloat<gemmlab::emulation::Bfloat16Format>;
using __nv_bfloat162 = gemmlab::emulation::SmallPair<gemmlab::emulation::Bfloat16Format>;
using nv_bfloat16 = __nv_bfloat16;
using nv_bfloat162 = __nv_bfloat162;

GEMMLAB_NAMED_FUNCTIONS(bfloat16, nv_bfloat16, nv_bfloat162)
