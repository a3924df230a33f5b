#pragma once

// CUDA's half-precision floats: half and half2.

#include "gemmlab_cuda_small_floats.h"

using __half = gemmlab::emulation::SmallFloat<gemmlab::emulation::HalfFormat>;
using __half2 = gemmlab::emulation::SmallPair<gemmlab::emulation::HalfFormat>;
using half = __half;
using half2 = __half2;
using nv_half = __half;
using __nv_half = __half;
using nv_half2 = __half2;
using __nv_half2 = __half2;

GEMMLAB_NAMED_FUNCTIONS(half, half, half2)
