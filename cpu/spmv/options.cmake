# GCC 12 takes the undefined registers of its own AVX-512 header for a mistake.
set_source_files_properties(${CMAKE_CURRENT_LIST_DIR}/eigen_spmv.cpp ${CMAKE_CURRENT_LIST_DIR}/spmv_simd.cpp PROPERTIES
  COMPILE_OPTIONS -Wno-maybe-uninitialized)
