# GCC 12 takes the undefined registers of its own AVX-512 header for a mistake of Eigen's.
set_source_files_properties(${CMAKE_CURRENT_LIST_DIR}/eigen.cpp PROPERTIES COMPILE_OPTIONS -Wno-maybe-uninitialized)
# On ARM GCC 12 moves loads of later terms ahead and spills 27 registers of the 8×12 tile for them; none without.
if(CMAKE_SYSTEM_PROCESSOR MATCHES "aarch64|arm64")
  set_source_files_properties(${CMAKE_CURRENT_LIST_DIR}/packed/tile.cpp PROPERTIES
    COMPILE_OPTIONS -fno-schedule-insns)
endif()
