#pragma once

// THE list of dot's CPU implementations, in the order of the ladder. A row is the name of the CallMethod or
// the function that defines it.

#define GEMMLAB_DOT_METHODS(ROW) ROW(dot) ROW(dot_openmp) ROW(dot_simd)
#define GEMMLAB_DOT_REFERENCES(ROW) ROW(openblas_dot) ROW(blis_dot) ROW(mkl_dot)
