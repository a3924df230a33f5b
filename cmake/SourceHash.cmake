# gemmlab_source_hash: three headers, made anew at each build and rewritten only when they change: build_facts.h (the commit,
# the compiler, the SHA-256 over every source) and source_hashes.h (a SHA-256 for what measures and checks, and one for
# each implementation: see source_hashes/main.cpp). And kinds.h: the kinds of tables and figures that report/ and plots/ have.

add_executable(gemmlab_source_hashes
  ${PROJECT_SOURCE_DIR}/cmake/source_hashes/main.cpp
  ${PROJECT_SOURCE_DIR}/cmake/source_hashes/text.cpp
  ${PROJECT_SOURCE_DIR}/core/records/sha256.cpp)
target_link_libraries(gemmlab_source_hashes PRIVATE gemmlab::options)
target_compile_options(gemmlab_source_hashes PRIVATE ${GEMMLAB_UNTIMED_OPTIONS})

# includes.d: a rule for each unit that may be measured, of what it includes, by the compiler itself. Those of the build would not
# do: they tell of a whole unity build at a time, and of .cu files only where there is nvcc. -nostdinc and -MG leave out what is not
# of this tree, so that the rules are the same on every machine; __CUDACC__ stands for what nvcc would see.
set(gemmlab_globs "")
foreach(gemmlab_folder core operations ${GEMMLAB_DEVICES})
  foreach(gemmlab_ending h cpp cu)
    list(APPEND gemmlab_globs ${PROJECT_SOURCE_DIR}/${gemmlab_folder}/*.${gemmlab_ending})
  endforeach()
endforeach()
file(GLOB_RECURSE gemmlab_files CONFIGURE_DEPENDS ${gemmlab_globs})
set(gemmlab_units ${gemmlab_files})
list(FILTER gemmlab_units EXCLUDE REGEX "[.]h$")
list(TRANSFORM gemmlab_units REPLACE "^${PROJECT_SOURCE_DIR}/" "")
set(GEMMLAB_INCLUDES ${PROJECT_BINARY_DIR}/generated/includes.d)
add_custom_command(OUTPUT ${GEMMLAB_INCLUDES}
  COMMAND ${CMAKE_CXX_COMPILER} -MM -MG -nostdinc -D__CUDACC__ -I. -x c++ ${gemmlab_units} > ${GEMMLAB_INCLUDES}
  DEPENDS ${gemmlab_files}
  WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
  COMMENT "Asking the compiler what may be measured includes" VERBATIM)

string(REPLACE ";" " " gemmlab_arch_text "${CMAKE_CUDA_ARCHITECTURES}")  # a list would be cut apart on the way
string(TOUPPER "${CMAKE_BUILD_TYPE}" gemmlab_build_type)
set(gemmlab_build_type_flags "${CMAKE_CXX_FLAGS_${gemmlab_build_type}}")
set(GEMMLAB_BUILD_FACTS ${PROJECT_BINARY_DIR}/generated/build_facts.h)
set(GEMMLAB_SOURCE_HASHES ${PROJECT_BINARY_DIR}/generated/source_hashes.h)
set(GEMMLAB_KINDS ${PROJECT_BINARY_DIR}/generated/kinds.h)
add_custom_target(gemmlab_build_facts
  COMMAND ${CMAKE_COMMAND} -DROOT=${PROJECT_SOURCE_DIR} -DOUTPUT=${GEMMLAB_BUILD_FACTS}
          -DVERSION=${PROJECT_VERSION} -DCOMPILER=${CMAKE_CXX_COMPILER_ID}\ ${CMAKE_CXX_COMPILER_VERSION}
          -DFLAGS=${CMAKE_BUILD_TYPE}:${CMAKE_CXX_FLAGS}\ ${gemmlab_build_type_flags}
          -DSANITIZE=${GEMMLAB_SANITIZE} "-DDEVICES=${GEMMLAB_DEVICES_TEXT}"
          -DNVCC=${CMAKE_CUDA_COMPILER_VERSION} "-DCUDA_ARCH=${gemmlab_arch_text}"
          -P ${PROJECT_SOURCE_DIR}/cmake/WriteBuildFacts.cmake
  COMMAND gemmlab_source_hashes ${PROJECT_SOURCE_DIR} ${GEMMLAB_INCLUDES} ${GEMMLAB_SOURCE_HASHES}
  COMMAND ${CMAKE_COMMAND} -DROOT=${PROJECT_SOURCE_DIR} -DOUTPUT=${GEMMLAB_KINDS}
          -P ${PROJECT_SOURCE_DIR}/cmake/WriteKinds.cmake
  DEPENDS ${GEMMLAB_INCLUDES}
  BYPRODUCTS ${GEMMLAB_BUILD_FACTS} ${GEMMLAB_SOURCE_HASHES} ${GEMMLAB_KINDS}
  VERBATIM)
add_library(gemmlab_source_hash INTERFACE)
add_library(gemmlab::source_hash ALIAS gemmlab_source_hash)
target_include_directories(gemmlab_source_hash INTERFACE ${PROJECT_BINARY_DIR}/generated)
add_dependencies(gemmlab_source_hash gemmlab_build_facts)
