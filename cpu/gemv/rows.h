#pragma once

// THE list of gemv's CPU implementations, in the order of the ladder. A row is the name of the CallMethod or
// the function that defines it.

#define GEMMLAB_GEMV_METHODS(ROW) ROW(gemv) ROW(gemv_openmp) ROW(gemv_simd)
#define GEMMLAB_GEMV_REFERENCES(ROW) ROW(openblas_gemv) ROW(blis_gemv) ROW(mkl_gemv)
