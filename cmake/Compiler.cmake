# Refuses compilers that gemmlab is not compiled by.
if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU" OR CMAKE_CXX_COMPILER_VERSION VERSION_LESS 11)
  message(FATAL_ERROR "${CMAKE_CXX_COMPILER} is ${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}; gemmlab needs g++ 11 or later "
                      "(-DCMAKE_CXX_COMPILER=g++-12). Clang takes the kernels' vectors for aligned where they are not, which crashes.")
endif()
