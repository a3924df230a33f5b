#pragma once

// THE list of triad's CPU implementations, in the order of the ladder. A row is the name of the CallMethod or
// the function that defines it.

#define GEMMLAB_TRIAD_METHODS(ROW) ROW(triad) ROW(triad_openmp) ROW(triad_simd)
