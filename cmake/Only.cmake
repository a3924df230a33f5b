# GEMMLAB_ONLY=serial;openmp builds those rows of gemm on the CPU and no more, as the program gemmlab-quick: their methods for the
# widest isa of this machine alone (GEMMLAB_ONLY_ISA), and no other operation. The launcher begins with those that
# experiments/quick.toml names.

include(${CMAKE_CURRENT_LIST_DIR}/Operations.cmake)
set(GEMMLAB_ONLY_ISA "")

# What the compiler finds on this machine, in the words of cpu/CMakeLists.txt and core/machine/machine.cpp.
function(gemmlab_widest_isa result)
  set(isa baseline)
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "aarch64|arm64")
    set(isa neon)
  elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|amd64|AMD64")
    execute_process(COMMAND ${CMAKE_CXX_COMPILER} -march=native -dM -E -x c++ /dev/null OUTPUT_VARIABLE macros)
    if(macros MATCHES "__AVX2__ 1" AND macros MATCHES "__FMA__ 1")
      set(isa avx2)
      if(macros MATCHES "__AVX512F__ 1" AND macros MATCHES "__AVX512BW__ 1" AND macros MATCHES "__AVX512DQ__ 1" AND
         macros MATCHES "__AVX512VL__ 1")
        set(isa avx512)
      endif()
    endif()
  endif()
  set(${result} ${isa} PARENT_SCOPE)
endfunction()

if(GEMMLAB_ONLY)
  gemmlab_widest_isa(GEMMLAB_ONLY_ISA)
endif()

# Without the sources of other rows and operations. All of them where all is built.
function(gemmlab_keep_only sources)
  if(NOT GEMMLAB_ONLY)
    return()
  endif()
  set(gemm ${PROJECT_SOURCE_DIR}/cpu/gemm)
  set(kept ${${sources}})
  list(FILTER kept INCLUDE REGEX "^${gemm}/")
  set(units "")
  foreach(row IN LISTS GEMMLAB_ONLY)
    gemmlab_unit_of(unit ${gemm} ${row})
    list(APPEND units ${unit})
  endforeach()
  gemmlab_rows_of(others ${gemm})
  list(REMOVE_ITEM others ${GEMMLAB_ONLY})
  foreach(row IN LISTS others)
    gemmlab_unit_of(unit ${gemm} ${row})
    if(NOT unit IN_LIST units)  # one file may hold several rows
      list(REMOVE_ITEM kept ${unit})
    endif()
    list(FILTER kept EXCLUDE REGEX "^${gemm}/${row}/")
  endforeach()
  set(${sources} "${kept}" PARENT_SCOPE)
endfunction()
