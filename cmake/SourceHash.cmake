# gemmlab_source_hash: a header with the SHA-256 over every source that decides what is measured, and the commit, made
# anew at each build and rewritten only when it changes.

string(REPLACE ";" " " gemmlab_arch_text "${CMAKE_CUDA_ARCHITECTURES}")  # a list would be cut apart on the way
string(TOUPPER "${CMAKE_BUILD_TYPE}" gemmlab_build_type)
set(gemmlab_build_type_flags "${CMAKE_CXX_FLAGS_${gemmlab_build_type}}")
set(GEMMLAB_BUILD_FACTS ${PROJECT_BINARY_DIR}/generated/build_facts.h)
add_custom_target(gemmlab_build_facts
  COMMAND ${CMAKE_COMMAND} -DROOT=${PROJECT_SOURCE_DIR} -DOUTPUT=${GEMMLAB_BUILD_FACTS}
          -DVERSION=${PROJECT_VERSION} -DCOMPILER=${CMAKE_CXX_COMPILER_ID}\ ${CMAKE_CXX_COMPILER_VERSION}
          -DFLAGS=${CMAKE_BUILD_TYPE}:${CMAKE_CXX_FLAGS}\ ${gemmlab_build_type_flags}
          -DSANITIZE=${GEMMLAB_SANITIZE}
          -DNVCC=${CMAKE_CUDA_COMPILER_VERSION} "-DCUDA_ARCH=${gemmlab_arch_text}"
          -P ${PROJECT_SOURCE_DIR}/cmake/WriteBuildFacts.cmake
  BYPRODUCTS ${GEMMLAB_BUILD_FACTS}
  VERBATIM)
add_library(gemmlab_source_hash INTERFACE)
target_include_directories(gemmlab_source_hash INTERFACE ${PROJECT_BINARY_DIR}/generated)
add_dependencies(gemmlab_source_hash gemmlab_build_facts)
