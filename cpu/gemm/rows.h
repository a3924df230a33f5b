#pragma once

// THE list of gemm's CPU implementations, in the order of the ladder. A row is the name of the file and of
// the Method or the function in it.

#define GEMMLAB_METHODS(ROW) \
  ROW(serial)                \
  ROW(openmp)                \
  ROW(ikj)                   \
  ROW(blocked)               \
  ROW(blocked_packed)        \
  ROW(register_blocked)      \
  ROW(register_edges)        \
  ROW(packed_b)              \
  ROW(packed_a)              \
  ROW(blocked_k)             \
  ROW(five_loops)            \
  ROW(prefetched)            \
  ROW(shared_b)              \
  ROW(shared_terms)          \
  ROW(packed)                \
  ROW(eigen)
#define GEMMLAB_UNITS(ROW) ROW(matrix)
#define GEMMLAB_REFERENCES(ROW) ROW(openblas) ROW(openblas_pypi) ROW(blis) ROW(onednn) ROW(mkl) ROW(mkl_jit)
