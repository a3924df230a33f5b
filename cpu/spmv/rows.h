#pragma once

// THE list of spmv's CPU implementations, in the order of the ladder. A row is the name of the file and of
// the method or the function in it.

#define GEMMLAB_SPMV_METHODS(ROW) \
  ROW(spmv)                       \
  ROW(spmv_openmp)                \
  ROW(spmv_simd)                  \
  ROW(eigen_spmv)
#define GEMMLAB_SPMV_REFERENCES(ROW) ROW(mkl_spmv)
