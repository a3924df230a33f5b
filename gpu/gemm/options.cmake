# pipelined/kernel.h writes its loop in the order in which it is to run: ptxas' own order, from -O2 on, reads more
# registers per FFMA and moves sums between banks.
set_source_files_properties(
  ${CMAKE_CURRENT_LIST_DIR}/batched/candidates.cu ${CMAKE_CURRENT_LIST_DIR}/pipelined/candidates_clustered.cu
  ${CMAKE_CURRENT_LIST_DIR}/pipelined/candidates_large.cu
  ${CMAKE_CURRENT_LIST_DIR}/pipelined/candidates_small.cu
  PROPERTIES COMPILE_OPTIONS -Xptxas=-O1)

# Kernels that have code for sm_90a alone.
file(GLOB GEMMLAB_SM90A_SOURCES CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/wgmma*.cu ${CMAKE_CURRENT_LIST_DIR}/matrix_tuned/*.cu
  ${CMAKE_CURRENT_LIST_DIR}/tensor/gemm_sm90.cu ${CMAKE_CURRENT_LIST_DIR}/tensor/gemm_whole.cu)
