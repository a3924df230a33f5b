# pipelined/kernel.h writes its loop in the order in which it is to run: ptxas' own order, from -O2 on, reads more
# registers per FFMA and moves sums between banks.
set_source_files_properties(
  ${CMAKE_CURRENT_LIST_DIR}/batched/candidates.cu ${CMAKE_CURRENT_LIST_DIR}/pipelined/candidates_clustered.cu
  ${CMAKE_CURRENT_LIST_DIR}/pipelined/candidates_large.cu
  ${CMAKE_CURRENT_LIST_DIR}/pipelined/candidates_small.cu
  PROPERTIES COMPILE_OPTIONS -Xptxas=-O1)
