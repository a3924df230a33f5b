#pragma once

// THE list of axpy's CPU implementations, in the order of the ladder. A row is the name of the CallMethod or
// the function that defines it.

#define GEMMLAB_AXPY_METHODS(ROW) ROW(axpy) ROW(axpy_openmp) ROW(axpy_simd)
#define GEMMLAB_AXPY_REFERENCES(ROW) ROW(openblas_axpy) ROW(blis_axpy) ROW(mkl_axpy)
