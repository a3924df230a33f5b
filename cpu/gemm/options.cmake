# GCC 12 takes the undefined registers of its own AVX-512 header for a mistake of Eigen's.
set_source_files_properties(${CMAKE_CURRENT_LIST_DIR}/eigen.cpp PROPERTIES COMPILE_OPTIONS -Wno-maybe-uninitialized)
# Each library's file declares what it opens in that library, and every rung's has a `multiply`. The rows of typed/ name what a build of
# other rows alone (GEMMLAB_ONLY) leaves out: as objects of their own they are left out there, too.
foreach(gemmlab_file blis dot_pairs matrix mkl mkl_jit mkl_typed onednn onednn_typed openblas tiles_2x2 tiles_blocked tiles_packed tiles_unpacked
        typed/methods typed/row)
  set_property(SOURCE ${CMAKE_CURRENT_LIST_DIR}/${gemmlab_file}.cpp PROPERTY SKIP_UNITY_BUILD_INCLUSION ON)
endforeach()
# On ARM GCC 12 moves loads of later terms ahead and spills 27 registers of the 8×12 tile for them; none without.
if(CMAKE_SYSTEM_PROCESSOR MATCHES "aarch64|arm64")
  set_source_files_properties(${CMAKE_CURRENT_LIST_DIR}/packed/tile.cpp PROPERTIES
    COMPILE_OPTIONS -fno-schedule-insns)
endif()
# The matrix unit's machines have AVX-512. -O3 whatever the build type, as for every kernel.
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|amd64|AMD64")
  set(GEMMLAB_MATRIX_SOURCES
    ${CMAKE_CURRENT_LIST_DIR}/matrix/digit_product.cpp
    ${CMAKE_CURRENT_LIST_DIR}/matrix/digit_sums.cpp
    ${CMAKE_CURRENT_LIST_DIR}/matrix/parts.cpp
    ${CMAKE_CURRENT_LIST_DIR}/matrix/product.cpp
    ${CMAKE_CURRENT_LIST_DIR}/matrix/split_digits.cpp
    ${CMAKE_CURRENT_LIST_DIR}/matrix/sums.cpp)
  set_source_files_properties(${GEMMLAB_MATRIX_SOURCES} PROPERTIES COMPILE_OPTIONS
    "-O3;-mavx512f;-mavx512bw;-mavx512dq;-mavx512vl;-mfma;-mprefer-vector-width=512;-mamx-tile;-mamx-bf16;-fno-exceptions")
  set_source_files_properties(
    ${CMAKE_CURRENT_LIST_DIR}/tiles_unpacked.cpp ${CMAKE_CURRENT_LIST_DIR}/tiles_packed.cpp
    ${CMAKE_CURRENT_LIST_DIR}/tiles_2x2.cpp ${CMAKE_CURRENT_LIST_DIR}/tiles_blocked.cpp PROPERTIES COMPILE_OPTIONS
    "-O3;-mavx512f;-mavx512bw;-mavx512dq;-mavx512vl;-mfma;-mprefer-vector-width=512;-mamx-tile;-mamx-bf16;-mamx-int8;-fno-exceptions")
  set_source_files_properties(${CMAKE_CURRENT_LIST_DIR}/dot_pairs.cpp PROPERTIES COMPILE_OPTIONS
    "-O3;-mavx512f;-mavx512bw;-mavx512dq;-mavx512vl;-mavx512vnni;-mavx512bf16;-mfma;-mprefer-vector-width=512;-fno-exceptions")
endif()
