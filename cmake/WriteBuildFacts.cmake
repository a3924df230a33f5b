# Run at build time; see SourceHash.cmake. Reads git only if it is there.

separate_arguments(DEVICES)
set(wanted ${ROOT}/runner/*.h ${ROOT}/runner/*.cpp)
foreach(folder core operations ${DEVICES})
  foreach(ending h cpp cu cuh)
    list(APPEND wanted ${ROOT}/${folder}/*.${ending})
  endforeach()
  list(APPEND wanted ${ROOT}/${folder}/CMakeLists.txt)
endforeach()
file(GLOB_RECURSE sources RELATIVE ${ROOT} ${wanted})
list(SORT sources)
set(all "")
foreach(source IN LISTS sources)
  file(SHA256 ${ROOT}/${source} hash)
  string(APPEND all "${source} ${hash}\n")
endforeach()
string(SHA256 source_sha256 "${all}")

set(commit "unknown")
set(dirty "true")
execute_process(COMMAND git -C ${ROOT} rev-parse HEAD OUTPUT_VARIABLE head RESULT_VARIABLE failed
                OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
if(NOT failed)
  set(commit ${head})
  execute_process(COMMAND git -C ${ROOT} status --porcelain -- core operations ${DEVICES} runner cmake CMakeLists.txt
                  OUTPUT_VARIABLE changes ERROR_QUIET)
  if(changes STREQUAL "")
    set(dirty "false")
  endif()
endif()

file(CONFIGURE OUTPUT ${OUTPUT} @ONLY CONTENT "#pragma once
// Made at each build by cmake/WriteBuildFacts.cmake.
namespace gemmlab::facts {
inline constexpr const char* kVersion = \"${VERSION}\";
inline constexpr const char* kCommit = \"${commit}\";
inline constexpr bool kDirty = ${dirty};
inline constexpr const char* kSourceSha256 = \"${source_sha256}\";
inline constexpr const char* kCompiler = \"${COMPILER}\";
inline constexpr const char* kFlags = \"${FLAGS}\";
inline constexpr const char* kSanitize = \"${SANITIZE}\";
inline constexpr const char* kNvcc = \"${NVCC}\";
inline constexpr const char* kCudaArch = \"${CUDA_ARCH}\";
}  // namespace gemmlab::facts
")
